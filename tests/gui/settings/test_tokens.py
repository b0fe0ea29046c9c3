"""The dialog Tokens and savings: figures, one row for each conversation, and advice that fits the servers."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QMenu

from workbench.gui.kit.table import Table
from workbench.gui.settings.tokens import TokensDialog
from workbench.records import CoreStatus, Ledger, ModeAdvice, Origin, SessionTokens, TokenReport

ADVICE = ModeAdvice("direct", 3, 300, 900, 200, 0)


def texts(dialog: Any) -> str:
    return "\n".join(found.text() for found in dialog.findChildren(QLabel))


def cell(dialog: TokensDialog, row: int, title: str) -> str:
    model = dialog.findChild(Table).model()
    titles = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]
    return str(model.index(row, titles.index(title)).data())


def test_the_dialog_shows_the_total_each_conversation_and_the_advice(
    context: Any, complete: Any, fake_core: Any, qtbot: Any
) -> None:
    dialog = TokensDialog(context, complete(fake_core.token_report()))
    qtbot.addWidget(dialog)
    assert "≈ 41.8k tokens saved, worth $0.13" in texts(dialog)
    assert "1.9 MB of tool answers stayed" in texts(dialog)
    assert "Programs cost less for up to 33 searches" in texts(dialog)
    assert [cell(dialog, row, "Conversation") for row in (0, 1)] == ["claude-code", "you"]
    assert cell(dialog, 0, "Saved") == "41,200"


def test_conversations_are_sorted_by_a_click_on_a_heading(
    context: Any, complete: Any, fake_core: Any, qtbot: Any
) -> None:
    dialog = TokensDialog(context, complete(fake_core.token_report()))
    qtbot.addWidget(dialog)
    dialog.open()
    header = dialog.table.horizontalHeader()
    place = header.sectionViewportPosition(4) + 10
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place, 5))
    assert [cell(dialog, row, "Saved") for row in (0, 1)] == ["600", "41,200"]


def test_the_figures_of_a_session_are_copied_from_its_menu(window: Any, qtbot: Any, settled: Any) -> None:
    window.commands.do("core.tokens")
    qtbot.waitUntil(lambda: window.findChild(TokensDialog) is not None)
    dialog = window.findChild(TokensDialog)
    table = dialog.table
    table.selectRow(0)
    table.customContextMenuRequested.emit(table.visualRect(table.model().index(0, 0)).center())
    menu = next(menu for menu in dialog.findChildren(QMenu) if menu.isVisible())
    menu.actions()[0].trigger()
    menu.close()
    assert QGuiApplication.clipboard().text().startswith("claude-code: ")
    assert window.status.message() == "Copied the figures."
    dialog.reject()


def test_a_new_price_changes_what_it_is_worth_and_is_stored(
    window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    window.commands.do("core.tokens")
    qtbot.waitUntil(lambda: window.findChild(TokensDialog) is not None)
    dialog = window.findChild(TokensDialog)
    dialog.price.setText("15")
    qtbot.keyClick(dialog.price, Qt.Key.Key_Return)
    settled()
    assert "worth $0.63" in texts(dialog)
    assert cell(dialog, 0, "Worth") == "$0.62"
    assert fake_core.current_settings.tokens_cents_per_million == 1_500
    assert dialog.isVisible()
    dialog.reject()


def test_where_programs_saved_nothing_it_says_so_calmly(context: Any, qtbot: Any) -> None:
    row = SessionTokens("a", "some agent", Origin.AGENT, Ledger(100, 400, 10))
    dialog = TokensDialog(context, TokenReport(row.ledger, (row,), ADVICE, 300))
    qtbot.addWidget(dialog)
    assert "No tokens saved yet" in texts(dialog)
    assert "Programs and searches put ≈ 400 tokens into the model's context." in texts(dialog)
    assert cell(dialog, 0, "Saved") == "−300"


def test_before_anything_was_used_it_says_what_will_be_shown(context: Any, qtbot: Any) -> None:
    dialog = TokensDialog(context, TokenReport(advice=ADVICE))
    qtbot.addWidget(dialog)
    assert "No tokens saved yet" in texts(dialog)
    assert "direct calls cost less" in texts(dialog)
    assert dialog.table is None


def test_the_status_bar_leads_here_and_never_alarms(window: Any, qtbot: Any) -> None:
    assert window.status.tokens.text().strip() == "≈ 41.8k tokens saved since start"
    status = window.context.store.status
    assert isinstance(status, CoreStatus)
    window.context.store.status = replace(status, ledger=Ledger(9, 200))
    window.context.store.status_changed.emit()
    assert window.status.tokens.text().strip() == "No tokens saved yet"
    assert "used 200 tokens" in window.status.tokens.toolTip()
    window.status.tokens.click()
    qtbot.waitUntil(lambda: window.findChild(TokensDialog) is not None)
    window.findChild(TokensDialog).reject()
