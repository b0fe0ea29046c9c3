"""The table of what a run did: what was unforeseen comes out at a glance, and in words for who cannot see it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from tests.gui.screens.test_many_screens import shoot
from workbench.gui.runs.output import OutputPane
from workbench.records import Observation, RunState

OBSERVED = (
    Observation("written", "workspace/secret.txt", predicted=False, times=1),
    Observation("tool", "demo.delete_customer", predicted=False, refused=3),
    Observation("tool", "demo.list_orders", predicted=True, times=12, line=3),
    Observation("host", "api.example.org:443", predicted=True, line=7),
    Observation("written", "workspace/report.csv", predicted=None, times=1),
)


@pytest.fixture
def pane(context: Any, fake_core: Any, make: Any, qtbot: Any) -> OutputPane:
    made = OutputPane(context)
    qtbot.addWidget(made)
    made.resize(980, 420)
    made.show()
    reads = ("private", "sends", "untrusted")
    run = make.run("r", RunState.DONE, started=1.0, ended=2.0, observed=OBSERVED, read=reads)
    fake_core.run_list["r"] = run
    made.show_run("r")
    qtbot.waitUntil(lambda: made.effects.model.rowCount() > 0)
    return made


def test_each_effect_says_whether_it_was_foretold_and_whether_it_happened(pane: OutputPane) -> None:
    model = pane.effects.model
    rows = [tuple(model.index(row, column).data() for column in range(3)) for row in range(model.rowCount())]
    assert rows[0] == ("Writes workspace/secret.txt", "no", "once")
    assert rows[1] == ("Calls demo.delete_customer", "no", "refused 3 times")
    assert rows[2] == ("Calls demo.list_orders", "line 3", "12 times")
    assert rows[3] == ("Contacts api.example.org:443", "line 7", "no")
    assert rows[4][1] == "unknown"
    spoken = model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Unexpected: Writes workspace/secret.txt"


def test_the_run_says_at_once_that_something_was_unforeseen_and_that_a_trifecta_is_there(
    pane: OutputPane, make: Any, fake_core: Any, qtbot: Any
) -> None:
    assert pane.tabs.tabText(2) == "Effects · 2 unexpected"
    assert pane.head.trifecta.isVisible()
    pane.tabs.setCurrentIndex(2)
    shoot(pane, "run-effects")
    fake_core.run_list["s"] = make.run("s", RunState.DONE, started=1.0, ended=2.0)
    pane.show_run("s")
    qtbot.waitUntil(lambda: pane.tabs.tabText(2) == "Effects")
    qtbot.waitUntil(lambda: "No effects" in pane.effects.summary.full_text())
    assert not pane.head.trifecta.isVisible()
