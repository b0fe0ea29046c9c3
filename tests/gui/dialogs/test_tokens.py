"""The tokens dialog: figures to quote, one row a conversation, and advice that fits the catalogue."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QTableWidget

from workbench.gui.dialogs.tokens import TokensDialog
from workbench.records import ModeAdvice, TokenReport


def words(dialog):
    return "\n".join(one.text() for one in dialog.findChildren(QLabel))


def test_the_dialog_tells_the_sum_each_conversation_and_the_advice(context, complete, paper, qtbot):
    dialog = TokensDialog(context.theme, complete(paper.token_report()))
    qtbot.addWidget(dialog)
    assert "≈ 41.8k tokens saved, worth $0.13" in words(dialog)
    assert "1.9 MB of tool answers stayed" in words(dialog)
    assert "Programs pay, for up to 33 searches" in words(dialog)
    table = dialog.findChild(QTableWidget)
    assert [table.item(row, 0).text() for row in range(table.rowCount())] == ["claude-code", "you"]
    assert table.item(0, 3).text() == "41,200"


def test_before_anything_was_spent_it_says_what_will_be_here(context, qtbot):
    dialog = TokensDialog(context.theme, TokenReport(advice=ModeAdvice("direct", 3, 300, 900, 200, 0)))
    qtbot.addWidget(dialog)
    assert "Nothing was spent yet" in words(dialog)
    assert "direct calls cost less" in words(dialog)
    assert dialog.findChild(QTableWidget) is None


def test_the_status_bar_leads_here(window, qtbot):
    window.status.tokens.click()
    qtbot.waitUntil(lambda: window.findChild(TokensDialog) is not None)
    window.findChild(TokensDialog).reject()
