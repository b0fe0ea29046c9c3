"""The file of rules: whole or lost, private, atomic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.permissions.rules import StoredRules, read_rules, write_rules
from workbench.records import Permission, Predicate, ToolBits, Word

FULL = StoredRules(
    (Permission("r", "arguments", Word.ALLOW, "mail", "send", (Predicate("to", "*@acme.com"),), "k", label="Rule."),),
    {"mail": "entry"},
    {"mail": {"send": ToolBits(read_only=False, sends=True, key="k")}},
)


def test_what_is_written_is_read_again_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    file = tmp_path / "state" / "permissions.json"
    write_rules(file, FULL)
    assert read_rules(file) == FULL
    assert file.stat().st_mode & 0o077 == 0
    assert list(file.parent.iterdir()) == [file]


def test_without_a_file_there_are_no_rules(tmp_path: Path) -> None:
    assert read_rules(tmp_path / "none.json") == StoredRules()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), 2),
        (("rules",), None),
        (("rules", 0), {"id": "r", "kind": "tool", "word": "deny"}),
        (("bits", "mail", "send"), {"key": "k"}),
        (("rules", 0, "word"), "perhaps"),
        (("rules", 0, "kind"), "everything"),
        (("rules", 0, "where"), [{"path": "to"}]),
        (("rules", 0, "where"), [{"path": "to", "pattern": 7}]),
        (("rules", 0, "count"), "many"),
        (("rules", 0, "server"), None),
        (("believed", "mail"), True),
        (("bits", "mail", "send", "sends"), "yes"),
        (("bits", "mail"), []),
    ],
)
def test_a_file_with_one_wrong_part_is_lost_as_a_whole(tmp_path: Path, path: tuple[object, ...], value: object) -> None:
    file = tmp_path / "permissions.json"
    write_rules(file, FULL)
    found = json.loads(file.read_text())
    part = found
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    file.write_text(json.dumps(found))
    assert read_rules(file) == StoredRules(lost=True)


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", "[" * 100_000, '"' + "x" * 10])
def test_what_is_no_file_of_ours_is_lost(tmp_path: Path, text: str) -> None:
    file = tmp_path / "permissions.json"
    file.write_text(text)
    assert read_rules(file).lost
