"""Modules that are deeds, modules that only compute, and other names for the same thing."""

from __future__ import annotations

from workbench.analysis.tables.callables import CALLABLES
from workbench.analysis.tables.modules import ALIASES, HARMLESS, MODULES, OURS, STANDARD
from workbench.analysis.tables.program_actions import ProgramAction


def test_no_module_is_harmless_and_a_deed_at_once() -> None:
    assert HARMLESS.isdisjoint(MODULES)
    assert OURS.isdisjoint(MODULES)


def test_modules_that_reach_out_are_known() -> None:
    assert MODULES["smtplib"] is MODULES["http.client"] is ProgramAction.NETWORK
    assert MODULES["ctypes"] is ProgramAction.NATIVE


def test_the_standard_library_is_not_unknown() -> None:
    assert {"json", "os", "asyncio", "statistics"} <= STANDARD


def test_other_names_lead_to_names_that_are_final() -> None:
    assert all(ALIASES.get(target, target) == target for target in ALIASES.values())
    assert "builtins.open" not in CALLABLES  # it has rules of its own
