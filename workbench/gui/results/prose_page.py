"""Markdown of strangers, drawn safely: no HTML, nothing is loaded from anywhere, a link opens only after a press that
was told where it leads."""

from __future__ import annotations

import re

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from workbench.gui.results.page import Page
from workbench.gui.text import ForeignLabel, visible
from workbench.gui.theme import Theme
from workbench.gui.views import Strip

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
