"""The audit in the window: filtered with chips, with the timeline of a run, light and dark, large and narrow."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.gui.audit.filters import Filter
from workbench.gui.audit.timeline import TimelineDialog

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


def shoot(widget: Any, name: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


def fill(fake_core: Any, make: Any) -> None:
    about = {"run_id": "r1", "session": "agent-4f21", "actor": "claude-code", "risk": "medium"}
    steps = [
        ("run.proposed", "claude-code proposed a program", {}, 0.0),
        ("run.checked", "was assessed as medium: Reads orders and sends one e-mail.", {}, 0.1),
        ("run.waiting", "waits for approval", {}, 0.2),
        ("run.decided", "was allowed by you", {}, 4.0),
        ("run.running", "runs in the process sandbox", {}, 4.1),
        ("call.done", "demo.list_orders answered", {"tool": "list_orders", "ms": 220.0, "tokens": 1840}, 4.4),
        ("call.done", "demo.list_orders answered", {"tool": "list_orders", "ms": 180.0, "tokens": 1790}, 4.8),
        ("call.refused", "demo.delete_customer was refused", {"tool": "delete_customer", "ok": False}, 4.9),
        ("call.done", "demo.send_email answered", {"tool": "send_email", "ms": 900.0, "tokens": 60}, 6.0),
        ("run.done", "ended", {"tokens": 420, "ms": 1900.0}, 6.2),
    ]  # fmt: skip
    begun = time.time() - 300
    fake_core.entry_list = [
        replace(
            make.entry(
                number,
                kind,
                words,
                **{
                    **about,
                    "server": "demo" if "tool" in more else "",
                    **more,
                    "detail": {"code": "print(1)", "sha": "a" * 64},
                },
            ),
            at=begun + after,
        )
        for number, (kind, words, more, after) in enumerate(steps, 1)
    ]


@pytest.mark.parametrize(
    ("name", "colours", "width"), [("dark", "dark", 1500), ("light", "light", 1500), ("narrow", "dark", 900)]
)
def test_the_audit_with_chips_and_a_timeline(
    window: Any, fake_core: Any, make: Any, settled: Any, name: str, colours: str, width: int, qtbot: Any
) -> None:
    window.context.theme.choose(colours)
    fill(fake_core, make)
    window.resize(width, 950)
    window.audit.reload()
    settled()
    window.docks["audit"].come()
    window.audit.chips.saved = ("outcome:failed\tdemo",)
    window.audit.add_filter(Filter("actor", "claude-code"))
    window.audit.add_filter(Filter("since", "today"))
    settled()
    window.audit.table.selectRow(0)
    window.commands.do("audit.timeline")
    settled()
    dialog = next(iter(window.findChildren(TimelineDialog)))
    qtbot.waitUntil(lambda: dialog.timeline.tree.topLevelItemCount() == 6)
    dialog.timeline.tree.setCurrentItem(dialog.timeline.tree.topLevelItem(4).child(2))
    shoot(dialog, f"audit-timeline-{name}")
    shoot(window, f"audit-{name}")
