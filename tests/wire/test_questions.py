"""The person's vocabulary: all of it can be asked, and what decides something is marked."""

from __future__ import annotations

import inspect

from workbench.wire.questions import DECISIVE, Questions
from workbench.wire.vocabulary import vocabulary


def test_every_declared_question_can_be_asked_and_nothing_else():
    declared = {name for topic in Questions.__mro__ for name in vars(topic) if not name.startswith("_")}
    assert set(vocabulary()) == declared
    assert all(inspect.iscoroutinefunction(getattr(Questions, name)) for name in declared)


def test_what_decides_something_is_declared():
    assert set(vocabulary()) >= DECISIVE


def test_what_only_looks_is_not_held_to_its_end():
    assert not {"status", "tools", "entries", "call", "search", "assess"} & DECISIVE
