"""The history and the saved calls of the project on paper."""

from __future__ import annotations

import time
from typing import Any

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import CallsForgotten, SavedCallsChanged
from workbench.records import (
    BrokenCall,
    CheckResult,
    Content,
    Expect,
    Expectation,
    Fault,
    Mark,
    Origin,
    Outcome,
    PastCall,
    PastQuery,
    SavedCall,
    SavedCalls,
)

ANSWER = Outcome("c", True, (Content("text", '{"total": 3}'),), '{"total": 3}', ms=12.0, bytes=12, tokens=5)


def make_past(number: int, tool: str = "list_orders", **fields: Any) -> PastCall:
    fields.setdefault("at", time.time() - 600 * (40 - number))
    fields.setdefault("note", '{"total": 3}')
    return PastCall(number, fields.pop("at"), "demo", tool, fields.pop("arguments", '{"limit": 3}'), **fields)


class PaperCalls:
    """Answers the questions about calls that stay."""

    bus: Any

    def __init__(self) -> None:
        self.past_list = [
            make_past(1, at=time.time() - 90_000),
            make_past(2, "send_email", ok=False, note="The mailbox is full.", arguments='{"to": "ada@example.org"}'),
            make_past(3, run_id="r1", origin=Origin.AGENT),
            make_past(4, "get_order", arguments='{"order_id": "ORD-00001"}'),
        ]
        orders = Expectation(Expect.COUNT, 1, "orders")
        self.saved_list = {
            call.file: call
            for call in (
                SavedCall("shop", "front page", "demo", "list_orders", {"limit": 3}, "What the shop shows.", ("smoke",),
                          (orders, Expectation(Expect.KEPT)), {"total": 4}, file="calls/shop/front page.json"),
                SavedCall("shop", "mail", "demo", "send_email", {"to": "a"}, file="calls/shop/mail.json"),
                SavedCall("", "alone", "demo", "list_orders", {}, expectations=(orders,), file="calls/alone.json"),
            )
        }  # fmt: skip
        self.broken_list = [
            BrokenCall("calls/shop/odd.json", Fault("calls/shop/odd.json, line 3: count takes a whole number."), 3)
        ]

    async def past_calls(self, query: PastQuery) -> tuple[PastCall, ...]:
        fitting = [
            call
            for call in sorted(self.past_list, key=lambda call: -call.id)
            if all(word in f"{call.tool} {call.arguments} {call.note}".casefold() for word in query.text.split())
            and query.server in ("", call.server)
            and query.tool in ("", call.tool)
            and (not query.state or call.ok == (query.state == "ok"))
            and (not query.before or call.id < query.before)
        ]
        return tuple(fitting[: query.limit])

    async def past_call(self, number: int) -> PastCall:
        return replace(next(call for call in self.past_list if call.id == number), outcome=ANSWER)

    async def delete_calls(self, numbers: tuple[int, ...]) -> None:
        self.past_list = [call for call in self.past_list if call.id not in numbers]
        self.bus.tell(CallsForgotten(numbers))

    async def clear_history(self) -> None:
        self.past_list = []
        self.bus.tell(CallsForgotten(()))

    async def saved_calls(self) -> SavedCalls:
        return SavedCalls(tuple(self.saved_list.values()), tuple(self.broken_list))

    async def save_call(self, call: SavedCall, instead_of: str) -> SavedCall:
        file = f"calls/{call.collection}/{call.name}.json"
        if file in self.saved_list and file != instead_of:
            raise WorkbenchError(f"The saved call {file} already exists.", "Choose a different name.")
        self.saved_list.pop(instead_of, None)
        self.saved_list[file] = replace(call, file=file)
        self.bus.tell(SavedCallsChanged(file))
        return self.saved_list[file]

    async def remove_saved(self, file: str) -> str:
        self._removed = self.saved_list.pop(file)
        self.bus.tell(SavedCallsChanged(file))
        return "text"

    async def restore_saved(self, file: str, text: str) -> None:
        assert text == "text"
        self.saved_list[file] = self._removed
        self.bus.tell(SavedCallsChanged(file))

    async def check_saved(self, file: str, confirmed: bool, attended: bool = False) -> CheckResult:
        call = self.saved_list[file]
        if call.tool == "send_email" and not confirmed:
            fault = Fault("demo.send_email can send data to somebody outside.")
            return CheckResult(file, "demo", call.tool, False, needs_confirmation=True, fault=fault)
        held = Mark(Expectation(Expect.OK), True, "The tool answered.")
        if call.kept is None:
            return CheckResult(file, "demo", call.tool, True, (held,), ANSWER)
        words = "The answer differs from the kept answer at total."
        differs = Mark(Expectation(Expect.KEPT), False, words, '{\n  "total": 4\n}', '{\n  "total": 3\n}')
        return CheckResult(file, "demo", call.tool, False, (held, differs), ANSWER)

    async def expect_this(self, call: SavedCall, outcome: Outcome, whole: bool) -> SavedCall:
        made = (Expectation(Expect.KEPT),) if whole else (Expectation(Expect.OK), Expectation(Expect.SCHEMA))
        return replace(call, expectations=made, kept={"total": 3} if whole else None)

    async def call_as_text(self, form: str, server: str, tool: str, arguments: Any) -> str:
        return f"{form} {server} {tool} {arguments}"
