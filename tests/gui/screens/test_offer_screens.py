"""Draws the pages about resources, prompts and the log, light, dark and narrow, for somebody to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtTest import QTest

from workbench.events import ResourcesUpdated
from workbench.records import ServerStatus

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


def shoot(widget: Any, name: str) -> None:
    QTest.qWait(200)
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


@pytest.mark.parametrize(
    ("colours", "width", "height"), [("light", 1440, 900), ("dark", 1440, 900), ("dark", 940, 680)]
)
def test_the_pages_can_be_looked_at(
    window: Any, fake_core: Any, qtbot: Any, settled: Any, colours: str, width: int, height: int
) -> None:
    name = colours if width > 1000 else "narrow"
    window.context.theme.choose(colours)
    window.resize(width, height)
    fake_core.put(replace(fake_core.server_states["demo"], status=ServerStatus.READY, resource_count=4, prompt_count=2))
    fake_core.put_offers(subscriptions=("demo://orders",))
    window.servers.show_tool("demo")
    centre = window.centre.server
    window.centre.setCurrentWidget(centre)
    centre.show_server("demo", "resources", "demo://about")
    qtbot.waitUntil(lambda: centre.sheet() is not None and centre.sheet().page().detail.result.isVisible())
    page = centre.sheet().page()
    fake_core.bus.tell(ResourcesUpdated("demo", ("demo://about", "demo://orders")))
    qtbot.waitUntil(lambda: page.detail.notice.sentence() != "")
    shoot(window, f"resources-{name}")
    page.show_item("demo://customers/{id}{?part}")
    page.detail.arguments.fill({"id": "CUS-0042"})
    page.detail.request()
    qtbot.waitUntil(lambda: page.detail.fault.sentence() != "")
    shoot(window, f"template-{name}")
    centre.show_server("demo", "prompts", "answer")
    qtbot.waitUntil(lambda: centre.sheet().page().server == "demo" and hasattr(centre.sheet().page().detail, "prompt"))
    page = centre.sheet().page()
    qtbot.waitUntil(lambda: page.detail.prompt is not None)
    page.detail.arguments.fill({"ticket": "TIC-0007"})
    page.detail.request()
    qtbot.waitUntil(page.detail.copy_json.isEnabled)
    shoot(window, f"prompts-{name}")
    fake_core.put_lines(
        *((level, f"{level}: list_orders answered") for level in ("debug", "info", "notice", "warning", "error")),
        ("critical", '{"tool": "list_orders", "arguments": {"limit": 20}}'),
    )
    centre.show_server("demo", "log")
    qtbot.waitUntil(lambda: hasattr(centre.sheet().page(), "level"))
    page = centre.sheet().page()
    qtbot.waitUntil(lambda: page.model.rowCount() == 6)
    page.list.view.setCurrentIndex(page.model.index(5))
    shoot(window, f"log-{name}")
    settled()
