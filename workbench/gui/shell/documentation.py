"""The documentation that came with this version, in a window beside the main one."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeyEvent, QKeySequence, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget

from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.dialogs import fit_to_screen
from workbench.gui.kit.layouts import column
from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState
from workbench.gui.kit.rows import Row
from workbench.gui.kit.theme import Theme, mark
from workbench.paths import documentation

_FIRST = ("servers", "clients", "editor", "skills", "privacy", "policy")  # what a newcomer reads first
_SHARES = (1, 3)
_TITLE_LINES = 3  # height of the window's frame in lines of text: it has none yet when its size is chosen


class Documentation(QWidget):
    """Pages on the left, the chosen one on the right. The search looks into the text of all pages."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Documentation")
        self._theme = theme
        self._texts = _read_pages(documentation())
        empty = EmptyState(theme, "search", "No page contains this", "Try fewer or different words.")
        self.pages = ListPane(theme, "Pages", empty, "Search the documentation")
        self.browser = QTextBrowser(self)
        self.browser.setOpenLinks(False)
        self.browser.setAccessibleName("Page of the documentation")
        self.browser.document().setDocumentMargin(theme.unit * 5)
        mark(self.browser, kind="page")
        column(self, AdaptiveSplit(90, _SHARES, self.pages, self.browser))
        self.pages.searched.connect(self._filter)
        self.pages.selection_changed.connect(self._show_selected)
        self.browser.anchorClicked.connect(self._open)
        theme.changed.connect(self._show_selected)
        for key, act in (
            ("Ctrl+W", self.close),
            ("Ctrl+F", self._enter_search),
            ("F6", self._switch_part),
            ("Shift+F6", self._switch_part),
        ):
            QShortcut(QKeySequence(key), self, act)
        room = self.screen().availableGeometry().height() - self.fontMetrics().height() * _TITLE_LINES
        self.resize(theme.unit * 230, min(theme.unit * 180, room))
        fit_to_screen(self)
        self._filter("")
        if self._texts:
            self.pages.select(next(iter(self._texts)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:  # a shortcut would take it from the search box, where it clears the text
            self.close()
        else:
            super().keyPressEvent(event)

    def _enter_search(self) -> None:
        if (finder := self.pages.finder) is not None:
            finder.setFocus(Qt.FocusReason.ShortcutFocusReason)
            finder.selectAll()

    def _switch_part(self) -> None:
        """From the pages to the text, and back."""
        (self.pages.view if self.browser.hasFocus() else self.browser).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _filter(self, text: str) -> None:
        wanted = text.casefold().split()
        found = (name for name, page in self._texts.items() if all(word in page.casefold() for word in wanted))
        self.pages.show_rows([Row(name, _title(self._texts[name])) for name in found])

    def _show_selected(self) -> None:
        page = self._texts.get(self.pages.key(), "")
        features = QTextDocument.MarkdownFeature
        self.browser.document().setMarkdown(page, features.MarkdownDialectGitHub | features.MarkdownNoHTML)
        self.browser.moveCursor(QTextCursor.MoveOperation.Start)

    def _open(self, url: QUrl) -> None:
        name = Path(url.path()).stem
        if name in self._texts and not url.host():
            self.pages.clear_search()  # the page may be filtered out
            self._filter("")
            self.pages.select(name)
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)


def _read_pages(folder: Path) -> dict[str, str]:
    """Name and text of each page, those that a newcomer reads first at the top."""
    found = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.md"))}
    return {name: found[name] for name in (*_FIRST, *found) if name in found}


def _title(page: str) -> str:
    return page.partition("\n")[0].lstrip("# ")
