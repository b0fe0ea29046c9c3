"""Shows the result of a call or run in the view that suits it best, and in all others that are possible.

A page is made and filled when it is first shown. Long text arrives as a preview; a few
megabytes are fetched at once, more only on request.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QPushButton, QStackedWidget, QWidget

from workbench.gui.kit.controls import FoldingRow
from workbench.gui.kit.find_bar import FindBar
from workbench.gui.kit.json_text import pretty
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import push_button, tool_button
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.results.contents import (
    CHANGES,
    IMAGE,
    JSON,
    PARTS,
    PLOT,
    PROSE,
    RAW,
    TABLE,
    TEXT,
    TREE,
    VIEWS,
    Contents,
    file_of,
    of_json,
    of_outcome,
)
from workbench.gui.results.page import Page
from workbench.gui.results.table_page import TablePage
from workbench.gui.results.text_pages import JsonPage, ModelPage, ProsePage, TextPage
from workbench.gui.results.token_chips import MarkMenu, TokenChips
from workbench.gui.results.tree_page import TreePage
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, size_words, whole_size
from workbench.records import Content, Outcome

_AT_ONCE = 4_000_000  # characters fetched without asking

_LONGEST_COMPARED = 200_000  # characters; more would block the window


class ResultView(QWidget):
    """Show with `show_outcome`, `show_json` or `show_text`."""

    shown = Signal()
    """A complete result is on screen."""

    def __init__(
        self, context: Context, parent: QWidget | None = None, *, compares: bool = False, seen: bool = False
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._pages: dict[str, Page] = {}
        self._model: ModelPage | None = None  # the result as a model sees it
        self._fillers: dict[str, Callable[[Contents], None]] = {}  # how each page shows a result
        self._chips: list[TokenChips] = []
        self._session = ""  # whose tokens are in the text
        self._seen = seen  # shows what a model got, with its tokens
        self._compares = compares  # all results come from one tool, so that they can be compared
        self._contents = Contents()
        self._before: str | None = None  # text of the previous answer
        self._filled: set[str] = set()
        self._waiting: list[str] = []
        self._saving = False  # as soon as all of the result is fetched
        self._views: tuple[str, ...] = (TEXT,)
        self._buttons: dict[str, QPushButton] = {}
        self._build()

    def clear(self) -> None:
        self._before = None
        self._contents = Contents()
        self._show(Contents())

    def show_outcome(self, outcome: Outcome) -> None:
        """Show the answer of a call."""
        blocks = outcome.content
        texts = [outcome.structured, *(block.text for block in blocks), *(block.data for block in blocks)]
        self._show_whole(texts, lambda texts: of_outcome(_with_texts(outcome, texts)))

    def show_json(self, text: str) -> None:
        """Show a result that is JSON text, for example of a run."""
        self._show_whole([text], lambda texts: of_json(texts[0]))

    def show_text(self, text: str) -> None:
        self._show_whole([text], lambda texts: Contents(server_text=texts[0]))

    def views(self) -> tuple[str, ...]:
        """The views of this result, the best one first."""
        return self._views

    def view(self) -> str:
        """The name of the view on screen."""
        return next((name for name, button in self._buttons.items() if button.isChecked()), TEXT)

    def page(self) -> Page:
        """The page of the view on screen, or the masked one."""
        return self._masked_page() if self._eye.isChecked() else self._page(self.view())

    def look(self, view: str) -> None:
        """Show a view of the result."""
        self._buttons[view].setChecked(True)
        self._fill(view)
        self._stack.setCurrentWidget(self.page())
        if self.find_bar.isVisible():
            self.find_bar.search_in(self.page().search_target())

    def show_tokens_of(self, session: str) -> None:
        """Tokens in the text stand for values of this session."""
        self._session = session
        for chips in self._chips:
            chips.show_tokens_of(session)

    def show_masked(self, yes: bool) -> None:
        """Show the result as a model would get it, or unmasked."""
        self._eye.setChecked(yes)

    def open_find(self) -> None:
        """Search in the view on screen, or in another one if it cannot be searched."""
        if self.view() in (IMAGE, PARTS, PLOT) and not self._eye.isChecked():
            self.look(next(view for view in (TREE, TEXT, RAW) if view in self._views))
        self.find_bar.search_in(self.page().search_target())
        self.find_bar.open_bar()

    def _focus_page(self) -> None:
        self.page().setFocus(Qt.FocusReason.OtherFocusReason)

    def save(self) -> None:
        """Save the complete result as a file; fetch what is still in the core first."""
        if self._waiting:
            self._saving = True
            self._fetch()
            return
        contents = self._contents
        if len(contents.blocks) == 1 and contents.blocks[0].data:
            self._save_part(contents.blocks[0])
            return
        name = "result.json" if contents.has_value else "result.txt"
        self._context.save_file(self, name, contents.text().encode("utf-8", "surrogatepass"))

    def _show(self, contents: Contents) -> None:
        self._waiting = []
        self._remember()
        self._contents = contents
        self._filled = set()
        self._views = (*contents.views, *((CHANGES,) if self._comparable() else ()))
        for name, button in self._buttons.items():
            button.setVisible(name in self._views and len(self._views) > 1)
        self._more.hide()
        self.find_bar.say("")
        self._eye.setVisible(not self._seen and bool(contents.text().strip()))
        self._eye.setChecked(self._eye.isChecked() and not self._eye.isHidden())
        self._show_model()
        self.look(self._views[0])
        self.shown.emit()
        if self._saving:
            self._saving = False
            self.save()

    def _remember(self) -> None:
        """Keep the text of this answer, to compare the next one with it."""
        outcome = self._contents.outcome
        if self._compares and outcome is not None:
            text = self._contents.text() if outcome.bytes <= _LONGEST_COMPARED else ""
            self._before = text if 0 < len(text) <= _LONGEST_COMPARED else None

    def _comparable(self) -> bool:
        if self._before is None or self._contents.outcome is None or self._contents.outcome.bytes > _LONGEST_COMPARED:
            return False
        text = self._contents.text()
        return 0 < len(text) <= _LONGEST_COMPARED and text != self._before

    def _show_whole(self, texts: list[str], contents_of: Callable[[list[str]], Contents]) -> None:
        """Show what consists of these texts. If parts are still in the core, show a preview until they are fetched."""
        missing = whole_size(texts)
        if not missing:
            self._show(contents_of(texts))
            return
        self._show(Contents(server_text=next(text for text in texts if whole_size([text]))))
        self._contents_of, self._waiting = contents_of, texts
        if missing <= _AT_ONCE:
            self._fetch()
        else:
            self._note.setText(f"Only the beginning of {size_words(missing)} is shown.")
            self._all.setText(f"Show all ({size_words(missing)})")
            self._all.setEnabled(True)
            self._more.show()

    def _fetch(self) -> None:
        self._all.setEnabled(False)
        fetch, done = fetch_whole(self._context.fetch, self._waiting), partial(self._show_fetched, self._waiting)
        self._context.tasks.run("fetch a long result", fetch, done)

    def _show_fetched(self, asked: list[str], texts: list[str]) -> None:
        if asked is self._waiting:  # nothing else was shown meanwhile
            self._show(self._contents_of(texts))

    def _build(self) -> None:
        theme, unit = self._context.theme, self._context.theme.unit
        self._stack = QStackedWidget(self)
        self._stack.setMinimumHeight(unit * 14)  # a page with a row of buttons must not make a window grow
        self.find_bar = FindBar(theme, "Find in the result", self)
        self.find_bar.closed.connect(self._focus_page)
        column(self, self._head(unit), self._more_bar(unit), self.find_bar, self._stack, grows=self._stack)
        self.clear()

    def _head(self, unit: int) -> QHBoxLayout:
        self._group = QButtonGroup(self)
        for name in VIEWS:
            button = push_button(name, self._clicked, kind="chip", checkable=True)
            self._group.addButton(button)
            self._buttons[name] = button
        self._eye = tool_button("eye-off", "As a model sees it", self._context.theme)
        self._eye.setCheckable(True)
        self._eye.toggled.connect(self._eye_toggled)
        tools = [self._eye]
        for symbol, text, act in (
            ("search", "Find in the result (Ctrl+F)", self.open_find),
            ("copy", "Copy the result", self._copy),
            ("save", "Save the result…", self.save),
        ):
            tools.append(tool_button(symbol, text, self._context.theme, act))
        views, actions = row(None, *self._buttons.values(), None, spacing=unit), row(None, None, *tools, spacing=unit)
        letters = None if self._compares else 0  # without comparison it is in the output pane, which is low
        head = FoldingRow(letters, views, actions, unit)
        return row(None, head, grows=head, margins=(unit * 3, unit, unit * 2, unit))

    def _more_bar(self, unit: int) -> QFrame:
        self._more = QFrame(self)
        mark(self._more, kind="banner", tone="info")
        self._note = ForeignLabel()
        self._all = push_button("", self._fetch)
        row(self._more, self._note, self._all, margins=(unit * 3, unit) * 2, spacing=unit * 2, grows=self._note)
        return self._more

    def _page(self, view: str) -> Page:
        """The page of a view, made when it is first needed."""
        if view not in self._pages:
            page, self._fillers[view] = self._make_page(view)
            self._pages[view] = page
            self._stack.addWidget(page)
            page.said.connect(self._context.say)
            page.save_wanted.connect(self._save_part)
            text = page.detail if isinstance(page, TablePage) else page
            if isinstance(text, TextPage):
                chips = TokenChips(text.edit, self._context, self._session)
                self._chips.append(chips)
                MarkMenu(text.edit, self._context, chips)
        return self._pages[view]

    def _make_page(self, view: str) -> tuple[Page, Callable[[Contents], None]]:
        """The page of a view, and how it shows a result."""
        theme = self._context.theme
        if view == TABLE:
            table = TablePage(theme)
            return table, lambda contents: table.show_value(contents.value)
        if view == TREE:
            tree = TreePage(theme)
            return tree, lambda contents: tree.show_value(contents.value)
        if view == PROSE:
            prose = ProsePage(theme)
            return prose, lambda contents: prose.show_markdown(contents.server_text)
        if view == PLOT:
            from workbench.gui.results.plot_page import PlotPage

            plot = PlotPage(theme)
            return plot, lambda contents: plot.show_value(contents.value)
        if view == IMAGE:
            from workbench.gui.results.parts_page import PicturePage

            pictures = PicturePage(theme)
            return pictures, lambda contents: pictures.show_pictures(contents.images)
        if view == PARTS:
            from workbench.gui.results.parts_page import PartsPage

            parts = PartsPage(theme)
            return parts, lambda contents: parts.show_parts(contents.blocks)
        if view == CHANGES:
            from workbench.gui.results.changes_page import ChangesPage

            changes = ChangesPage(theme)
            return changes, lambda contents: changes.show_change(self._before or "", contents.text())
        names = {JSON: "Result as JSON", RAW: "Raw result"}
        text = JsonPage(theme, names[view]) if view in names else TextPage(theme, "Result as text")
        return text, lambda contents: text.show_text(self._text(view))

    def _masked_page(self) -> ModelPage:
        if self._model is None:
            self._model = ModelPage(self._context)
            self._stack.addWidget(self._model)
            self._model.said.connect(self._context.say)
        return self._model

    def _clicked(self) -> None:
        """Choosing a view leaves the masked one."""
        self._eye.setChecked(False)
        self.look(self.view())

    def _eye_toggled(self) -> None:
        self._show_model()
        self.look(self.view())

    def _show_model(self) -> None:
        if self._eye.isChecked():
            self._masked_page().show_text(self._contents.text(), self._session)

    def _fill(self, view: str) -> None:
        """Fill a view when it is first shown."""
        if view in self._filled:
            return
        self._filled.add(view)
        self._page(view)
        self._fillers[view](self._contents)

    def _save_part(self, block: Content) -> None:
        name, data = file_of(block, "result")
        self._context.save_file(self, name, data)

    def _copy(self) -> None:
        text = self._masked_page().masked_text() if self._eye.isChecked() else self._text(self.view())
        QGuiApplication.clipboard().setText(text)
        self._context.say("Result copied.")

    def _text(self, view: str) -> str:
        """The result as the text of this view."""
        contents = self._contents
        return contents.raw() if view == RAW else pretty(contents.value) if view == JSON else contents.text()


def _with_texts(outcome: Outcome, texts: list[str]) -> Outcome:
    end = 1 + len(outcome.content)
    parts = zip(outcome.content, texts[1:end], texts[end:], strict=True)
    blocks = tuple(replace(block, text=text, data=data) for block, text, data in parts)
    return replace(outcome, structured=texts[0], content=blocks)
