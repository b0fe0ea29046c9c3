"""Calls: arguments reach functions of the program, answers come back, and effects name what was passed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.records import Gate, Risk, Verdict

Judge = Callable[[str], Verdict]


@pytest.mark.parametrize(
    "code",
    [
        "def go(c):\n    os.system(c)\ngo('ls')",
        "def go(*, c):\n    os.system(c)\ngo(c='ls')",
        "def go(c='ls'):\n    os.system(c)\ngo()",
        "def one(c):\n    two(c)\ndef two(c):\n    os.system(c)\none('ls')",
        "def get():\n    return 'ls'\nos.system(get())",
        "class A:\n    def go(self, c):\n        os.system(c)\nA().go('ls')",
        "go = lambda c: os.system(c)\ngo('ls')",
        "os.system(*['ls'])",
        "c = 'l' + 's'\nos.system(c)",
        "os.system(command='ls')",
        "import subprocess\nsubprocess.run(args='ls')",
    ],
)
def test_the_command_is_named_however_it_gets_there(code: str, judge: Judge) -> None:
    subjects = {finding.subject for finding in judge(f"import os\n{code}").findings if finding.rule == "process"}
    assert subjects == {"ls"}


def test_a_function_nobody_calls_is_still_read(judge: Judge) -> None:
    assert (
        judge("import os\ndef go(c):\n    os.system(c)").sentence
        == "The sandbox will refuse this: it runs another program."
    )


def test_functions_that_call_each_other_end(judge: Judge) -> None:
    assert judge("def a(x):\n    return b(x)\ndef b(x):\n    return a(x)\na(1)").sentence.startswith("Only computes")


def test_what_a_function_gives_back_carries_its_origin(judge: Judge) -> None:
    code = (
        "from servers.demo import get_customer\nfrom servers.mail import send_message\n"
        "async def load(n):\n    c = await get_customer(id=n)\n    return c['email']\n"
        "await send_message(to='a', body=await load(1))"
    )
    assert "flow.private" in {finding.rule for finding in judge(code).findings}


# ── functions with rules of their own ────────────────────────────────────────────────────────────────
Rules = Callable[[str], dict[str, Risk]]


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
    assert verdict.not_assessed == ("The text of the skill late_orders.",)
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


# ── methods on paths, connections, archives, databases and containers ────────────────────────────────


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("from pathlib import Path\nPath('workspace/a').unlink()", "file.delete"),
        ("from pathlib import Path\nPath('workspace/a').rename('workspace/b')", "file.move"),
        ("from pathlib import Path\nPath('workspace/a').open('w')", "file.write"),
        ("from pathlib import Path\nPath('workspace/a').open()", "file.read"),
        ("from pathlib import Path\nfor p in Path('workspace').glob('*'):\n    p.unlink()", "file.delete"),
        (
            "from pathlib import Path\nwith Path('workspace/a').parent.joinpath('b').open('a') as f:\n    pass",
            "file.write",
        ),
        ("something.unlink()", "file.delete"),
        ("frame.to_csv('workspace/a.csv')", "file.write"),
        ("import zipfile\nzipfile.ZipFile('workspace/a.zip').extractall('workspace')", "file.write"),
        ("import requests\ns = requests.Session()\ns.post('https://example.com')", "network"),
        ("import socket\ns = socket.socket()\ns.connect(('example.com', 80))", "network"),
        ("mail.send_message(x)", "network"),
        ("import sqlite3\nsqlite3.connect('workspace/a.db').execute('DROP TABLE a')", "database.change"),
        (
            "import sqlite3\nsqlite3.connect('workspace/a.db').cursor().execute('insert into a values (1)')",
            "database.change",
        ),
        ("import sqlite3\nsqlite3.connect('workspace/a.db').execute(input())", "database.change"),
        ("import sqlite3\nd = {'x': sqlite3.connect('workspace/a.db')}\nd[k].execute(sql)", "database.change"),
        ("import sqlite3\nsqlite3.connect('a.db').execute('PRAGMA writable_schema=1')", "database.change"),
        ("import sqlite3\nsqlite3.connect('a.db').backup(other)", "file.write"),
    ],
)
def test_a_method_is_told_by_its_deed(code: str, rule: str, rules: Rules) -> None:
    assert rule in rules(code)


@pytest.mark.parametrize(
    "code",
    [
        "'a'.replace('a', 'b')",
        "[1].remove(1)",
        "{}.update(a=1)",
        "frame.to_csv()",
        "import io\nframe.to_csv(io.StringIO())",
        "import sqlite3\nsqlite3.connect(':memory:').execute('SELECT 1')",
        "import sqlite3\nsqlite3.connect('shop.db').execute('SELECT 1 FROM a WHERE b = ' + x)",
        "import sqlite3\nsqlite3.connect('shop.db').execute('PRAGMA table_info(a)').fetchall()",
        "class Light:\n    def touch(self):\n        return 1\nLight().touch()",
        "re.compile('x').match('y')",
    ],
)
def test_ordinary_methods_are_fine(code: str, rules: Rules) -> None:
    assert not set(rules(code)) & {"file.write", "file.delete", "file.move", "database.change", "network", "code.run"}


@pytest.mark.parametrize(
    "fill", ["x.append(secret)", "x.update(a=secret)", "x['a'] = secret", "x += [secret]", "x = [*x, secret]"]
)
def test_a_container_carries_the_origin_of_what_it_holds(fill: str, rules: Rules) -> None:
    code = (
        "from servers.demo import get_customer\nfrom servers.mail import send_message\n"
        f"x = []\nsecret = await get_customer()\n{fill}\nawait send_message(body=x)"
    )
    assert "flow.private" in rules(code)
