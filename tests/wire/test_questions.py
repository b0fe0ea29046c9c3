"""The person's vocabulary: all of it can be asked, and what decides something is marked."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

from workbench import desk
from workbench.wire.questions import CONSENTS, DECISIVE, Questions
from workbench.wire.vocabulary import vocabulary


def test_every_declared_question_can_be_asked_and_nothing_else():
    declared = {name for topic in Questions.__mro__ for name in vars(topic) if not name.startswith("_")}
    assert set(vocabulary()) == declared
    assert all(inspect.iscoroutinefunction(getattr(Questions, name)) for name in declared)


def test_what_decides_something_is_declared():
    assert set(vocabulary()) >= DECISIVE


def test_what_only_looks_is_not_held_to_its_end():
    assert not {"status", "tools", "entries", "call", "search", "assess"} & DECISIVE


def test_whatever_the_user_agrees_to_is_refused_to_what_an_agents_client_started():
    """All that asks where an answer comes from, and all that loosens what was denied, marked or held."""
    assert set(vocabulary()) >= CONSENTS
    assert {"decide_files", "revoke_permission", "unmark_privacy", "set_privacy_kind"} <= CONSENTS
    methods = [
        node
        for path in Path(desk.__path__[0]).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.AsyncFunctionDef)
    ]
    asking = {
        one.name
        for one in methods
        if "self._check_terminal(" in (text := ast.unparse(one)) or "self._terminal_of(" in text
    }
    itself = {one.name for one in methods if "check_is_user()" in ast.unparse(one)}
    assert len(asking) > 5
    assert asking - itself <= CONSENTS
