"""Shows the result of a call or run in the view that suits it best, and in all others that are possible.

A view is filled when it is first shown. Long text arrives as a preview; a few megabytes are fetched at once, more only
on request.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from workbench.gui.kit.controls import FoldingRow
from workbench.gui.kit.json_text import pretty
from workbench.gui.kit.lists import tool_button
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
    Contents,
    of_json,
    of_outcome,
)
from workbench.gui.results.page import FindBar, Page
from workbench.gui.results.parts_page import PartsPage
from workbench.gui.results.picture_page import PicturePage
from workbench.gui.results.plot_page import PlotPage, chart_of
from workbench.gui.results.saving import ask_and_save, file_of
from workbench.gui.results.table_page import TablePage
from workbench.gui.results.text_pages import LONGEST_COMPARED as LONGEST
from workbench.gui.results.text_pages import ChangesPage, JsonPage, ModelPage, ProsePage, TextPage
from workbench.gui.results.token_chips import MarkMenu, TokenChips
from workbench.gui.results.tree_page import TreePage
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, size_words, whole_size
from workbench.records import Content, Outcome

_AT_ONCE = 4_000_000  # characters fetched without asking

_HEAD_LETTERS = 58  # of width from which views and actions share a row


class ResultView(QWidget):
    """Show with `show_outcome`, `show_json` or `show_text`."""

    shown = Signal()
    """A complete result is on screen."""

    def __init__(
        self, context: Context, parent: QWidget | None = None, *, compares: bool = False, seen: bool = False
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._seen = seen  # shows what a model got, with its tokens
        self._compares = compares  # all results come from one tool, so that they can be compared
        self._contents = Contents()
        self._before: str | None = None  # text of the previous answer
        self._filled: set[str] = set()
        self._waiting: list[str] = []
        self._views: tuple[str, ...] = (TEXT,)
        self._pages: dict[str, Page] = {}
        self._buttons: dict[str, QPushButton] = {}
        self._build()
        context.theme.changed.connect(self._apply_theme)

    def clear(self) -> None:
        self._before = None
        self._contents = Contents()
        self._show(Contents())

    def show_outcome(self, outcome: Outcome) -> None:
        """Show the answer of a call."""
        blocks = outcome.content
        long = [outcome.structured, *(block.text for block in blocks), *(block.data for block in blocks)]
        if self._shelved(long, lambda texts: self._show(of_outcome(_with_texts(outcome, texts)))):
            return
        self._show(of_outcome(outcome))

    def show_json(self, text: str) -> None:
        """Show a result that is JSON text, for example of a run."""
        if not self._shelved([text], lambda texts: self.show_json(texts[0])):
            self._show(of_json(text))

    def show_text(self, text: str) -> None:
        if not self._shelved([text], lambda texts: self.show_text(texts[0])):
            self._show(Contents(words=text))

    def views(self) -> tuple[str, ...]:
        """The views of this result, the best one first."""
        return self._views

    def view(self) -> str:
        """The view on screen."""
        return next((name for name, button in self._buttons.items() if button.isChecked()), TEXT)

    def page(self) -> Page:
        """The page on screen."""
        return self._model if self._eye.isChecked() else self._pages[self.view()]

    def look(self, view: str) -> None:
        self._buttons[view].setChecked(True)
        self._fill(view)
        self._stack.setCurrentWidget(self._model if self._eye.isChecked() else self._pages[view])

    def show_tokens_of(self, session: str) -> None:
        """Tokens in the text stand for values of this session."""
        for chips in self._chips:
            chips.show_tokens_of(session)

    def show_masked(self, yes: bool) -> None:
        """Show the result as a model would get it, or unmasked."""
        self._eye.setChecked(yes)

    def open_find(self) -> None:
        """Search in the view on screen, or in another one if it cannot be searched."""
        if self.view() in (IMAGE, PARTS, RAW, CHANGES) and not self._eye.isChecked():
            self.look(TREE if TREE in self._views else TEXT if TEXT in self._views else RAW)
        self._find.open_bar()

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
        ask_and_save(self._context, self, name, contents.text().encode("utf-8", "surrogatepass"))

    def _show(self, contents: Contents) -> None:
        self._waiting = []
        self._remember()
        self._contents = contents
        self._filled = set()
        self._views = (*contents.views, *((CHANGES,) if self._comparable() else ()))
        for name, button in self._buttons.items():
            button.setVisible(name in self._views and len(self._views) > 1)
        self._more.hide()
        self._find.say("")
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
            text = self._contents.text() if outcome.bytes <= LONGEST else ""
            self._before = text if 0 < len(text) <= LONGEST else None

    def _comparable(self) -> bool:
        if self._before is None or self._contents.outcome is None or self._contents.outcome.bytes > LONGEST:
            return False
        text = self._contents.text()
        return 0 < len(text) <= LONGEST and text != self._before

    def _shelved(self, texts: list[str], again: Callable[[list[str]], None]) -> bool:
        """Whether a part of the result is still in the core; then the preview is shown until it is fetched."""
        missing = whole_size(texts)
        self._waiting = []
        if not missing:
            return False
        preview = next(text for text in texts if whole_size([text]))
        self._show(Contents(words=preview))
        self._again, self._waiting = again, texts
        if missing <= _AT_ONCE:
            self._fetch()
        else:
            self._note.setText(f"Only the beginning of {size_words(missing)} is shown.")
            self._all.setText(f"Show all ({size_words(missing)})")
            self._all.setEnabled(True)
            self._more.show()
        return True

    def _fetch(self) -> None:
        self._all.setEnabled(False)
        again = self._again
        texts = self._waiting

        def done(found: list[str]) -> None:
            if texts is self._waiting:
                again(found)

        self._context.tasks.run("fetch a long result", fetch_whole(self._context.fetch, texts), done)

    def _build(self) -> None:
        theme, unit = self._context.theme, self._context.theme.unit
        self._saving = False
        self._stack = QStackedWidget(self)
        self._stack.setMinimumHeight(unit * 14)  # a page with a row of buttons must not make a window grow
        self._find = FindBar(theme, self)
        self._find.wanted.connect(self._seek)
        self._find.closed.connect(self._stack.setFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head(unit))
        layout.addWidget(self._more_bar(unit))
        layout.addWidget(self._find)
        layout.addWidget(self._stack, 1)
        self._table, self._tree = TablePage(theme), TreePage(theme)
        self._plot = PlotPage(theme)
        self._pictures, self._parts = PicturePage(theme), PartsPage(theme)
        self._model = ModelPage(self._context)
        for view, page in (
            (TABLE, self._table),
            (TREE, self._tree),
            (PLOT, self._plot),
            (PROSE, ProsePage(theme)),
            (IMAGE, self._pictures),
            (PARTS, self._parts),
            (JSON, JsonPage(theme, "Result as JSON")),
            (TEXT, TextPage(theme, "Result as text")),
            (RAW, JsonPage(theme, "Raw result")),
            (CHANGES, ChangesPage(theme)),
        ):
            self._pages[view] = page
            self._stack.addWidget(page)
        self._stack.addWidget(self._model)
        texts = [page.edit for page in self._pages.values() if isinstance(page, TextPage)]
        texts.append(self._table.detail.edit)
        self._chips = [TokenChips(edit, self._context) for edit in texts]
        for edit in texts:
            MarkMenu(edit, self._context)
        self._table.said.connect(self._context.say)
        self._tree.said.connect(self._context.say)
        self._pictures.save_wanted.connect(self._save_part)
        self._parts.save_wanted.connect(self._save_part)
        self._apply_theme()
        self.clear()

    def _head(self, unit: int) -> FoldingRow:
        views, actions = QHBoxLayout(), QHBoxLayout()
        self._group = QButtonGroup(self)
        for name in (TABLE, TREE, PLOT, PROSE, IMAGE, PARTS, JSON, TEXT, RAW, CHANGES):
            button = QPushButton(name, self)
            button.setCheckable(True)
            button.clicked.connect(self._clicked)
            mark(button, kind="chip")
            self._group.addButton(button)
            self._buttons[name] = button
            views.addWidget(button)
        views.addStretch(1)
        actions.addStretch(1)
        self._eye = tool_button("eye-off", "As a model sees it", self._context.theme)
        self._eye.setCheckable(True)
        self._eye.toggled.connect(self._eye_toggled)
        actions.addWidget(self._eye)
        for symbol, words, act in (
            ("search", "Find in the result (Ctrl+F)", self.open_find),
            ("copy", "Copy the result", self._copy),
            ("save", "Save the result…", self.save),
        ):
            tool = tool_button(symbol, words, self._context.theme)
            tool.clicked.connect(act)
            actions.addWidget(tool)
        for part in (views, actions):
            part.setSpacing(unit)
        head = FoldingRow(_HEAD_LETTERS if self._compares else 0, views, actions, unit)
        head.setContentsMargins(unit * 3, unit, unit * 2, unit)
        return head

    def _more_bar(self, unit: int) -> QFrame:
        self._more = QFrame(self)
        mark(self._more, kind="banner", tone="info")
        row = QHBoxLayout(self._more)
        row.setContentsMargins(unit * 3, unit, unit * 3, unit)
        self._note = ForeignLabel()
        self._all = QPushButton(self._more)
        self._all.clicked.connect(self._fetch)
        row.addWidget(self._note, 1)
        row.addWidget(self._all)
        return self._more

    def _apply_theme(self) -> None:
        mono = self._context.theme.mono()
        self._tree.tree.setFont(mono)
        for page in (*self._pages.values(), self._model.text):
            if isinstance(page, TextPage):
                page.edit.setFont(mono)

    def _clicked(self) -> None:
        """Choosing a view leaves the masked one."""
        self._eye.setChecked(False)
        self.look(self.view())

    def _eye_toggled(self) -> None:
        self._show_model()
        self.look(self.view())

    def _show_model(self) -> None:
        if self._eye.isChecked():
            self._model.show_text(self._contents.text())

    def _fill(self, view: str) -> None:
        """Fill a view when it is first shown."""
        if view in self._filled:
            return
        self._filled.add(view)
        contents, page = self._contents, self._pages[view]
        match page:
            case TextPage():
                page.show_text(self._text(view))
            case TreePage() | TablePage():
                page.show_value(contents.value)
            case PlotPage():
                if (chart := chart_of(contents.value)) is not None:
                    page.show_chart(chart)
            case ProsePage():
                page.show_markdown(contents.words)
            case PicturePage():
                page.show_pictures(contents.images)
            case PartsPage():
                page.show_parts(contents.blocks)
            case ChangesPage():
                page.show_change(self._before or "", contents.text())

    def _seek(self, words: str, step: int) -> None:
        self._find.say(self.page().seek(words, step))

    def _save_part(self, block: Content) -> None:
        name, data = file_of(block, "result")
        ask_and_save(self._context, self, name, data)

    def _copy(self) -> None:
        text = self._model.masked_text() if self._eye.isChecked() else self._text(self.view())
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
