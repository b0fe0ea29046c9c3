"""One hidden value: its token, the calls it came with and went into, the runs it was hidden in, a look behind it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.models.privacy import place_name
from workbench.gui.privacy.reveal_card import RevealCard
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.gui.wishes import ShowRun, ShowServer, ShowTool, Wish
from workbench.gui.words import clock
from workbench.records import HiddenValue, Place

_RUNS = 8  # buttons at most


class HiddenCard(QFrame):
    """Beside the list."""

    wished = Signal(object)
    said = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._session = ""
        self._value: HiddenValue | None = None
        mark(self, kind="side")
        self.token = ForeignLabel()
        mark(self.token, role="mono")
        self.kind = label("", "badge")
        mark(self.kind, tone="info")
        self.reveal = QPushButton("Look behind it")
        self.reveal.setToolTip("Shows the value; the audit says that you looked, without the value (Return)")
        self.reveal.clicked.connect(self.reveal_now)
        self._body = QVBoxLayout()
        self._lay_out(context.theme.unit)
        self.show_value("", None)

    def show_value(self, session: str, value: HiddenValue | None) -> None:
        self._session, self._value = session, value
        self.reveal.setEnabled(value is not None)
        self.kind.setVisible(value is not None)
        self.token.setText(value.token if value else "Choose a value to see where it came from and went.")
        self._empty_body()
        if value is not None:
            self.kind.setText(value.kind)
            self._fill(value)

    def reveal_now(self) -> None:
        """Show the value beside the button."""
        if self._value is None:
            return
        card = RevealCard(self._context, self._session, self.reveal, held=True)
        card.said.connect(self.said)
        place = QRect(self.reveal.mapToGlobal(self.reveal.rect().topLeft()), self.reveal.size())
        card.look(self._value.token, place)

    def _fill(self, value: HiddenValue) -> None:
        came = [self._place(place) for place in value.came]
        others = [self._server(one) for one in value.sources if one not in {place.server for place in value.came}]
        self._section("Came from", [*came, *others] or [self._quiet("a text of the model or of you")])
        went = [self._place(place) for place in value.went]
        self._section("Went to", went or [self._quiet("nowhere: no tool was given it")])
        times = f"{value.times} × in answers to the model"
        runs = [self._link(f"Run {run[-6:]}", ShowRun(run)) for run in value.runs[-_RUNS:]]
        seen = [self._quiet(times), *runs] if value.times else [self._quiet("no model has read it yet")]
        self._section("Its token was read", seen)

    def _place(self, place: Place) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(self._context.theme.unit * 2)
        wish = ShowTool(place.server, place.tool) if place.tool else ShowServer(place.server)
        line.addWidget(self._link(place_name(place), wish))
        if place.run_id:
            line.addWidget(self._link(f"run {place.run_id[-6:]}", ShowRun(place.run_id)))
        line.addWidget(self._quiet(clock(place.at) if place.at else ""))
        line.addStretch(1)
        return row

    def _server(self, server: str) -> QWidget:
        return self._link(server, ShowServer(server))

    def _link(self, words: str, wish: Wish) -> QPushButton:
        button = QPushButton(words.replace("&", "&&"))
        mark(button, kind="link")
        button.clicked.connect(partial(self.wished.emit, wish))
        return button

    def _quiet(self, words: str) -> QWidget:
        return label(words, "muted")

    def _section(self, title: str, rows: list[QWidget]) -> None:
        self._body.addWidget(label(title, "section"))
        for row in rows:
            self._body.addWidget(row, 0, Qt.AlignmentFlag.AlignLeft)
        self._body.addSpacing(self._context.theme.unit * 2)

    def _empty_body(self) -> None:
        while (item := self._body.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()

    def _lay_out(self, unit: int) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(*(unit * 4,) * 4)
        column.setSpacing(unit * 2)
        head = QHBoxLayout()
        head.addWidget(self.kind)
        head.addStretch(1)
        head.addWidget(self.reveal)
        column.addLayout(head)
        column.addWidget(self.token)
        self._body.setSpacing(unit)
        column.addLayout(self._body)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 0, 0, 0)
        outer.addWidget(area)
        self.setMinimumWidth(unit * 60)
