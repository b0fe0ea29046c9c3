"""The tokens dialog: figures to quote, one row a conversation, and advice that fits the catalogue."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QTableWidget

from workbench.gui.settings.tokens import TokensDialog
from workbench.records import Ledger, ModeAdvice, Origin, SessionTokens, TokenReport


def words(dialog):
    return "\n".join(one.text() for one in dialog.findChildren(QLabel))


def test_the_dialog_tells_the_sum_each_conversation_and_the_advice(context, complete, paper, qtbot):
    dialog = TokensDialog(context.theme, complete(paper.token_report()))
    qtbot.addWidget(dialog)
    assert "≈ 41.8k tokens saved, worth $0.13" in words(dialog)
    assert "1.9 MB of tool answers stayed" in words(dialog)
    assert "Programs cost less for up to 33 searches" in words(dialog)
    table = dialog.findChild(QTableWidget)
    assert [table.item(row, 0).text() for row in range(table.rowCount())] == ["claude-code", "you"]
    assert table.item(0, 4).text() == "41,200"


def test_another_price_changes_what_it_is_worth_and_is_kept(window, paper, qtbot, settled):
    window.commands.do("core.tokens")
    qtbot.waitUntil(lambda: window.findChild(TokensDialog) is not None)
    dialog = window.findChild(TokensDialog)
    dialog.price.setText("15")
    qtbot.keyClick(dialog.price, Qt.Key.Key_Return)
    settled()
    assert "worth $0.63" in words(dialog)
    assert dialog.findChild(QTableWidget).item(0, 5).text() == "$0.62"
    assert paper.current_settings.tokens_cents_per_million == 1_500
    assert dialog.isVisible()
    dialog.reject()


def test_where_programs_did_not_pay_it_says_so(context, qtbot):
    one = SessionTokens("a", "some agent", Origin.AGENT, Ledger(100, 400, 10))
    dialog = TokensDialog(
        context.theme, TokenReport(one.ledger, (one,), ModeAdvice("direct", 3, 300, 900, 200, 0), 300)
    )
    qtbot.addWidget(dialog)
    assert "Direct calls would have cost ≈ 300 tokens less" in words(dialog)
    assert dialog.findChild(QTableWidget).item(0, 4).text() == "−300"


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
