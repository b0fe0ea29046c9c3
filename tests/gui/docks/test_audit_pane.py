from __future__ import annotations

from typing import Any

from workbench.gui.models.audit import PAGE
from workbench.records import ChainReport


def test_older_entries_are_fetched_when_the_end_is_reached(window: Any, qtbot: Any) -> None:
    model = window.audit.model
    assert model.rowCount() == PAGE
    window.docks["audit"].come()
    window.audit.table.scrollToBottom()
    qtbot.waitUntil(lambda: model.rowCount() == 2 * PAGE)


def test_live_entries_appear_on_top_and_the_chosen_one_stays_chosen(
    window: Any, paper: Any, make: Any, qtbot: Any
) -> None:
    window.docks["audit"].come()
    window.audit.table.selectRow(0)
    paper.put_entry(make.entry(501, summary="Something new"))
    qtbot.waitUntil(lambda: window.audit.model.rowCount() == PAGE + 1)
    assert window.audit.model.index(0, 3).data() == "Something new"
    assert window.audit.model.entry(window.audit.table.currentIndex()).seq == 500


def test_text_and_kind_filter_what_is_asked(window: Any, paper: Any, make: Any, qtbot: Any, settled: Any) -> None:
    paper.put_entry(make.entry(501, "run.refused", "Too risky"))
    window.audit.finder.setText("risky")
    qtbot.waitUntil(lambda: window.audit.model.rowCount() == 1)
    window.audit.kind.setCurrentIndex(window.audit.kind.findData("server."))
    settled()
    assert window.audit.model.rowCount() == 0
    assert paper.asked[-1][1][0].kind == "server."


def test_the_chain_is_verified_and_the_first_broken_entry_named(window: Any, paper: Any, settled: Any) -> None:
    window.commands.do("audit.verify")
    settled()
    assert "500 entries" in window.audit.chain.text()
    paper.chain = ChainReport(False, 500, "f" * 64, 321, "its hash does not fit")
    window.commands.do("audit.verify")
    settled()
    assert "Broken at entry 321" in window.audit.chain.text()


def test_the_chosen_entry_is_shown_in_full(window: Any, paper: Any, make: Any, qtbot: Any) -> None:
    from PySide6.QtWidgets import QPlainTextEdit

    window.docks["audit"].come()
    paper.put_entry(make.entry(501, detail={"who": "<b>x</b>\u202e"}))
    qtbot.waitUntil(lambda: window.audit.model.rowCount() == PAGE + 1)
    window.audit.table.selectRow(0)
    text = window.audit.card.findChild(QPlainTextEdit).toPlainText()
    assert "<b>x</b>‹U+202E›" in text


def test_in_a_narrow_place_what_happened_keeps_its_room(window: Any, qtbot: Any) -> None:
    window.docks["audit"].come()
    table = window.audit.table
    for width in (1900, 1100, 800):
        window.resize(width, 800)
        qtbot.waitUntil(lambda width=width: window.width() == width)
        qtbot.waitUntil(lambda: table.columnWidth(3) >= 20 * window.audit.fontMetrics().averageCharWidth())
    assert table.isColumnHidden(8)
    assert not table.isColumnHidden(3)
