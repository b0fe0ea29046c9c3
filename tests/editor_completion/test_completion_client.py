"""The process that reads programs comes when it is needed and goes when it is not, whatever happens to it."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from workbench.editor_completion import completion_client as module
from workbench.editor_completion.completion_client import CompletionRequests
from workbench.errors import WorkbenchError


async def _nothing() -> None:
    pass


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What has been read of the library is read once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
async def hints(tmp_path: Path, cache: Path):
    made = CompletionRequests(tmp_path / "generated", cache, _nothing)
    yield made
    await made.close()


async def test_it_answers_dies_and_answers_again(hints: CompletionRequests, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hints.pid == 0
    assert "upper" in [one.name for one in await hints.complete("''.up", 1, 5)]
    (shape,) = await hints.shapes("len(", 1, 4)
    assert shape.name == "len"
    assert (await hints.explain("len", 1, 1)).words
    first = hints.pid
    os.kill(first, signal.SIGKILL)
    with pytest.raises(WorkbenchError):
        await hints.complete("x", 1, 1)
    assert hints.pid == 0
    asked = [hints.complete("''.up", 1, 5), hints.complete("[].app", 1, 6)]
    answers = await asyncio.gather(*asked)
    assert [[one.name for one in answer] for answer in answers] == [["upper"], ["append"]]
    assert hints.pid not in (0, first)
    monkeypatch.setattr(module, "SECONDS", 0.0)
    with pytest.raises(WorkbenchError, match="did not finish"):
        await hints.complete("x", 1, 1)
    assert hints.pid == 0


async def test_what_is_too_long_is_not_sent(hints: CompletionRequests) -> None:
    with pytest.raises(WorkbenchError, match="too long"):
        await hints.complete("x" * 2_000_000, 1, 1)
    assert hints.pid == 0


async def test_after_the_end_nothing_starts(tmp_path: Path) -> None:
    hints = CompletionRequests(tmp_path / "generated", tmp_path / "cache", _nothing)
    await hints.close()
    with pytest.raises(WorkbenchError, match="closing"):
        await hints.complete("x", 1, 1)


async def test_it_rests_when_nobody_asks(tmp_path: Path, cache: Path) -> None:
    hints = CompletionRequests(tmp_path / "generated", cache, _nothing, idle=lambda: 0.01)
    await hints.complete("''.up", 1, 5)
    while hints.pid:
        await asyncio.sleep(0.01)
    await hints.close()
