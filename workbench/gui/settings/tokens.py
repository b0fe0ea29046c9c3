"""What programs cost and saved a model: a figure large enough to quote, each conversation, and what pays here."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QRegularExpression, Qt, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from workbench import tokens
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import amount, cost
from workbench.gui.shell.context import Context
from workbench.records import Ledger, TokenReport

_ROWS = 200  # conversations shown; the sum has all
_WORTH = 5  # column


async def show_tokens(context: Context, parent: QWidget) -> None:
    report = await context.api.token_report()
    dialog = TokensDialog(context.theme, report, parent)
    keep = partial(context.api.change_setting, "tokens.cents_per_million")
    dialog.priced.connect(lambda cents: context.tasks.run("keep the price", keep(cents)))
    dialog.open()


class TokensDialog(QDialog):
    """The numbers are those of the moment it was opened; what they are worth follows the price at once."""

    priced = Signal(int)
    """Another price of a million tokens, in cents."""

    def __init__(self, theme: Theme, report: TokenReport, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Tokens and savings")
        self.setMinimumWidth(theme.unit * 190)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.unit * 6,) * 4)
        column.setSpacing(theme.unit * 3)
        self._report = report
        self._headline = label(self._title(report), "title")
        column.addWidget(self._headline)
        column.addWidget(_wrapped(self._sum(report)))
        self._table = self._make_table(theme, report) if report.sessions else None
        if self._table is not None:
            column.addWidget(self._table)
        column.addWidget(label("Programs or direct calls?", "heading"))
        column.addWidget(_wrapped(tokens.advice_sentence(report.advice)))
        column.addWidget(_wrapped(tokens.factor_sentence(report.factors, report.advice.counter), "muted"))
        column.addLayout(self._price_row(theme, report.cents_per_million))
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(
            False
        )  # Enter ends the price, not the dialog
        close.rejected.connect(self.reject)
        column.addWidget(close)

    def _price_row(self, theme: Theme, cents: int) -> QHBoxLayout:
        words = label("&Price of a million tokens in dollars", "muted")
        self.price = QLineEdit(f"{cents / 100:.2f}")
        self.price.setValidator(QRegularExpressionValidator(QRegularExpression(r"\d{1,4}([.,]\d{0,2})?"), self))
        self.price.setMaximumWidth(theme.unit * 28)
        self.price.setAccessibleName("Price of a million tokens in dollars")
        self.price.editingFinished.connect(self._reprice)
        words.setBuddy(self.price)
        row = QHBoxLayout()
        row.setSpacing(theme.unit * 2)
        row.addWidget(words)
        row.addWidget(self.price)
        row.addStretch(1)
        return row

    def _reprice(self) -> None:
        cents = round(float(self.price.text().replace(",", ".")) * 100)
        if cents == self._report.cents_per_million:
            return
        self._report = replace(self._report, cents_per_million=cents)
        self._headline.setText(self._title(self._report))
        for place, one in enumerate(self._report.sessions[:_ROWS] if self._table is not None else ()):
            assert self._table is not None
            self._table.setItem(place, _WORTH, _item(_cells(one.ledger, cents)[_WORTH - 1], number=True))
        self.priced.emit(cents)

    def _title(self, report: TokenReport) -> str:
        if not report.sessions:
            return "Nothing was spent yet"
        saved = tokens.saved(report.total)
        if less := tokens.lost(report.total):
            return f"Direct calls would have cost {cost(less, report.total.counter)} less"
        return f"{cost(saved, report.total.counter)} saved, worth {tokens.money(saved, report.cents_per_million)}"

    def _sum(self, report: TokenReport) -> str:
        if not report.sessions:
            return "As soon as an agent searches tools or runs a program, its costs are shown here."
        words = (
            "Direct tool calls would have put {} into the model's context, {} of them tool definitions; "
            "programs put {} there. {} of tool answers stayed in the sandbox."
        )
        total = report.total
        direct, actual = (cost(number, total.counter) for number in (total.direct, total.actual))
        return words.format(direct, amount(total.definitions), actual, tokens.size(total.kept_bytes))

    def _make_table(self, theme: Theme, report: TokenReport) -> QTableWidget:
        heads = ("Conversation", "Direct calls", "Definitions", "Programs", "Saved", "Worth", "Kept back")
        shown = report.sessions[:_ROWS]
        table = QTableWidget(len(shown), len(heads))
        table.setAccessibleName("Tokens of each conversation")
        table.setHorizontalHeaderLabels(list(heads))
        table.verticalHeader().hide()
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        for place, one in enumerate(shown):
            for at, text in enumerate((visible(one.author), *_cells(one.ledger, report.cents_per_million))):
                table.setItem(place, at, _item(text, number=at > 0))
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.setFixedHeight(table.horizontalHeader().height() + table.rowHeight(0) * min(8, len(shown)) + theme.unit)
        return table


def _cells(ledger: Ledger, cents: int) -> tuple[str, ...]:
    saved, less = tokens.saved(ledger), tokens.lost(ledger)
    return (
        f"{ledger.direct:,}",
        f"{ledger.definitions:,}",
        f"{ledger.actual:,}",
        f"−{less:,}" if less else f"{saved:,}",
        tokens.money(saved, cents),
        tokens.size(ledger.kept_bytes),
    )


def _item(text: str, *, number: bool) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
    item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    return item


def _wrapped(text: str, role: str = "") -> QWidget:
    found = label(text, role) if role else label(text)
    found.setWordWrap(True)
    return found
