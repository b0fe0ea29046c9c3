"""Writes the screens of what servers ask into ./screenshots."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from tests.gui.runs.test_elicitation_page import ASKED, FORM, LOOK, make_ask
from tests.gui.screens.test_screens import shoot
from workbench.gui.runs.elicitation_page import ElicitationPage
from workbench.gui.servers.roots import RootsPage
from workbench.records import ServerConfig, ServerState

LONG = {**ASKED, "temperature": 0.4, "tools": [LOOK], "modelPreferences": {"hints": [{"name": "small"}]}}
ASKS = {
    "form": make_ask(message="We have a table left by the window. Who comes, and what shall it be?"),
    "secret": make_ask(
        schema=json.dumps({**FORM, "properties": {"api_key": {"type": "string"}}, "required": ["api_key"]})
    ),
    "page": make_ask("url"),
    "trap": make_ask(
        "url", url="https://github.com@xn--pple-43d.com/login?next=/a/very/long/way", host="xn--pple-43d.com",
        host_shown="аpple.com",
        warnings=(
            "The part before the @ (github.com) is not the target: the link leads to xn--pple-43d.com.",
            "“аpple” mixes letters of different scripts, a sign of an imitated name.",
        ),
    ),
    "model": make_ask("sampling", request=json.dumps(LONG)),
}  # fmt: skip


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("name", list(ASKS))
def test_questions_can_be_looked_at(context: Any, qtbot: Any, colours: str, name: str) -> None:
    context.theme.choose(colours)
    dialog = ElicitationPage(context, ASKS[name])
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.show()
    shoot(dialog, f"ask-{name}-{colours}")
    dialog.resize(dialog.minimumSize())
    shoot(dialog, f"ask-{name}-{colours}-narrow")
    dialog.done(0)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_strip_can_be_looked_at(window: Any, fake_core: Any, settled: Any, qtbot: Any, colours: str) -> None:
    window.context.theme.choose(colours)
    window.resize(1280, 800)
    fake_core.put_ask(make_ask(by="claude-code", run_id="run-1"))
    fake_core.put_ask(replace(make_ask("url"), id="a2", by="claude-code"))
    qtbot.waitUntil(lambda: window.strip.isVisible())
    settled()
    shoot(window, f"ask-strip-{colours}")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_folders_of_a_server_can_be_looked_at(context: Any, qtbot: Any, colours: str) -> None:
    context.theme.choose(colours)
    state = ServerState(ServerConfig("files", "npx", roots=("workspace", "/srv/data")))
    page = RootsPage(context, state)
    qtbot.addWidget(page)
    page.resize(640, 420)
    page.show()
    shoot(page, f"server-roots-{colours}")
