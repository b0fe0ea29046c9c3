"""Writes every screen, light and dark, into ./screenshots, so that a person can look at them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtTest import QTest

from workbench.records import Fault, Risk, RunState

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


def shoot(widget: Any, name: str) -> None:
    """A picture that is not empty, taken when the held calls that collect changes are over."""
    QTest.qWait(350)
    picture = widget.grab()
    FOLDER.mkdir(exist_ok=True)
    assert picture.save(str(FOLDER / f"{name}.png"))
    image = picture.toImage()
    seen = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert len(seen) > 20, f"{name} shows next to nothing"


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_window_can_be_looked_at(window: Any, fake_core: Any, make: Any, settled: Any, colours: str) -> None:
    window.context.theme.choose(colours)
    window.resize(1440, 900)
    settled()
    shoot(window, f"welcome-{colours}")
    window.commands.do("demo.connect")
    settled()
    fake_core.put_run(make.run("w1"))
    fake_core.put_run(make.run("w2", risk=Risk.MEDIUM, sentence="Writes output/report.csv.", deadline=time.time() + 25))
    fake_core.put_run(make.run("r1", RunState.RUNNING, risk=Risk.LOW, sentence="Reads 20 orders.", at=time.time() - 60))
    for number, state in enumerate((RunState.DONE, RunState.FAILED, RunState.REFUSED, RunState.INTERRUPTED)):
        fault = Fault("The server did not answer in 30 s.") if state is RunState.FAILED else None
        fake_core.put_run(
            make.run(
                f"e{number}",
                state,
                sentence="Counts the orders of June.",
                at=time.time() - 900 * (number + 1),
                fault=fault,
            )
        )
    for seq, kind in enumerate(("run.proposed", "run.checked", "call.done", "run.refused"), 501):
        fake_core.put_entry(
            make.entry(
                seq,
                kind,
                "claude-code proposed a program",
                actor="claude-code",
                server="demo",
                tool="list_orders",
                risk="high",
                ms=12.0,
                tokens=420,
                detail={"lines": 12, "sha": "abc"},
            )
        )
    settled()
    window.docks["audit"].come()
    window.audit.table.selectRow(1)
    window.commands.do("audit.verify")
    settled()
    shoot(window, f"busy-{colours}")
    window.docks["skills"].come()
    window.skills.list.setCurrentIndex(window.skills.model.index(1))
    window.servers.show_tool("demo", "list_orders")
    settled()
    shoot(window, f"skills-{colours}")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_faults_can_be_looked_at(window: Any, fake_core: Any, settled: Any, colours: str) -> None:
    window.context.theme.choose(colours)
    window.resize(1440, 900)
    fake_core.connect_fault = Fault(
        "The server “files” could not be started: npx was not found.",
        "Install Node.js, or correct the command.",
        "sh: npx: not found",
    )
    state = fake_core.server_states["files"]
    fake_core.put(replace(state, allowed=True))
    settled()
    window.servers.show_tool("files")
    window.commands.do("server.connect")
    settled()
    shoot(window, f"fault-{colours}")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_dialogs_can_be_looked_at(window: Any, qtbot: Any, settled: Any, colours: str) -> None:
    from PySide6.QtWidgets import QDialog

    window.context.theme.choose(colours)
    window.resize(1440, 900)
    window.servers.show_tool("files")
    for action, name in (
        ("palette.open", "palette"),
        ("help.open", "help"),
        ("agent.connect", "agent"),
        ("core.sandbox", "strength"),
        ("server.add", "add-server"),
        ("secrets.open", "secrets"),
        ("server.connect", "consent"),
    ):
        window.commands.do(action)
        qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in window.findChildren(QDialog)))
        qtbot.wait(100)
        dialog = next(dialog for dialog in window.findChildren(QDialog) if dialog.isVisible())
        shoot(dialog, f"{name}-{colours}")
        dialog.reject()
        qtbot.wait(30)
    settled()


def test_a_narrow_window_can_be_looked_at(window: Any, settled: Any) -> None:
    window.context.theme.choose("dark")
    window.resize(900, 640)
    settled()
    shoot(window, "narrow-dark")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_server_sheet_can_be_looked_at(window: Any, settled: Any, colours: str) -> None:
    window.context.theme.choose(colours)
    window.resize(1440, 900)
    window.commands.do("demo.connect")
    settled()
    window.commands.do("server.open")
    settled()
    shoot(window, f"server-{colours}")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_doctor_can_be_looked_at(window: Any, settled: Any, colours: str) -> None:
    window.context.theme.choose(colours)
    window.resize(1440, 900)
    window.servers.show_tool("files")
    window.commands.do("server.doctor")
    settled()
    window.centre.server.sheet().page().check()
    settled()
    shoot(window, f"doctor-{colours}")
