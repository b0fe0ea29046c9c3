"""`mcp-workbench sanitize` as a child process: in a pipe, on files, with a map, in every format."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

EMAIL = "rosa.lund@example.com"
DATABRICKS = "dapi" + "0123456789abcdef" * 2


@pytest.fixture
def sanitize(tmp_path: Path):
    environment = {**os.environ, "MCP_WORKBENCH_HOME": str(tmp_path / "home")}

    def run(*arguments: str, text: str | bytes = "") -> subprocess.CompletedProcess[str]:
        given = text.encode() if isinstance(text, str) else text
        done = subprocess.run(
            [sys.executable, "-m", "workbench", "sanitize", *arguments],
            input=given,
            capture_output=True,
            timeout=60,
            env=environment,
            check=False,
        )
        out, err = (one.decode("utf-8", "surrogateescape") for one in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run


def test_text_from_a_pipe_is_masked(sanitize) -> None:
    done = sanitize(text=f"+++ b/x.py\n+token = '{DATABRICKS}'\r\n+to {EMAIL}\n")
    assert done.returncode == 0
    assert done.stderr == ""
    assert re.fullmatch(r"\+\+\+ b/x\.py\n\+token = '\[SECRET_1\.\w{4}\]'\r\n\+to \[EMAIL_1\.\w{4}\]\n", done.stdout)


def test_the_command_works_in_a_shell_pipe(tmp_path: Path) -> None:
    command = f"printf 'to {EMAIL}' | {sys.executable} -m workbench sanitize | tr a-z A-Z"
    environment = {**os.environ, "MCP_WORKBENCH_HOME": str(tmp_path)}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert done.stdout.startswith("TO [EMAIL_1.")


def test_nothing_and_bytes_that_are_no_text_pass_unchanged(sanitize) -> None:
    assert sanitize(text="").stdout == ""
    done = sanitize(text=b"caf\xe9 \xff\n")
    assert done.stdout.encode("utf-8", "surrogateescape") == b"caf\xe9 \xff\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32-be"])
def test_text_in_which_nothing_would_be_found_is_refused(sanitize, encoding: str) -> None:
    done = sanitize(text=f"to {EMAIL}\n".encode(encoding))
    assert (done.returncode, done.stdout) == (1, "")
    assert "Convert it to UTF-8 first." in done.stderr


def test_a_map_restores_the_text_and_only_its_owner_can_read_it(sanitize, tmp_path: Path) -> None:
    text = f"to {EMAIL}, then [EMAIL_1.aaaa]\n"
    token_map = tmp_path / "map.json"
    masked = sanitize("--map", str(token_map), text=text).stdout
    assert EMAIL not in masked
    assert stat.S_IMODE(token_map.stat().st_mode) == 0o600
    restored = sanitize("--restore", str(token_map), text=masked.upper())
    assert restored.stdout == text.upper().replace(EMAIL.upper(), EMAIL).replace("[EMAIL_1.AAAA]", "[EMAIL_1.aaaa]")
    assert restored.returncode == 0


def test_a_map_collects_the_tokens_of_several_texts(sanitize, tmp_path: Path) -> None:
    token_map = tmp_path / "map.json"
    masked = [sanitize("--map", str(token_map), text=f"to {name}@example.org\n").stdout for name in ("ann", "bob")]
    assert (
        sanitize("--restore", str(token_map), text="".join(masked)).stdout == "to ann@example.org\nto bob@example.org\n"
    )


def test_unknown_tokens_stay_and_are_reported(sanitize, tmp_path: Path) -> None:
    token_map = tmp_path / "map.json"
    sanitize("--map", str(token_map), text=EMAIL)
    done = sanitize("--restore", str(token_map), text="to [EMAIL_7.abcd]")
    assert (done.returncode, done.stdout) == (1, "to [EMAIL_7.abcd]")
    assert "[EMAIL_7.abcd]" in done.stderr


def test_json_is_read_with_its_keys_and_numbers_come_back_as_numbers(sanitize, tmp_path: Path) -> None:
    value = {"customer": {"name": "Rosa Lund", "phone": 2025550143}, "id": "ORD-00001"}
    token_map = tmp_path / "map.json"
    masked = sanitize("--map", str(token_map), text=json.dumps(value)).stdout
    assert "Rosa" not in masked
    assert "2025550143" not in masked
    assert json.loads(masked)["id"] == "ORD-00001"
    assert json.loads(sanitize("--restore", str(token_map), text=masked).stdout) == value


def test_json_lines_share_their_tokens(sanitize) -> None:
    lines = "".join(json.dumps({"email": EMAIL, "n": number}) + "\n" for number in range(3))
    first, *others = map(json.loads, sanitize(text=lines).stdout.splitlines())
    assert first["email"].startswith("[EMAIL_1.")
    assert [one["email"] for one in others] == [first["email"]] * 2
    assert [one["n"] for one in others] == [1, 2]


def test_text_between_json_lines_is_masked_too(sanitize) -> None:
    done = sanitize(text=f'[1]\n{{"email": "{EMAIL}"}}\n\nto {EMAIL}')
    first, second, third, fourth = done.stdout.split("\n")
    assert (first, third) == ("[1]", "")
    assert fourth == f"to {json.loads(second)['email']}"


def test_json_may_begin_with_a_byte_order_mark(sanitize) -> None:
    for text in ('\ufeff{"email": "x@y.org"}', '\ufeff{"n": 1}\n{"email": "x@y.org"}\n'):
        done = sanitize(text=text)
        assert done.returncode == 0
        assert json.loads(done.stdout.splitlines()[-1])["email"].startswith("[EMAIL_1.")


def test_the_format_follows_from_the_ending(sanitize, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("id,surname\n1,Lund\n2,Ngata\n", encoding="utf-8")
    done = sanitize(str(table))
    assert done.stdout.startswith("id,surname\n1,[NAME_")
    assert "Ngata" not in done.stdout


def test_spans_have_kind_reason_and_place_but_no_value(sanitize) -> None:
    done = sanitize("--spans", text=f"one\nto {EMAIL}\n{DATABRICKS}")
    email, secret = map(json.loads, done.stdout.splitlines())
    assert email == {
        "file": "-", "kind": "EMAIL", "reason": "form", "line": 2, "column": 4, "start": 7, "end": 7 + len(EMAIL),
    }  # fmt: skip
    assert (secret["reason"], secret["line"], secret["column"]) == ("Databricks API token", 3, 1)
    assert EMAIL not in done.stdout
    done = sanitize("--spans", "--jsonl", text='{"n": 1}\n{"to/cc": ["x@y.org"]}\n')
    (email,) = map(json.loads, done.stdout.splitlines())
    assert (email["line"], email["pointer"]) == (2, "/to~1cc/0")


def test_kinds_and_words_limit_what_is_masked(sanitize) -> None:
    text = f"{EMAIL} at 203.0.113.7, help@example.com\n"
    done = sanitize("--kinds", "email", "--never", "help@example.com", text=text)
    assert re.fullmatch(r"\[EMAIL_1\.\w{4}\] at 203\.0\.113\.7, help@example\.com\n", done.stdout)


def test_the_strictness_decides_about_sentences_whatever_the_setting_is(sanitize, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "config"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.toml").write_text('[privacy]\nstrictness = "forms"\n', encoding="utf-8")
    text = f"Yesterday Rosa Lund wrote to us from {EMAIL}."
    assert "Rosa Lund wrote" in sanitize(text=text).stdout
    assert "Rosa" not in sanitize("--strictness", "recall", text=text).stdout


def test_a_check_prints_nothing_and_answers_with_its_exit_code(sanitize) -> None:
    assert (sanitize("--check", text=EMAIL).returncode, sanitize("--check", text=EMAIL).stdout) == (1, "")
    assert sanitize("--check", text="all is well").returncode == 0


def test_marks_of_the_user_apply(sanitize, tmp_path: Path) -> None:
    done = sanitize(text="nothing")
    assert done.returncode == 0
    folder = tmp_path / "home" / "config"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "privacy.toml").write_text(
        '[[hide]]\nvalue = "Project Falcon"\nkind = "CUSTOM"\n[[pass]]\nvalue = "help@example.com"\n', encoding="utf-8"
    )
    done = sanitize("--spans", text="Project Falcon, help@example.com")
    (found,) = map(json.loads, done.stdout.splitlines())
    assert (found["kind"], found["reason"]) == ("CUSTOM", "marked by you")


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["--json"], "{", "JSON was expected in standard input"),
        (["--jsonl"], '{"a": 1', "JSON was expected in line 1 of standard input"),
        (["missing.txt"], "", "missing.txt cannot be read: No such file or directory"),
        (["--kinds", "EMIAL"], "", "no kind of personal data EMIAL"),
        (["--restore", "missing.json"], "", "The token map missing.json cannot be read"),
        (["--restore", "x", "--spans"], "", "--restore puts values back"),
    ],
)
def test_errors_say_what_to_do(sanitize, arguments: list[str], text: str, message: str) -> None:
    done = sanitize(*arguments, text=text)
    assert done.returncode == 1
    assert done.stdout == ""
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 2  # the error and a remedy


def test_a_file_that_is_no_map_is_not_overwritten(sanitize, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("mine", encoding="utf-8")
    done = sanitize("--map", str(notes), text=EMAIL)
    assert done.returncode == 1
    assert notes.read_text(encoding="utf-8") == "mine"


def test_a_reader_that_closes_the_pipe_is_no_error(tmp_path: Path) -> None:
    command = f"yes 'to {EMAIL}' | head -200000 | {sys.executable} -m workbench sanitize | head -1"
    environment = {**os.environ, "MCP_WORKBENCH_HOME": str(tmp_path)}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=100, check=True, env=environment)
    assert done.stdout.startswith("to [EMAIL_1.")
    assert "Traceback" not in done.stderr


def test_a_long_table_is_read_in_pieces_that_know_its_columns(sanitize) -> None:
    rows = "".join(f"{number},Lund{chr(97 + number % 26)}x,{'nothing to see ' * 30}\n" for number in range(6_000))
    done = sanitize("--csv", text="id,surname,notes\n" + rows)
    lines = done.stdout.splitlines()
    assert lines[0] == "id,surname,notes"
    assert len(lines) == 6_001
    assert not [line for line in lines if "Lund" in line][:5]
