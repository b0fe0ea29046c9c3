"""Methods that are deeds."""

from __future__ import annotations

from pathlib import Path

from workbench.analysis.tables.methods import FILLING, KINDS, NETWORK_KINDS, PATH_KINDS, PATH_METHODS, TELLING


def test_every_method_of_a_path_exists() -> None:
    assert [name for name in PATH_METHODS if not hasattr(Path, name)] == []


def test_names_of_strings_and_lists_tell_nothing() -> None:
    assert [name for name in TELLING if hasattr(str, name) or hasattr(list, name) or hasattr(dict, name)] == []


def test_kinds_worth_remembering_hold_all_that_have_rules() -> None:
    assert PATH_KINDS | NETWORK_KINDS <= KINDS
    assert {"append", "update"} <= FILLING
