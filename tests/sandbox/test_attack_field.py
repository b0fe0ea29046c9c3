"""The attack field detects what an attack would do: each harm is done directly here, and must be reported."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.attack_field import Field


@pytest.fixture
def field(tmp_path: Path) -> Iterator[Field]:
    around = Field(tmp_path / "field")
    yield around
    around.close()


def test_nothing_done_is_nothing_told(field: Field) -> None:
    (field.workspace / "a").mkdir()
    (field.workspace / "a/file").write_text("harmless")
    assert field.harm(0) == ()
    field.clear()
    assert list(field.workspace.iterdir()) == []


def test_a_changed_new_or_deleted_file_is_told_once(field: Field) -> None:
    for deed in (
        lambda: (field.canary / "secret.txt").write_text("x"),
        lambda: (field.canary / "secret.txt").chmod(0o600),
        lambda: (field.folder / "home/new").touch(),
        lambda: (field.folder / "project/.mcp.json").unlink(),
        lambda: os.link(field.canary / "victim.pid", field.workspace / "link"),
    ):
        deed()
        assert any("was touched" in harm for harm in field.harm(0))
        assert field.harm(0) == ()


def test_a_connection_of_any_kind_is_told(field: Field) -> None:
    with socket.create_connection(("127.0.0.1", field.port)):
        assert any("a connection arrived" in harm for harm in field.harm(0))
    for place in (f"\0{field.abstract}", str(field.canary / "listen.sock")):
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(place)
            assert any("a connection arrived" in harm for harm in field.harm(0))


def test_traps_in_the_workspace_are_told(field: Field) -> None:
    os.mkfifo(field.workspace / "fifo")
    (field.workspace / "set").touch()
    (field.workspace / "set").chmod(0o4755)
    assert len([harm for harm in field.harm(0) if "is a trap" in harm]) == 2


def test_a_dead_victim_and_a_process_that_is_left_are_told(field: Field) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as left:
        assert f"process {left.pid} is left" in field.harm(os.getpid())
        left.kill()
    victim = field.targets["victim"]
    assert isinstance(victim, int)
    os.kill(victim, 9)
    os.waitid(os.P_PID, victim, os.WEXITED | os.WNOWAIT)
    assert "the victim died" in field.harm(0)
