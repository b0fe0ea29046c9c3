"""Draws the pages about personal data and the chips of tokens: light and dark, narrow, and twice as large."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.gui.privacy.privacy_pane import PrivacyPane
from workbench.gui.privacy.trial_page import EXAMPLE
from workbench.gui.results.result_view import ResultView
from workbench.records import PrivacyMark

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


def _save(widget: Any, name: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_pages_about_personal_data(context: Any, fake_core: Any, qtbot: Any, complete: Any, colours: str) -> None:
    context.theme.choose(colours)
    pane = PrivacyPane(context)
    qtbot.addWidget(pane)
    pane.resize(880, 520)
    pane.show()
    pane.look("hidden")
    qtbot.waitUntil(lambda: pane.masked.report is not None)
    _save(pane, f"privacy-empty-{colours}")
    fake_core.fill_privacy()
    complete(fake_core.mark_privacy(PrivacyMark(True, "value", "Project Falcon", "CUSTOM")))
    complete(fake_core.mark_privacy(PrivacyMark(True, "key", "badge_no", "USERNAME")))
    complete(fake_core.mark_privacy(PrivacyMark(False, "value", "support@example.org")))
    pane.reload()
    qtbot.waitUntil(lambda: pane.masked.rows.model.rowCount() > 3)
    pane.masked.rows.view.setCurrentIndex(pane.masked.rows.model.index(1, 0))
    qtbot.wait(1)
    _save(pane, f"privacy-hidden-{colours}")
    pane.masked.card.reveal_now()
    qtbot.waitUntil(lambda: bool(fake_core.asked and fake_core.asked[-1][0] == "reveal"))
    pane.look("try")
    pane.trial.edit.setPlainText(EXAMPLE)
    qtbot.waitUntil(lambda: pane.trial.rows.model.rowCount() > 3)
    _save(pane, f"privacy-try-{colours}")
    pane.look("marks")
    qtbot.waitUntil(lambda: pane.marks.rows.model.rowCount() > 3)
    pane.marks.rows.view.setCurrentIndex(pane.marks.rows.model.index(1))
    _save(pane, f"privacy-marks-{colours}")
    pane.look("kinds")
    _save(pane, f"privacy-kinds-{colours}")
    context.theme.choose(colours, 20)
    pane.resize(1500, 900)
    for page in ("hidden", "kinds"):
        pane.look(page)
        qtbot.wait(1)
        _save(pane, f"privacy-{page}-twice-{colours}")
    context.theme.choose(colours, 10)
    pane.resize(430, 520)
    for page in ("hidden", "try", "marks", "kinds"):
        pane.look(page)
        qtbot.wait(1)
        _save(pane, f"privacy-{page}-narrow-{colours}")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_result_as_a_model_sees_it(context: Any, fake_core: Any, qtbot: Any, colours: str) -> None:
    context.theme.choose(colours)
    view = ResultView(context)
    qtbot.addWidget(view)
    view.resize(640, 360)
    view.show()
    view.show_json(EXAMPLE)
    view.show_masked(True)
    qtbot.waitUntil(lambda: "EMAIL" in view.page().masked_text())
    _save(view, f"result-model-{colours}")
    view.page().text.edit.setFocus()
    assert view.page().chips.reveal_next()
    card = view.page().chips.card
    qtbot.waitUntil(card.isVisible)
    _save(view, f"reveal-{colours}")
    card.close()
