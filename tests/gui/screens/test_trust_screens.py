"""Draws where a person says whom they trust: a tool's page and a server's page, light, dark and narrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.gui.servers.trust_page import TrustPage
from workbench.gui.tools.tool_page import ToolPage
from workbench.permissions.tool_annotations import effective_tool
from workbench.records import (
    CallDecision,
    Hints,
    Permission,
    Predicate,
    ServerConfig,
    ServerState,
    Tool,
    ToolView,
    Trust,
    UserAnnotations,
)

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"
SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}, "body": {"type": "string"}}}
SEND = Tool("files", "send_email", "", "Sends.", SCHEMA, None, Hints(read_only=True, open_world=True), {}, "e" * 64)
SAID = Trust(annotations={"files": {"send_email": UserAnnotations(sends=True, key="e" * 64)}})


def _save(widget: Any, name: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_trust_of_a_tool_and_of_a_server(context: Any, fake_core: Any, qtbot: Any, colours: str) -> None:
    context.theme.choose(colours)
    tool = effective_tool(SEND, SAID)
    rule = Permission("", "arguments", CallDecision.ALLOW, "files", "send_email", (Predicate("to", "*@acme.com"),))
    used = fake_core.rooms_rules.set_rule(rule, tool)
    fake_core.rooms_rules.note_use(used)
    fake_core.rooms_rules.set_rule(replace(rule, kind="server", tool="", where=(), word=CallDecision.DENY), None)
    sheet = ToolPage(context, ToolView(tool))
    page = TrustPage(context, ServerState(ServerConfig("files", "npx")))
    for widget, name, width in ((sheet, "trust-tool", 900), (page, "trust-server", 900), (sheet, "trust-narrow", 560)):
        qtbot.addWidget(widget)
        widget.resize(width, 640)
        widget.show()
        sheet.show_trust()
        context.store.load()
        qtbot.waitUntil(lambda: sheet.trust.rules.list.count() == 2 and page.rules.list.count() == 2)
        _save(widget, f"{name}-{colours}")
