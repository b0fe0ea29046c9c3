"""A history on a real file, and calls to put into it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
from msgspec.structs import replace

from workbench.calls.call_history import History
from workbench.events import Event
from workbench.records import Content, Origin, Outcome, PastCall, PastQuery, Tool, ToolCall
from workbench.settings import Settings

TOOL = Tool("demo", "list_orders", input_schema={"properties": {"word": {"format": "password"}}})


class Kept:
    """A history with what it told."""

    def __init__(self, path) -> None:
        self.path = path
        self.settings = Settings()
        self.told: list[Event] = []
        self.history = History(path, lambda: self.settings, self.told.append)

    def change(self, **values: object) -> None:
        self.settings = replace(self.settings, **values)

    def make(self, text: str = "an answer", tool: Tool = TOOL, run_id: str = "", **arguments: object) -> Outcome:
        """A call that was answered with this text."""
        return self.note(Outcome("c", True, (Content("text", text),), bytes=len(text)), tool, run_id, arguments)

    def note(self, outcome: Outcome, tool: Tool = TOOL, run_id: str = "", arguments: object = None) -> Outcome:
        origin = Origin.AGENT if run_id else Origin.PERSON
        call = ToolCall("c", tool.server, tool.name, arguments or {}, origin, "person", run_id)  # type: ignore[arg-type]
        self.history.keep(call, tool, outcome)
        return outcome

    async def found(self, text: str = "", **query: object) -> list[PastCall]:
        return list(await self.history.find(PastQuery(text, **query)))  # type: ignore[arg-type]

    def words(self) -> str:
        """All notices."""
        return " ".join(str(getattr(event, "fault", "")) for event in self.told)


@pytest.fixture
async def kept(tmp_path) -> AsyncIterator[Kept]:
    one = Kept(tmp_path / "state" / "history.sqlite")
    yield one
    await one.history.close()


@pytest.fixture
def make() -> Callable[..., Kept]:
    return Kept
