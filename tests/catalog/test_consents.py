"""A consent is for one command, private, and survives a restart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.catalog.consents import Consents
from workbench.catalog.launch import demo_config
from workbench.errors import WorkbenchError
from workbench.records import ServerConfig

CONFIG = ServerConfig("one", "run", ("x",))


def test_a_consent_is_kept_for_this_command_alone(tmp_path: Path) -> None:
    Consents(tmp_path / "allowed.json").give(CONFIG)
    later = Consents(tmp_path / "allowed.json")
    assert not later.allows(CONFIG)
    later.read()
    assert later.allows(CONFIG)
    assert not later.allows(replace(CONFIG, args=("y",)))


def test_the_demo_server_needs_none(tmp_path: Path) -> None:
    assert Consents(tmp_path / "allowed.json").allows(demo_config())
    assert not Consents(tmp_path / "allowed.json").allows(replace(demo_config(), builtin=False))


@pytest.mark.parametrize("content", ["", "[]", '"yes"', "7"])
def test_a_damaged_file_allows_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "allowed.json").write_text(content)
    consents = Consents(tmp_path / "allowed.json")
    consents.read()
    assert not consents.allows(CONFIG)


def test_a_consent_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    consents = Consents(tmp_path / "file" / "allowed.json")
    with pytest.raises(WorkbenchError, match="cannot be remembered"):
        consents.give(CONFIG)
    assert not consents.allows(CONFIG)
