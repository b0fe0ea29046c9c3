"""A project to try the detector on a text or JSON: what it finds, why, and what a model would read in its place."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPushButton, QSplitter, QTabWidget, QTextEdit, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, PrivacyChanged
from workbench.gui.kit.lists import RowsView, Strip
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.rows import RowsModel
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.privacy.rows import span_rows
from workbench.gui.results.text_pages import TextPage
from workbench.gui.results.token_chips import MarkMenu, units
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, whole_size
from workbench.records import Trial, TriedSpan

_PAUSE_MS = 250  # without a keystroke before the detector is asked
_WIDE = 100  # letters of width below which what was found stands under the text
_DRAWN = 500  # spans that are drawn and listed
EXAMPLE = """{
  "customer": {"name": "Ada Lovelace", "email": "ada@example.org", "phone": "+44 20 7946 0958"},
  "note": "Card 4111 1111 1111 1111, sent to http://bob:pass@example.org/pay",
  "order": 1042
}"""


class TrialPage(QWidget):
    """Nothing of what is tried is kept or sent anywhere."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        theme = context.theme
        self.edit = PlainEdit()
        self.edit.setAccessibleName("Text to try the detector on")
        self.edit.setPlaceholderText("Paste a text, a table or JSON: what would be hidden is marked at once.")
        self.edit.setTabChangesFocus(True)
        mark(self.edit, kind="code")
        self.marks = MarkMenu(self.edit, context)
        self.model = RowsModel(self)
        self.list = RowsView(theme, "What was found, and why")
        self.list.setModel(self.model)
        self.masked = TextPage(theme, "What a model reads")
        self.words = ForeignLabel(elide=True)
        self.example = QPushButton("Try an example")
        self.missed = QPushButton("This was missed")
        self.harmless = QPushButton("This is not personal")
        self.trial = Trial()
        self._tried = ""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._lay_out()
        self._bind()
        self._dress()
        self._show("", Trial())

    def hear(self, event: Event) -> None:
        if isinstance(event, PrivacyChanged):
            self.marks.learn(event.rules)
            self._pause.start()

    def try_text(self, text: str) -> None:
        """As if somebody had pasted it."""
        self.edit.setPlainText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _WIDE
        self._split.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def _try(self) -> None:
        text = self.edit.text()
        if text.strip():
            self._context.tasks.run("try the detector", self._ask(text))
        else:
            self._show(text, Trial())

    async def _ask(self, text: str) -> None:
        try:
            trial = await self._context.api.try_privacy(text)
        except WorkbenchError as fault:
            self.words.setText(f"{fault.message} {fault.hint}".strip())
            return
        masked = [trial.masked]
        if whole_size(masked):
            masked = await fetch_whole(self._context.fetch, masked)
        if text == self.edit.text():
            self._show(text, trial, masked[0])

    def _show(self, text: str, trial: Trial, masked: str = "") -> None:
        self._tried, self.trial = text, trial
        self.model.show_rows(span_rows(text, trial.spans[:_DRAWN]))
        self.masked.show_text(masked)
        self._draw(text, trial.spans[:_DRAWN])
        self.words.setText(self._sentence(text, trial))
        self._choose_buttons()

    def _sentence(self, text: str, trial: Trial) -> str:
        if not text.strip():
            return "Nothing of what you try is kept or sent anywhere."
        how = "read as JSON, with its keys" if trial.is_json else "read as text"
        count = len(trial.spans)
        found = "1 value found" if count == 1 else f"{count} values found"
        return f"{found if count else 'Nothing found'} · {how} · {trial.ms:.0f} ms"

    def _draw(self, text: str, spans: tuple[TriedSpan, ...]) -> None:
        """The stretches that would be hidden, marked in the text itself."""
        drawn = QTextCharFormat()
        drawn.setBackground(self._context.theme.soft("info", 0.28))
        found = []
        at = place = 0
        for span in spans:
            place += units(text[at : span.start])
            length = units(text[span.start : span.end])
            cursor = QTextCursor(self.edit.document())
            cursor.setPosition(self.edit.document_place(place))
            cursor.setPosition(self.edit.document_place(place + length), QTextCursor.MoveMode.KeepAnchor)
            selection = QTextEdit.ExtraSelection()
            selection.cursor, selection.format = cursor, drawn
            found.append(selection)
            place, at = place + length, span.end
        self.edit.setExtraSelections(found)

    def _go_to(self) -> None:
        """The text follows the list."""
        key = self.list.key()
        if not key.isdigit() or self._tried != self.edit.text():
            return
        span = self.trial.spans[int(key)]
        cursor = self.edit.textCursor()
        cursor.setPosition(self.edit.document_place(units(self._tried[: span.start])))
        cursor.setPosition(self.edit.document_place(units(self._tried[: span.end])), QTextCursor.MoveMode.KeepAnchor)
        self.edit.setTextCursor(cursor)
        self.edit.ensureCursorVisible()

    def _choose_buttons(self) -> None:
        some = bool(self.marks.chosen())
        self.missed.setEnabled(some)
        self.harmless.setEnabled(some)
        self.example.setVisible(not self.edit.text())

    def _offer_kinds(self) -> None:
        self.marks.missed()

    def _take_example(self) -> None:
        self.try_text(EXAMPLE)

    def _bind(self) -> None:
        self._pause.timeout.connect(self._try)
        self.edit.textChanged.connect(self._pause.start)
        self.edit.selectionChanged.connect(self._choose_buttons)
        self.list.selection_changed.connect(self._go_to)
        self.example.clicked.connect(self._take_example)
        self.missed.clicked.connect(self._offer_kinds)
        self.harmless.clicked.connect(self.marks.harmless)
        self._context.theme.changed.connect(self._dress)

    def _dress(self) -> None:
        for edit in (self.edit, self.masked.edit):
            edit.setFont(self._context.theme.mono())
        self._draw(self._tried, self.trial.spans[:_DRAWN])

    def _lay_out(self) -> None:
        strip = Strip(self._context.theme)
        strip.row.addWidget(self.words, 1)
        self.missed.setToolTip("Hide what is selected from now on; the menu of the text offers more kinds")
        self.harmless.setToolTip("Let what is selected pass from now on")
        for button in (self.example, self.missed, self.harmless):
            mark(button, kind="chip")
            strip.row.addWidget(button)
        found = QTabWidget()
        found.setDocumentMode(True)
        found.setAccessibleName("What was found, and what a model reads")
        found.addTab(self.list, "Found, and why")
        found.addTab(self.masked, "What a model reads")
        self.tabs = found
        self._split = QSplitter()
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.edit)
        self._split.addWidget(found)
        self._split.setSizes([500, 400])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(self._split, 1)
