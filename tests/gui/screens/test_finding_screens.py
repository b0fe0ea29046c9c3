"""Writes the screens of the search box and of what is used with a tool into ./screenshots, for a person to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtTest import QTest

from workbench.gui.shell.navigation import Search
from workbench.gui.shell.palette import Palette
from workbench.records import Companion, Find, FindKind, Finds, FoundIn, Hints, Reason, ServerStatus

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"
FINDS = (
    Find(FindKind.TOOL, "crm", "list_customers", "List customers", "List customers with their contact data, a page at "
         "a time.", (Reason(FoundIn.NAME, "customers"),), 140, hints=Hints(read_only=True)),
    Find(FindKind.RESOURCE, "files", "file:///crm/customers.csv", "Customers", "Everyone who buys.",
         (Reason(FoundIn.NAME, "customers"),), 14, 48_213, "text/csv", status=ServerStatus.STOPPED),
    Find(FindKind.TOOL, "billing", "delete_account", "Delete", "Delete an account for good.",
         (Reason(FoundIn.SYNONYM, "customers"),), 80, hints=Hints(destructive=True), status=ServerStatus.STOPPED,
         allowed=False),
    Find(FindKind.PROMPT, "crm", "answer", "Answer a ticket", "Draft a reply to a customer.",
         (Reason(FoundIn.MEANING),), 31),
    Find(FindKind.SKILL, "", "late-orders", "late-orders", "Customers whose orders are late.",
         (Reason(FoundIn.DESCRIPTION, "customers"),), 44),
)  # fmt: skip


def shoot(widget: Any, name: str) -> None:
    QTest.qWait(350)
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


@pytest.mark.parametrize(("colours", "size"), [("light", (1440, 900)), ("dark", (900, 640))])
def test_finding_anything_can_be_looked_at(
    window: Any, fake_core: Any, settled: Any, colours: str, size: tuple[int, int]
) -> None:
    async def find(words: str, kinds: Any, limit: int) -> Finds:
        return Finds(FINDS if "customers" in words else (), 5 if "customers" in words else 0, {"tool": known})

    known, fake_core.find = 2_470, find
    window.context.theme.choose(colours)
    window.resize(*size)
    for words, name in (("who are my customers", "some"), ("xyzzyx", "none"), ("", "empty"), ("customers", "start")):
        if name == "start":
            known, fake_core.find = 0, type(fake_core).find.__get__(fake_core)
            fake_core.tool_list, fake_core.resource_list = [], []
        window.context.go(Search("palette", words))
        settled()
        palette = next(one for one in window.findChildren(Palette) if one.isVisible())
        shoot(palette, f"find-{name}-{colours}")
        palette.reject()
        settled()
    window.servers.finder.setText("clients")
    settled()
    shoot(window, f"find-filter-{colours}")


@pytest.mark.parametrize(("colours", "size"), [("light", (1440, 900)), ("dark", (900, 640))])
def test_companions_can_be_looked_at(
    window: Any, fake_core: Any, settled: Any, colours: str, size: tuple[int, int]
) -> None:
    fake_core.companion_list = (Companion("demo", "send_email", 4), Companion("mail", "post_message_to_everybody", 2))
    demo = fake_core.server_states["demo"]
    fake_core.server_states["demo"] = replace(demo, config=replace(demo.config, category="Sales"))
    window.context.theme.choose(colours)
    window.resize(*size)
    window.servers.open_tool(window.servers.model.find("demo", "list_orders"))
    settled()
    shoot(window, f"companions-{colours}")
