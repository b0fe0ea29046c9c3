"""An attack is judged by its effects before its output. Attack lists of other projects are directed at our own
field.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import workbench
from tests.attacks.__main__ import main
from tests.attacks.attack_field import Field
from tests.attacks.attack_runner import THEIR_WORKSPACE, Attack, read_attacks, table, try_attacks
from workbench.errors import WorkbenchError

ROOT = Path(workbench.__file__).parents[1]
OTHERS = [
    {"id": "read", "category": "fs-read", "expect": "blocked", "code": "open('/tmp/sbxcanary/secret.txt').read()"},
    {"id": "says", "category": "info", "expect": "blocked", "code": "print('PWNED:really')"},
    {"id": "own", "category": "info", "expect": "limited", "code": f"open('{THEIR_WORKSPACE}x', 'w')\nprint('LEFT:x')"},
]


@pytest.fixture
def field(tmp_path: Path) -> Iterator[Field]:
    around = Field(tmp_path / "field")
    yield around
    around.close()


async def test_lists_of_others_are_aimed_at_our_field(
    open_room: Callable[[str], Awaitable[Any]], field: Field, tmp_path: Path
) -> None:
    (tmp_path / "others.json").write_text(json.dumps(OTHERS))
    for backend in ("native", "reduced"):
        room = await open_room(backend)
        read, says, own = await try_attacks(room.sandbox, read_attacks(tmp_path / "others.json"), field)
        assert (read.got, says.got, own.got) == ("killed", "pwned", "limited")
        assert str(field.canary) in read.detail
        assert (says.contained, own.contained) == (False, True)


async def test_what_was_done_counts_more_than_what_is_said(
    open_room: Callable[[str], Awaitable[Any]], field: Field
) -> None:
    room = await open_room("native")
    liar = Attack("liar", "info", f"print('BLOCKED:honestly', '{field.secret}')", "blocked")
    (found,) = await try_attacks(room.sandbox, [liar], field)
    assert (found.got, found.harm) == ("pwned", ("the secret came out",))
    assert "0 of 1" in table([found], "native")


def test_a_file_without_attacks_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("[1]")
    for name in ("no.json", "nowhere.toml"):
        with pytest.raises(WorkbenchError, match="holds no attacks"):
            read_attacks(tmp_path / name)


def test_the_command_tries_a_list_and_tells_what_got_out(tmp_path: Path) -> None:
    (tmp_path / "others.json").write_text(json.dumps(OTHERS[:2]))
    command = [sys.executable, "-m", "tests.attacks", "--attacks", str(tmp_path / "others.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 2:
        pytest.skip(done.stderr)
    assert done.returncode == 1, done.stderr
    assert "info/says: must be blocked, was pwned" in done.stdout
    assert " of 2 attacks as expected" in done.stdout


def test_what_is_no_snippet_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    (tmp_path / "long").write_bytes(b"#" * (1 << 21))
    for name in ("bytes", "long", "nowhere", "."):
        monkeypatch.setattr(sys, "argv", ["attack", "--attack", str(tmp_path / name)])
        assert main() == 2
        assert str(tmp_path) in capsys.readouterr().err
