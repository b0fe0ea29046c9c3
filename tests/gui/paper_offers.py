"""Fake core: resources, prompts and the log of a server."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import Bus, OffersChanged, ServerLogged
from workbench.records import (
    Completion,
    Content,
    Fault,
    LogLine,
    Offers,
    Outcome,
    Prompt,
    PromptAnswer,
    PromptArgument,
    PromptMessage,
    Resource,
    ResourceTemplate,
    ServerLog,
)

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TEMPLATE = ResourceTemplate(
    "demo", "demo://customers/{id}{?part}", "customer", "A customer", "One of them.", "", ("id", "part")
)
MARKDOWN = "# The company\n\nIt sells **six** products.\n"


class PaperOffers:
    """Answers of the pages Resources, Prompts and Log, which tests change."""

    bus: Bus

    def __init__(self) -> None:
        self.resource_list = [
            Resource("demo", "demo://about", "about", "About the company", "What it sells.", "text/markdown", 1240),
            Resource("demo", "demo://orders", "orders", "Orders", "", "application/json"),
            Resource("demo", "demo://chart", "chart.png", "Orders a month", "", "image/png", 20480),
        ]
        self.offered = Offers(
            "demo",
            True,
            (TEMPLATE,),
            (
                Prompt("demo", "answer", "Answer a ticket", "Draft a reply.", (
                    PromptArgument("ticket", "", "Such as TIC-0007", True),
                    PromptArgument("tone", "", "How it should sound"),
                )),
                Prompt("demo", "hello", "", "Say hello."),
            ),
            3,
            subscribable=True,
            completes=True,
            logs=True,
        )  # fmt: skip
        self.contents: dict[str, Content] = {
            "demo://about": Content("text", MARKDOWN, "text/markdown", uri="demo://about"),
            "demo://orders": Content("text", '[{"id": 1, "state": "paid"}]', "application/json", uri="demo://orders"),
            "demo://chart": Content("image", "", "image/png", PICTURE, "demo://chart"),
        }
        self.log_lines: list[LogLine] = []
        self.offers_asked: list[tuple[Any, ...]] = []
        self.offer_fault: WorkbenchError | None = None
        self.completing = asyncio.Event()  # proposals wait for it when it is not set
        self.completing.set()

    async def offers(self, server: str) -> Offers:
        if server != "demo":
            return Offers(server)
        return replace(self.offered, resource_count=len(self.resource_list))

    async def resources(self, server: str, start: int) -> tuple[Resource, ...]:
        return tuple(self.resource_list[start : start + 1_000]) if server == "demo" else ()

    async def read_resource(self, server: str, uri: str) -> Outcome:
        self.offers_asked.append(("read", uri))
        if uri not in self.contents:
            return Outcome("r", False, fault=Fault(f"{server} refused to read {uri}.", "Look at its list again."))
        content = self.contents[uri]
        return Outcome("r", True, (content,), ms=3, bytes=len(content.text or content.data), tokens=12)

    async def subscribe_resource(self, server: str, uri: str, on: bool) -> None:
        self.offers_asked.append(("subscribe", uri, on))
        if self.offer_fault:
            raise self.offer_fault
        kept = [one for one in self.offered.subscriptions if one != uri]
        self.put_offers(subscriptions=(*kept, uri) if on else tuple(kept))

    async def get_prompt(self, server: str, name: str, arguments: Any) -> PromptAnswer:
        self.offers_asked.append(("prompt", name, dict(arguments)))
        if name == "answer" and arguments["ticket"] == "none":
            return PromptAnswer(name, fault=Fault("There is no ticket none.", "Its arguments: ticket, tone?."))
        messages = (
            PromptMessage("user", Content("text", f"Reply to {arguments.get('ticket', 'everybody')}.")),
            PromptMessage("user", Content("resource", '[{"id": 1}]', "application/json", uri="demo://orders")),
            PromptMessage("assistant", Content("image", "", "image/png", PICTURE)),
        )
        return PromptAnswer(name, "", messages, None, '{"messages": []}', 5, 120, 40)

    async def complete(self, server: str, kind: str, name: str, argument: str, value: str, context: Any) -> Completion:
        self.offers_asked.append(("complete", kind, name, argument, value, dict(context)))
        await self.completing.wait()
        known = ("TIC-0001", "TIC-0002", "friendly", "formal")
        return Completion(tuple(one for one in known if value and one.startswith(value)))

    async def set_log_level(self, server: str, level: str) -> None:
        self.offers_asked.append(("level", level))
        if self.offer_fault:
            raise self.offer_fault
        self.put_offers(log_level=level)

    async def server_log(self, server: str, after: int) -> ServerLog:
        return ServerLog(tuple(line for line in self.log_lines if line.number > after)[-2_000:])

    def put_offers(self, **changes: Any) -> None:
        self.offered = replace(self.offered, **changes)
        self.bus.tell(OffersChanged("demo"))

    def put_lines(self, *lines: tuple[str, str]) -> None:
        for level, text in lines:
            number = len(self.log_lines) + 1
            self.log_lines.append(LogLine(number, 1_795_000_000.0 + number, level, "demo.tools", text))
        self.bus.tell(ServerLogged("demo", len(self.log_lines)))
