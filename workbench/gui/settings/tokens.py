"""Dialog Tokens and savings: what programs used and saved compared with direct calls, in total and by conversation."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QRegularExpression, Qt
from PySide6.QtGui import QAction, QGuiApplication, QRegularExpressionValidator
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from workbench import tokens
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.layouts import row
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.table import Column, Table, TableModel
from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import amount, cost
from workbench.gui.shell.context import Context
from workbench.records import SessionTokens, TokenReport

_ROWS = 200  # conversations that are listed; the total includes all
_LETTERS = 11  # usual width of a number
_PRICE = "tokens.cents_per_million"


async def show_tokens(context: Context, parent: QWidget) -> None:
    """Open the dialog with the figures of now."""
    TokensDialog(context, await context.api.token_report(), parent).open()


class TokensDialog(Dialog):
    """The figures are those of when it was opened; their worth follows the price at once."""

    def __init__(self, context: Context, report: TokenReport, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, headline(report), _summary(report), parent)
        self._context = context
        self._report = report
        self.setWindowTitle("Tokens and savings")
        self.setMinimumWidth(context.theme.unit * 190)
        self.table: Table[SessionTokens] | None = self._make_table(context.theme) if report.sessions else None
        if self.table is not None:
            self.body.addWidget(self.table)
        self.body.addWidget(label("Programs or direct calls?", "heading"))
        self.body.addWidget(paragraph(tokens.advice_sentence(report.advice)))
        self.body.addWidget(paragraph(tokens.factor_sentence(report.factors, report.advice.counter), "muted"))
        self.price = QLineEdit(f"{report.cents_per_million / 100:.2f}")
        self.body.addLayout(self._make_price_row(context.theme.unit))
        self.body.addStretch(1)
        close = self.add_close()
        close.setDefault(False)  # Return in the price field must not close the dialog
        close.setAutoDefault(False)

    def _make_price_row(self, unit: int) -> QHBoxLayout:
        name = "Price of a million tokens in dollars"
        text = label(f"&{name}", "muted")
        text.setBuddy(self.price)
        self.price.setValidator(QRegularExpressionValidator(QRegularExpression(r"\d{1,4}([.,]\d{0,2})?"), self))
        self.price.setMaximumWidth(unit * 28)
        self.price.setAccessibleName(name)
        self.price.editingFinished.connect(self._change_price)
        return row(None, text, self.price, None, spacing=unit * 2)

    def _change_price(self) -> None:
        cents = round(float(self.price.text().replace(",", ".")) * 100)
        if cents == self._report.cents_per_million:
            return
        self._report = replace(self._report, cents_per_million=cents)
        self.set_heading(headline(self._report))
        if self.table is not None:
            self.table.viewport().update()
        self._context.tasks.run("change the price of tokens", self._context.api.change_setting(_PRICE, cents))

    def _make_table(self, theme: Theme) -> Table[SessionTokens]:
        def number(title: str, field: str, rank: int = 0) -> Column[SessionTokens]:
            return Column(
                title,
                lambda row: f"{getattr(row.ledger, field):,}",
                lambda row: getattr(row.ledger, field),
                right=True,
                letters=_LETTERS,
                rank=rank,
            )

        def kept_back(row: SessionTokens) -> int:
            return row.ledger.kept_bytes

        columns = (
            Column[SessionTokens]("Conversation", lambda row: row.author, letters=20),
            number("Direct calls", "direct"),
            number("Definitions", "definitions", 2),
            number("Programs", "actual"),
            Column[SessionTokens]("Saved", _saved_text, _gain, right=True, letters=_LETTERS),
            Column[SessionTokens]("Worth", self._worth, _gain, right=True, letters=8),
            Column[SessionTokens](
                "Kept back", lambda row: tokens.size(kept_back(row)), kept_back, right=True, letters=_LETTERS, rank=1
            ),
        )
        model = TableModel(columns, lambda row: row.session)
        model.replace(self._report.sessions[:_ROWS])
        table = Table(theme, "Tokens of each conversation", model)
        shown = min(8, model.rowCount())
        height = table.horizontalHeader().sizeHint().height() + table.verticalHeader().defaultSectionSize() * shown
        table.setFixedHeight(height + theme.unit)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # columns are hidden instead
        table.set_menu(self._menu)
        return table

    def _worth(self, row: SessionTokens) -> str:
        return tokens.money(tokens.saved(row.ledger), self._report.cents_per_million)

    def _menu(self, row: SessionTokens) -> list[QAction | None]:
        copy = QAction("Copy figures", self)
        copy.triggered.connect(lambda: self._copy(row))
        return [copy]

    def _copy(self, row: SessionTokens) -> None:
        sentence = tokens.ledger_sentence(row.ledger, self._report.cents_per_million)
        QGuiApplication.clipboard().setText(f"{row.author}: {sentence}")
        self._context.say("Copied the figures.")


def headline(report: TokenReport) -> str:
    """What programs saved, in one line."""
    saved = tokens.saved(report.total)
    if not saved:
        return tokens.NOTHING_SAVED
    return f"{cost(saved, report.total.counter)} saved, worth {tokens.money(saved, report.cents_per_million)}"


def _summary(report: TokenReport) -> str:
    if not report.sessions:
        return "What agents use for searching tools and running programs will be shown here."
    total = report.total
    used, direct = cost(total.actual, total.counter), cost(total.direct, total.counter)
    kept_back = tokens.size(total.kept_bytes)
    return (
        f"Programs and searches put {used} into the model's context. Direct tool calls would have put {direct} there, "
        f"{amount(total.definitions)} of them tool definitions. {kept_back} of tool answers stayed in the sandbox."
    )


def _saved_text(row: SessionTokens) -> str:
    """Negative where direct calls would have used fewer tokens."""
    return f"{_gain(row):,}".replace("-", "−")


def _gain(row: SessionTokens) -> int:
    return row.ledger.direct - row.ledger.actual
