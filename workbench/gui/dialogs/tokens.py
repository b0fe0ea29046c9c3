"""What programs cost and saved a model: a figure large enough to quote, each conversation, and what pays here."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from workbench import tokens
from workbench.gui.context import Context
from workbench.gui.counted import cost
from workbench.gui.text import visible
from workbench.gui.theme import Theme
from workbench.gui.views import label
from workbench.records import Ledger, TokenReport

_ROWS = 200  # conversations shown; the sum has all


async def show_tokens(context: Context, parent: QWidget) -> None:
    report = await context.questions.token_report()
    TokensDialog(context.theme, report, parent).open()


class TokensDialog(QDialog):
    """Read only; the numbers are those of the moment it was opened."""

    def __init__(self, theme: Theme, report: TokenReport, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Tokens and savings"))
        self.setMinimumWidth(theme.unit * 150)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.unit * 6,) * 4)
        column.setSpacing(theme.unit * 3)
        column.addWidget(label(self._title(report), "title"))
        column.addWidget(_wrapped(self._sum(report)))
        if report.sessions:
            column.addWidget(self._table(theme, report))
        column.addWidget(label(self.tr("Programs or direct calls?"), "heading"))
        column.addWidget(_wrapped(tokens.advice_sentence(report.advice)))
        price = self.tr("{} A million tokens are taken to cost {}; the setting tokens.cents_per_million changes that.")
        others = tokens.factor_sentence(report.factors, report.advice.counter)
        worth = tokens.money(1_000_000, report.cents_per_million)
        column.addWidget(_wrapped(price.format(others, worth), "muted"))
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        column.addWidget(close)

    def _title(self, report: TokenReport) -> str:
        if not report.sessions:
            return self.tr("Nothing was spent yet")
        saved = tokens.saved(report.total)
        return self.tr("{} saved, worth {}").format(
            cost(saved, report.total.counter), tokens.money(saved, report.cents_per_million)
        )

    def _sum(self, report: TokenReport) -> str:
        if not report.sessions:
            return self.tr("As soon as an agent searches tools or runs a program, its costs are shown here.")
        words = self.tr(
            "Direct tool calls would have put {} into the model's context; programs put {} there. "
            "{} of tool answers stayed in the sandbox."
        )
        total = report.total
        direct, actual = (cost(number, total.counter) for number in (total.direct, total.actual))
        return words.format(direct, actual, _bytes(total.kept_bytes))

    def _table(self, theme: Theme, report: TokenReport) -> QTableWidget:
        heads = ("Conversation", "Direct calls", "Programs", "Saved", "Worth", "Kept back")
        shown = report.sessions[:_ROWS]
        table = QTableWidget(len(shown), len(heads))
        table.setAccessibleName(self.tr("Tokens of each conversation"))
        table.setHorizontalHeaderLabels([self.tr(head) for head in heads])
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
    saved = tokens.saved(ledger)
    return (
        f"{ledger.direct:,}",
        f"{ledger.actual:,}",
        f"{saved:,}",
        tokens.money(saved, cents),
        _bytes(ledger.kept_bytes),
    )


def _item(text: str, *, number: bool) -> QTableWidgetItem:
    item = QTableWidgetItem(text)
    side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
    item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    return item


def _bytes(number: int) -> str:
    return f"{number / 1_000_000:,.1f} MB" if number >= 1_000_000 else f"{number / 1000:,.1f} kB"


def _wrapped(text: str, role: str = "") -> QWidget:
    found = label(text, role) if role else label(text)
    found.setWordWrap(True)
    return found
