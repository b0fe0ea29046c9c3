"""Pages that show a result as text, as Markdown, as the model sees it, or as the difference to the answer before."""

from __future__ import annotations

import re

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.diff_view import DiffView
from workbench.gui.kit.lists import Strip
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.results.page import Page
from workbench.gui.results.token_chips import TokenChips
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, whole_size
from workbench.records import ModelView

_FIRST = 200_000  # characters laid out at once
_PORTION = 120_000  # and in each portion after that


class TextPage(Page):
    """Read only; what cannot be seen is a chip."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = PlainEdit(parent=self)
        self.edit.setReadOnly(True)
        self.edit.setUndoRedoEnabled(False)
        self.edit.setTabChangesFocus(True)
        self.edit.setAccessibleName(name)
        self.edit.setFrameShape(QFrame.Shape.NoFrame)
        self.edit.document().setDocumentMargin(theme.unit * 2)
        mark(self.edit, kind="code")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.edit)
        self.setFocusProxy(self.edit)
        self._rest = ""
        self._next = QTimer(self, singleShot=True, interval=5)
        self._next.timeout.connect(self._append)

    def show_text(self, text: str) -> None:
        """Show it from its beginning."""
        self._next.stop()
        first = _cut(text, _FIRST)
        self._rest = text[len(first) :]
        self.edit.setPlainText(visible(first))
        if self._rest:
            self._next.start()

    def whole(self) -> bool:
        """Whether the last portion is on screen."""
        return not self._rest

    def finish(self) -> None:
        """Show all that is left now."""
        while self._rest:
            self._append()

    def seek(self, words: str, step: int) -> str:
        self.finish()
        if not words:
            return ""
        back = QTextDocument.FindFlag.FindBackward if step < 0 else QTextDocument.FindFlag(0)
        if not self.edit.find(words, back):
            end = QTextCursor.MoveOperation.End if step < 0 else QTextCursor.MoveOperation.Start
            self.edit.moveCursor(end)
            if not self.edit.find(words, back):
                return "not found"
        return f"{self.edit.text().casefold().count(words.casefold())} places"

    def _append(self) -> None:
        portion = _cut(self._rest, _PORTION)
        self._rest = self._rest[len(portion) :]
        cursor = QTextCursor(self.edit.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self.edit.insert_at(cursor, visible(portion))
        if self._rest:
            self._next.start()


def _cut(text: str, length: int) -> str:
    """About so much of the text, ending with a line where there is one near."""
    if len(text) <= length:
        return text
    end = text.rfind("\n", length // 2, length)
    return text[: end + 1] if end >= 0 else text[:length]


LONGEST = 300_000
"""Characters that are drawn as prose; more would hold up the window."""
_SCHEMES = ("http", "https", "mailto")
_LOOKED_AT = 20_000  # characters that tell whether a text is Markdown
# Every repetition is bounded: this runs over what strangers send.
_SIGNS = re.compile(
    r"^#{1,6} \S|^[ \t]{0,8}[-*+] \S|^[ \t]{0,8}\d{1,4}\. \S|^```|^\|[^\n]{1,500}\|[ \t]{0,8}$|^> \S|\*\*\S"
    r"|\[[^\]\n]{1,200}\]\([^)\n]{1,500}\)",
    re.MULTILINE,
)


class _Browser(QTextBrowser):
    """Never fetches a picture, a style sheet or a page."""

    def loadResource(self, type: int, name: QUrl | str) -> object:  # Qt calls it so
        return None

    def setSource(self, *_: object) -> None:
        """Links lead nowhere by themselves."""


class ProsePage(Page):
    """`show_markdown` shows; links are shown below with the place they lead to."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.browser = _Browser(self)
        self.browser.setOpenLinks(False)
        self.browser.setOpenExternalLinks(False)
        self.browser.setFrameShape(QFrame.Shape.NoFrame)
        self.browser.setAccessibleName("Result as prose")
        self.browser.document().setDocumentMargin(theme.unit * 3)
        self.browser.anchorClicked.connect(self._offer)
        self._url = QUrl()
        self._bar = Strip(theme)
        self._words = ForeignLabel()
        self._open = QPushButton("Open in the browser")
        self._open.clicked.connect(self._go)
        self._bar.row.addWidget(self._words, 1)
        self._bar.row.addWidget(self._open)
        self._bar.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.browser, 1)
        layout.addWidget(self._bar)
        self.setFocusProxy(self.browser)

    def show_markdown(self, text: str) -> None:
        self._bar.hide()
        features = QTextDocument.MarkdownFeature
        self.browser.document().setMarkdown(
            visible(text[:LONGEST]), features.MarkdownDialectGitHub | features.MarkdownNoHTML
        )
        self.browser.moveCursor(QTextCursor.MoveOperation.Start)

    def seek(self, words: str, step: int) -> str:
        if not words:
            return ""
        back = QTextDocument.FindFlag.FindBackward if step < 0 else QTextDocument.FindFlag(0)
        if self.browser.find(words, back):
            return ""
        self.browser.moveCursor(QTextCursor.MoveOperation.End if step < 0 else QTextCursor.MoveOperation.Start)
        return "" if self.browser.find(words, back) else "not found"

    def _offer(self, url: QUrl) -> None:
        """Say where the link leads, by its machine first; what a browser does not open is only said."""
        self._url = url
        known = url.scheme().lower() in _SCHEMES and url.isValid()
        place = url.host() or url.path()
        words = "This link leads to {0}: {1}" if known else "This link is not opened from here: {1}"
        self._words.setText(words.format(place, url.toDisplayString()[:500]))
        self._open.setVisible(known)
        self._bar.show()
        if known:
            self._open.setFocus()

    def _go(self) -> None:
        QDesktopServices.openUrl(self._url)
        self._bar.hide()


def reads_as_markdown(text: str, mime: str) -> bool:
    """Whether drawing the text as Markdown would help: its type says so, or several signs of it occur."""
    if len(text) > LONGEST:
        return False
    return "markdown" in mime.lower() or len(set(_SIGNS.findall(text[:_LOOKED_AT]))) >= 2


class ModelPage(Page):
    """Asks the core; nothing is sent anywhere."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._asked = ""
        self._shown = ""
        unit = context.theme.unit
        self.words = ForeignLabel()
        self.words.setContentsMargins(unit * 3, unit, unit * 3, unit)
        mark(self.words, role="muted")
        self.text = TextPage(context.theme, "The result as a model sees it")
        self.chips = TokenChips(self.text.edit, context)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.words)
        column.addWidget(self.text, 1)
        self.setFocusProxy(self.text)

    def show_text(self, text: str) -> None:
        """Real text; what a model would get of it appears in a moment."""
        self._asked, self._shown = text, ""
        self.words.setText("Looking for personal data…")
        self.text.show_text("")
        self._context.tasks.run("see what a model sees", self._ask(text))

    def shown(self) -> str:
        """The masked text, as far as it is known yet."""
        return self._shown

    def seek(self, words: str, step: int) -> str:
        return self.text.seek(words, step)

    async def _ask(self, text: str) -> None:
        try:
            view = await self._context.api.model_view(text, "")
        except WorkbenchError as fault:
            if text == self._asked:
                self.words.setText(f"{fault.message} {fault.hint}".strip())
            return
        seen = [view.text]
        if whole_size(seen):
            seen = await fetch_whole(self._context.fetch, seen)
        if text == self._asked:
            self.chips.show_tokens_of(view.session)
            self.words.setText(self._sentence(view))
            self._shown = seen[0]
            self.text.show_text(self._shown)

    def _sentence(self, view: ModelView) -> str:
        if not view.enabled:
            return "Hiding is turned off, so a model sees all of it. Personal data, Kinds turns it on."
        counts = ", ".join(f"{one.count} {one.kind}" for one in view.counts)
        if not counts:
            return "A model sees all of it: nothing personal was found. Was something missed? Mark it."
        return f"Hidden from models: {counts}. Rest the mouse on a chip, or press F4, to look behind it."


LONGEST_COMPARED = 200_000
"""Characters that are compared; finding differences in more would hold up the window."""


class ChangesPage(Page):
    """A unified diff of two results."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = DiffView(theme, self)
        self.view.setAccessibleName("Changes since the answer before")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        self.setFocusProxy(self.view)

    def show_change(self, before: str, after: str) -> None:
        self.view.show_change(before, after)
