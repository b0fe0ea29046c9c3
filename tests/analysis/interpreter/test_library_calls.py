"""Functions with rules of their own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Gate, Risk, Verdict

Rules = Callable[[str], dict[str, Risk]]
Judge = Callable[[str], Verdict]


@pytest.mark.parametrize(
    "code",
    [
        "exec('x = 1')",
        "eval(input())",
        "exec(open('workspace/a.py').read())",
        "exec(compile('x = 1', 'x', 'exec'))",
        "import builtins\nbuiltins.exec('x = 1')",
        "from builtins import eval as e\ne('1')",
    ],
)
def test_text_run_as_code_is_high(code: str, rules: Rules) -> None:
    assert rules(code)["code.run"] is Risk.HIGH


@pytest.mark.parametrize(
    "code",
    [
        "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))",
        "import base64, zlib\nexec(zlib.decompress(base64.b64decode(x)))",
        "import codecs\nexec(codecs.decode('cevag(1)', 'rot13'))",
        "exec(bytes([112, 114, 105, 110, 116, 40, 41]).decode())",
        "exec(''.join(chr(c) for c in [112, 114, 105, 110, 116]))",
        "exec(bytes.fromhex('7072696e742829'))",
    ],
)
def test_code_hidden_in_encoded_text_is_critical(code: str, rules: Rules) -> None:
    assert rules(code)["code.hidden"] is Risk.CRITICAL


def test_code_out_of_foreign_text_is_critical(rules: Rules) -> None:
    assert (
        rules("from servers.web import fetch_page\nexec((await fetch_page())['text'])")["code.untrusted"]
        is Risk.CRITICAL
    )


def test_running_a_kept_skill_is_at_most_medium_and_said(judge: Judge) -> None:
    verdict = judge("exec(load_skill('late_orders'))")
    assert verdict.risk is Risk.MEDIUM
    assert verdict.not_assessed == ("The text of the kept skill late_orders.",)
    assert judge("from skills.late_orders import late_orders\nlate_orders()").risk is Risk.LOW


def test_compiling_a_constant_alone_is_medium_and_its_text_is_read(rules: Rules) -> None:
    found = rules("compile('import os; os.system(1)', 'x', 'exec')")
    assert found["code.run"] is Risk.MEDIUM
    assert found["process"] is Risk.HIGH


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("import pickle\npickle.loads(x)", "code.unpack"),
        ("import yaml\nyaml.load(x)", "code.unpack"),
        ("import builtins\nsetattr(builtins, 'print', 1)", "python.tamper"),
        ("import json\njson.loads = 1", "python.tamper"),
        ("__builtins__['print'] = 1", "python.tamper"),
        ("import sys\nsys.modules['os'] = 1", "python.tamper"),
        ("import os\nos.environ['PATH'] = 'x'", "environment.change"),
        ("import sqlite3\nsqlite3.connect('workspace/a.db')", "file.read"),
        ("import zipfile\nzipfile.ZipFile('workspace/a.zip', 'w')", "file.write"),
        ("import os\nos.open('workspace/a', os.O_WRONLY | os.O_CREAT)", "file.write"),
        ("import os\nos.open('workspace/a', os.O_RDONLY)", "file.read"),
        ("from pathlib import Path\n(Path('workspace') / 'a').write_text('x')", "file.write"),
        ("from pathlib import Path\nPath('workspace').joinpath('a', 'b').unlink()", "file.delete"),
        ("import os\nopen(os.path.join('workspace', 'a'), 'w')", "file.write"),
        ("import pathlib\npathlib.Path.home().joinpath('.ssh').iterdir()", "file.list"),
    ],
)
def test_a_special_function_is_told_by_its_deed(code: str, rule: str, rules: Rules) -> None:
    assert rule in rules(code)


def test_a_safe_loader_is_safe(rules: Rules) -> None:
    assert rules("import yaml\nyaml.load(x, Loader=yaml.SafeLoader)\nyaml.safe_load(x)") == {}


def test_a_database_in_memory_touches_no_file(rules: Rules) -> None:
    assert rules("import sqlite3\nsqlite3.connect(':memory:')") == {}


@pytest.mark.parametrize("code", ["__import__(x)", "import importlib\nimportlib.import_module(name)"])
def test_a_module_chosen_at_run_time_is_high(code: str, rules: Rules) -> None:
    assert rules(code)["code.import"] is Risk.HIGH


def test_importing_by_a_written_name_is_medium(rules: Rules) -> None:
    assert rules("__import__('json')") == {"code.import": Risk.MEDIUM}


@pytest.mark.parametrize(
    ("code", "asks"),
    [
        ("open(3, 'rb').read()", True),
        ("import os\nos.fdopen(1 + 2)", True),
        ("import os\nos.write(3, b'{}')", True),
        ("import os\nos.write(1, b'x')", False),
        ("print(open(0).read())", False),
    ],
)
def test_descriptors_beyond_the_programs_own_streams_ask(judge: Judge, code: str, asks: bool) -> None:
    verdict = judge(code)
    assert (verdict.risk is Risk.MEDIUM) is asks
    assert (verdict.gate is Gate.ASK) is asks
