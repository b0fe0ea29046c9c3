"""Hints for the author of a failed program, in addition to Python's error message."""

from __future__ import annotations

import asyncio

import pytest

from workbench.core import Core
from workbench.records import RunState
from workbench.runs.run_faults import fault_of_ending
from workbench.sandbox.program import Ending


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("[Errno 27] File too large", "run.disk_mb"),
        ("[Errno 28] No space left on device: '/tmp/x'", "below workspace/"),
        ("[Errno 24] Too many open files: 'a'", "close each"),
        ("can't start new thread", "run.pids"),
        ("No module named 'pandas'", "run.packages"),
        ("No module named 'serversome'", "run.packages"),
        ("No module named 'servers.nowhere'", ""),
        ("'coroutine' object is not subscriptable", "An await is missing"),
        ("'coroutine' object has no attribute 'get'", "An await is missing"),
        ("f() takes from 0 to 1 positional arguments but 2 were given", "with keywords"),
        ("division by zero", ""),
    ],
)
def test_a_limit_that_python_names_in_its_own_words_is_explained(words: str, advice: str) -> None:
    hint = fault_of_ending(Ending(False, "failed", "", "Error", words)).hint
    assert advice in hint
    assert bool(hint) == bool(advice)


@pytest.mark.parametrize(
    ("kind", "advice"),
    [("KeyError", "one row"), ("NameError", "session_id"), ("ToolError", "from client import ToolError"), ("Mine", "")],
)
def test_what_python_says_comes_with_what_its_author_can_do(kind: str, advice: str) -> None:
    hint = fault_of_ending(Ending(False, "failed", "", kind, "Something is wrong.")).hint
    assert (advice in hint, bool(hint)) == (True, bool(advice))


async def test_a_program_that_wants_a_package_which_is_not_let_in_is_told_who_can_let_it_in(core: Core) -> None:
    if core.sandbox.strength.level == "none":
        pytest.skip(core.sandbox.strength.reason)
    session = core.services.sessions.open("test agent")
    done = await asyncio.wait_for(
        core.run_manager.wait_until_finished(core.run_manager.submit("import pandas", session).id), 60
    )
    assert done.state is RunState.REFUSED, "it is returned before it runs and before the user is asked"
    assert done.fault is not None
    assert "run.packages" in f"{done.fault.message} {done.fault.hint}"
