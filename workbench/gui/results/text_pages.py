"""Pages that show a result as text, JSON, Markdown, or as a model sees it."""

from __future__ import annotations

import re

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser

from workbench.errors import WorkbenchError
from workbench.gui.kit.json_colours import JsonColours
from workbench.gui.kit.lists import Strip, push_button
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import kind_label
from workbench.gui.results.page import Page
from workbench.gui.results.token_chips import MarkMenu, TokenChips
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, whole_size
from workbench.records import ModelView

_FIRST = 200_000  # characters laid out at once
_PORTION = 120_000  # and in each portion after that


class TextPage(Page):
    """Read-only text; invisible characters are shown as chips."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.edit = PlainEdit(parent=self)
        self.edit.setReadOnly(True)
        self.edit.setUndoRedoEnabled(False)
        self.edit.setTabChangesFocus(True)
        self.edit.setAccessibleName(name)
        self.edit.setFrameShape(QFrame.Shape.NoFrame)
        self.edit.document().setDocumentMargin(theme.unit * 2)
        mark(self.edit, kind="code")
        self._theme = theme
        self._apply_font()
        theme.changed.connect(self._apply_font)
        self.set_content(self.edit)
        self._rest = ""
        self._next = QTimer(self, singleShot=True, interval=5)
        self._next.timeout.connect(self._append)

    def show_text(self, text: str) -> None:
        """Show text from its beginning; a long one is added in portions."""
        self._next.stop()
        first = _cut(text, _FIRST)
        self._rest = text[len(first) :]
        self.edit.setPlainText(visible(first))
        if self._rest:
            self._next.start()

    def is_complete(self) -> bool:
        """Whether the last portion was added."""
        return not self._rest

    def finish(self) -> None:
        """Add all portions that are left."""
        while self._rest:
            self._append()

    def search_target(self) -> PlainEdit:
        self.finish()
        return self.edit

    def _apply_font(self) -> None:
        self.edit.setFont(self._theme.mono())

    def _append(self) -> None:
        portion = _cut(self._rest, _PORTION)
        self._rest = self._rest[len(portion) :]
        cursor = QTextCursor(self.edit.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self.edit.insert_at(cursor, visible(portion))
        if self._rest:
            self._next.start()


def _cut(text: str, length: int) -> str:
    """The beginning of a text of about this length, up to the end of a line if possible."""
    if len(text) <= length:
        return text
    end = text.rfind("\n", length // 2, length)
    return text[: end + 1] if end >= 0 else text[:length]


class JsonPage(TextPage):
    """Indented JSON with colours."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self._colours = JsonColours(self.edit, theme)


LONGEST = 300_000
"""Characters that are drawn as Markdown; more would block the window."""
_SCHEMES = ("http", "https", "mailto")
_EXAMINED = 20_000  # characters that decide whether a text is Markdown
# Every repetition is bounded, because the text is foreign.
_SIGNS = re.compile(
    r"^#{1,6} \S|^[ \t]{0,8}[-*+] \S|^[ \t]{0,8}\d{1,4}\. \S|^```|^\|[^\n]{1,500}\|[ \t]{0,8}$|^> \S|\*\*\S"
    r"|\[[^\]\n]{1,200}\]\([^)\n]{1,500}\)",
    re.MULTILINE,
)


# JSON outside code blocks: Markdown would join its lines.
_JSON_LINE = re.compile(r"^[ \t]{0,40}(?:[{\[}\]],?|\"[^\"\n]{1,200}\"[ \t]{0,8}:.{0,2000})[ \t]{0,8}$", re.MULTILINE)
_FENCED = re.compile(r"^```.{0,20000}?^```", re.MULTILINE | re.DOTALL)


class _Browser(QTextBrowser):
    """Never reads a picture, a style sheet or a page, and never follows a link."""

    def loadResource(self, type: int, name: QUrl | str) -> object:  # Qt calls it so
        """An empty picture for everything: where Qt gets nothing, it reads the file itself."""
        nothing = QImage(1, 1, QImage.Format.Format_ARGB32)
        nothing.fill(0)
        return nothing

    def setSource(self, *_: object) -> None: ...


class ProsePage(Page):
    """Draws Markdown. A clicked link is shown below with its target before it can be opened."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.browser = _Browser(self)
        self.browser.setOpenLinks(False)
        self.browser.setOpenExternalLinks(False)
        self.browser.setFrameShape(QFrame.Shape.NoFrame)
        self.browser.setAccessibleName("Result as prose")
        self.browser.document().setDocumentMargin(theme.unit * 3)
        self.browser.anchorClicked.connect(self._offer)
        self._url = QUrl()
        self._bar = Strip(theme)
        self._link = ForeignLabel()
        self._open = push_button("Open in browser", self._go)
        self._bar.row.addWidget(self._link, 1)
        self._bar.row.addWidget(self._open)
        self._bar.hide()
        self.set_content(self.browser, below=self._bar)

    def show_markdown(self, text: str) -> None:
        self._bar.hide()
        features = QTextDocument.MarkdownFeature
        self.browser.document().setMarkdown(
            visible(text[:LONGEST]), features.MarkdownDialectGitHub | features.MarkdownNoHTML
        )
        self.browser.moveCursor(QTextCursor.MoveOperation.Start)

    def seek(self, text: str, step: int) -> str:
        back = QTextDocument.FindFlag.FindBackward if step < 0 else QTextDocument.FindFlag(0)
        if not text or self.browser.find(text, back):
            return ""
        self.browser.moveCursor(QTextCursor.MoveOperation.End if step < 0 else QTextCursor.MoveOperation.Start)
        return "" if self.browser.find(text, back) else "Not found."

    def _offer(self, url: QUrl) -> None:
        """Show the target of a link, host first; a link of an unknown kind cannot be opened."""
        self._url = url
        known = url.scheme().lower() in _SCHEMES and url.isValid()
        place = url.host() or url.path()
        target = url.toDisplayString()[:500]
        self._link.setText(f"Link to {place}: {target}" if known else f"Links of this kind are not opened: {target}")
        self._open.setVisible(known)
        self._bar.show()
        if known:
            self._open.setFocus()

    def _go(self) -> None:
        QDesktopServices.openUrl(self._url)
        self._bar.hide()


def reads_as_markdown(text: str, mime: str) -> bool:
    """Whether to draw the text as Markdown: its type says so, or it contains several kinds of Markdown and no JSON."""
    if len(text) > LONGEST:
        return False
    if "markdown" in mime.lower():
        return True
    examined = text[:_EXAMINED]
    return len(set(_SIGNS.findall(examined))) >= 2 and _JSON_LINE.search(_FENCED.sub("", examined)) is None


class ModelPage(Page):
    """The result with personal data masked, as a model would get it. Nothing is sent to a model."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._asked = ""
        self._shown = ""
        unit = context.theme.unit
        self.note = ForeignLabel()
        self.note.setContentsMargins(unit * 3, unit, unit * 3, unit)
        mark(self.note, role="muted")
        self.text = TextPage(context.theme, "The result as a model sees it")
        self.chips = TokenChips(self.text.edit, context)
        self.menu = MarkMenu(self.text.edit, context, self.chips)
        self.set_content(self.text, above=self.note)

    def show_text(self, text: str, session: str = "") -> None:
        """Mask this text in the core and show it; `session`: of the program that printed or returned it."""
        self._asked, self._shown = text, ""
        self.note.setText("Looking for personal data…")
        self.text.show_text("")
        self._context.tasks.run("see what a model sees", self._ask(text, session))

    def masked_text(self) -> str:
        """The masked text; empty until the core has returned it."""
        return self._shown

    def search_target(self) -> PlainEdit:
        return self.text.search_target()

    async def _ask(self, text: str, session: str) -> None:
        try:
            view = await self._context.api.model_view(text, "", session)
        except WorkbenchError as fault:
            if text == self._asked:
                self.note.setText(f"{fault.message} {fault.hint}".strip())
            return
        seen = [view.text]
        if whole_size(seen):
            seen = await fetch_whole(self._context.fetch, seen)
        if text == self._asked:
            self.chips.show_tokens_of(view.session)
            self.note.setText(self._sentence(view))
            self._shown = seen[0]
            self.text.show_text(self._shown)

    def _sentence(self, view: ModelView) -> str:
        if not view.enabled:
            return "Masking is off: a model sees everything. Turn it on under Personal data > Kinds."
        counts = ", ".join(f"{count.count:,} × {kind_label(count.kind)}" for count in view.counts)
        if not counts:
            return "A model sees everything: no personal data was found. Select and mark what was missed."
        return f"Masked: {counts}. Point at a token or press F4 to see its value, Shift+F4 to see why."
