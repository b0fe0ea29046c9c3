"""A trial of the detector: what it finds in a text or JSON, why, and what a model would read instead."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPushButton, QTabWidget, QTextEdit, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.layouts import column
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState, Strip
from workbench.gui.kit.plain_edit import PlainEdit, units
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.privacy.rows import span_rows
from workbench.gui.results.text_pages import TextPage
from workbench.gui.results.token_chips import MarkMenu
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.records import Trial
from workbench.records.common_types import count_of

_PAUSE_MS = 250  # after the last key
_MOST_SHOWN = 500  # findings that are marked and listed
EXAMPLE = """{
  "customer": {"name": "Ada Lovelace", "email": "ada@example.org", "phone": "+44 20 7946 0958"},
  "note": "Card 4111 1111 1111 1111, sent to http://bob:pass@example.org/pay",
  "order": 1042
}"""


class TrialPage(QWidget):
    """The text is neither stored nor sent anywhere."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        theme = context.theme
        self.edit = PlainEdit()
        self.edit.setAccessibleName("Text to try the detector on")
        self.edit.setPlaceholderText("Paste text, a table or JSON to see what would be masked.")
        self.edit.setTabChangesFocus(True)
        mark(self.edit, kind="code")
        self.marks = MarkMenu(self.edit, context)
        empty = EmptyState(theme, "shield-check", "Nothing found", "Personal data in the text is listed here.", self)
        self.rows = ListPane(theme, "Findings, with reasons", empty, parent=self)
        self.masked = TextPage(theme, "What a model reads")
        self.summary = ForeignLabel(elide=True)
        self.example = QPushButton("Try an example")
        self.missed = QPushButton("This was missed")
        self.harmless = QPushButton("This is not personal")
        self._harmless_action = menu_action(self, "This is not personal", self.marks.mark_harmless, "eye")
        self._trial = Trial()
        self._tried = ""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._lay_out()
        self._bind()
        self._apply_font()
        self._show("", Trial(), "")

    def try_again(self) -> None:
        """Run the detector again: what it masks has changed."""
        self._pause.start()

    def _try(self) -> None:
        text = self.edit.text()
        if text.strip():
            self._context.tasks.run("try the detector", self._detect(text))
        else:
            self._show(text, Trial(), "")

    async def _detect(self, text: str) -> None:
        try:
            trial = await self._context.api.try_privacy(text)
        except WorkbenchError as fault:
            self.summary.setText(f"{fault.message} {fault.hint}".strip())
            return
        (masked,) = await fetch_whole(self._context.fetch, [trial.masked])
        if text == self.edit.text():
            self._show(text, trial, masked)

    def _show(self, text: str, trial: Trial, masked: str) -> None:
        self._tried, self._trial = text, trial
        self.rows.show_rows(span_rows(text, trial.spans[:_MOST_SHOWN]))
        self.masked.show_text(masked)
        self._mark_spans()
        self.summary.setText(self._sentence(text, trial))
        self._update_buttons()

    def _sentence(self, text: str, trial: Trial) -> str:
        if not text.strip():
            return "The text is neither stored nor sent anywhere."
        found = f"{count_of(len(trial.spans), 'value')} found" if trial.spans else "Nothing found"
        how = "read as JSON, with its keys" if trial.is_json else "read as text"
        return f"{found} · {how} · {trial.ms:.0f} ms"

    def _mark_spans(self) -> None:
        """Mark in the text what would be masked."""
        look = QTextCharFormat()
        look.setBackground(self._context.theme.soft("info", 0.28))
        selections = []
        at = place = 0
        for span in self._trial.spans[:_MOST_SHOWN]:
            place += units(self._tried[at : span.start], span.start - at)
            end = place + units(self._tried[span.start : span.end], span.end - span.start)
            selection = QTextEdit.ExtraSelection()
            selection.cursor = QTextCursor(self.edit.document())
            selection.cursor.setPosition(self.edit.document_place(place))
            selection.cursor.setPosition(self.edit.document_place(end), QTextCursor.MoveMode.KeepAnchor)
            selection.format = look
            selections.append(selection)
            place, at = end, span.end
        self.edit.setExtraSelections(selections)

    def _select_in_text(self) -> None:
        """Select in the text what is selected in the list."""
        key = self.rows.key()
        if not key or self._tried != self.edit.text():
            return
        span = self._trial.spans[int(key)]
        cursor = self.edit.textCursor()
        cursor.setPosition(self.edit.document_place(units(self._tried, span.start)))
        end = self.edit.document_place(units(self._tried, span.end))
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self.edit.setTextCursor(cursor)
        self.edit.ensureCursorVisible()

    def _update_buttons(self) -> None:
        has_selection = bool(self.marks.chosen())
        self.missed.setEnabled(has_selection)
        self.harmless.setEnabled(has_selection)
        self.example.setVisible(not self.edit.text())

    def _show_example(self) -> None:
        self.edit.setPlainText(EXAMPLE)

    def _apply_font(self) -> None:
        for edit in (self.edit, self.masked.edit):
            edit.setFont(self._context.theme.mono())
        self._mark_spans()

    def _bind(self) -> None:
        self._pause.timeout.connect(self._try)
        self.edit.textChanged.connect(self._pause.start)
        self.edit.selectionChanged.connect(self._update_buttons)
        self.rows.selection_changed.connect(self._select_in_text)
        self.rows.set_menu(lambda _key: (self._harmless_action,))
        self.example.clicked.connect(self._show_example)
        self.missed.clicked.connect(lambda: self.marks.mark_missed())
        self.harmless.clicked.connect(self._harmless_action.trigger)
        self._context.theme.changed.connect(self._apply_font)

    def _lay_out(self) -> None:
        strip = Strip(self._context.theme)
        strip.row.addWidget(self.summary, 1)
        self.missed.setToolTip("Mask the selected text from now on; the menu of the text offers more kinds")
        self.harmless.setToolTip("Do not mask the selected text from now on")
        for button in (self.example, self.missed, self.harmless):
            mark(button, kind="chip")
            strip.row.addWidget(button)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("Findings, and what a model reads")
        self.tabs.addTab(self.rows, "Findings")
        self.tabs.addTab(self.masked, "What a model reads")
        split = AdaptiveSplit(100, (5, 4), self.edit, self.tabs)
        column(self, strip, split, grows=split)
        self.setFocusProxy(self.edit)
