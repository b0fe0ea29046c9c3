"""The open tools, one tab each. The last one that was only looked at shares a preview tab with the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QMenu,
    QStackedWidget,
    QStyle,
    QStyleOptionTab,
    QStylePainter,
    QTabBar,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.events import ToolsChanged, ToolsWarned
from workbench.gui.forms.text_purpose import draft_without_secrets
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import EmptyState
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import one_line, plain_tip
from workbench.gui.shell.context import Context
from workbench.gui.shell.tabs import TabbedPane, add_close_button
from workbench.gui.tools.tool_page import ToolPage
from workbench.records import Fault, JsonObject, ToolView

Key: TypeAlias = tuple[str, str]
"""The names of a server and of its tool."""

_MOST_PAGES = 16  # tabs whose page is kept; of the others only the arguments, and the page is made again when needed
_TITLE = 28  # characters of a tab's title

_COMMANDS: Final[Mapping[str, Callable[[ToolPage], object]]] = {
    "tool.json": lambda page: page.call.switch_json(),
    "tool.paste": lambda page: page.call.paste(),
    "tool.reset": lambda page: page.call.reset(),
    "tool.back": lambda page: page.call.bring_back(),
    "tool.save": lambda page: page.call.menu.save(),
    "tool.copy": lambda page: page.call.menu.showMenu(),
    "tool.trust": lambda page: page.show_trust(),
    "result.save": lambda page: page.call.answer.result.save(),
}


class ToolTabs(QTabBar):
    """Tabs that can be moved and closed with the middle button; the title of the preview tab is italic."""

    def __init__(self) -> None:
        super().__init__()
        self.preview: Key | None = None
        self._dragged = False
        self.setMovable(True)
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setAccessibleName("Open tools")

    def keys(self) -> tuple[Key, ...]:
        return tuple(self.key(number) for number in range(self.count()))

    def key(self, number: int) -> Key:
        server, tool = self.tabData(number) or ("", "")
        return str(server), str(tool)

    def number(self, key: Key) -> int:
        return next((number for number, other in enumerate(self.keys()) if other == key), -1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = False
        number = self.tabAt(event.position().toPoint())
        if event.button() is Qt.MouseButton.MiddleButton and number >= 0:
            self.tabCloseRequested.emit(number)
        else:
            super().mouseReleaseEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._dragged = bool(event.buttons() & Qt.MouseButton.LeftButton)
        super().mouseMoveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt has no font per tab. While a tab is dragged Qt draws all of them, because it leaves that one out."""
        if self.preview is None or self._dragged:
            super().paintEvent(event)
            return
        painter = QStylePainter(self)
        for number in range(self.count()):
            font = self.font()
            font.setItalic(self.key(number) == self.preview)
            painter.setFont(font)
            option = QStyleOptionTab()
            self.initStyleOption(option, number)
            painter.drawControl(QStyle.ControlElement.CE_TabBarTab, option)


class ToolPane(TabbedPane):
    """`show_tool` opens a tool in a tab. Its page is loaded when the tab comes to the front."""

    form_changed = Signal(str, str)
    """The form of this server's tool was edited; `draft` returns its content."""
    opened = Signal(str, str)
    """The tool of this server is on screen."""
    tabs_changed = Signal()
    """Tabs were opened, closed or moved; `open_tools` returns them."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._pages: OrderedDict[Key, ToolPage] = OrderedDict()  # the one that was in front last is the last
        self._drafts: dict[Key, JsonObject] = {}  # of forms that have no page
        self._schemas: dict[Key, JsonObject] = {}  # of forms that had a page, to know which fields are secret
        self._outdated: set[Key] = set()  # pages to be compared with the core when they come to the front
        self._wanted: Key = ("", "")  # the tool to be shown; an answer about another one does not come to the front
        self._enter = False  # the keyboard goes into the form as soon as it is there
        self._arguments: dict[Key, tuple[JsonObject, bool]] = {}  # for forms that are not there yet
        self.fault = Notice(context.theme)
        self.tabs = self.tab_bar = ToolTabs()
        self._closed: list[Key] = []
        self._empty = EmptyState(
            context.theme, "tool", "No tool open", "Choose a tool in the list of servers to see its form and call it."
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.setMinimumHeight(1)
        column(self, self.tabs, self.fault, self._stack, grows=self._stack)
        self.tabs.hide()
        self.tabs.currentChanged.connect(self._turned)
        self.tabs.tabBarDoubleClicked.connect(lambda number: self._keep(self.tabs.key(number)))
        self.tabs.tabCloseRequested.connect(lambda number: self.close_tool(*self.tabs.key(number)))
        self.tabs.tabMoved.connect(self.tabs_changed)
        self.tabs.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tabs.customContextMenuRequested.connect(self._open_menu)
        context.store.on(ToolsChanged, self._definitions_changed)
        context.store.on(ToolsWarned, self._definitions_changed)
        context.store.linked.connect(self._linked)
        for name, act in _COMMANDS.items():
            context.commands.bind(name, partial(self._do, act))

    # what others ask for

    def show_tool(self, server: str, name: str, *, enter: bool = False, stay: bool = False) -> None:
        """Open a tool in the preview tab, with `stay` in its own; `enter` also puts the keyboard into its form."""
        if stay or enter:
            self._keep((server, name))
        self._show((server, name), enter=enter, stay=stay or enter)

    def show_call(self, server: str, name: str, arguments: JsonObject, *, start: bool) -> None:
        """Open a tool with these arguments in its form; with `start`, call it."""
        self._arguments[(server, name)] = (arguments, start)
        self.show_tool(server, name, enter=True)

    def close_tool(self, server: str, name: str) -> None:
        """Close a tab; a running call goes on in the core and is in the history. What was typed stays with the tool."""
        key = (server, name)
        if self.tabs.number(key) >= 0:
            self._remove_tab(key)
            self._closed.append(key)
            self.tab_closed.emit()

    def reopen(self) -> None:
        """Open the tool again whose tab was closed last."""
        if self._closed:
            self.show_tool(*self._closed.pop(), enter=True)

    def restore(self, tools: Sequence[Key], front: Key) -> None:
        """Open these tabs again, without their pages; the tool of `front` is loaded."""
        for key in tools:
            if self.tabs.number(key) < 0:
                self._add_tab(key, at_end=True)
        if self._wanted == ("", "") and self.tabs.number(front) >= 0:
            self.tabs.setCurrentIndex(self.tabs.number(front))
            self._turned(self.tabs.currentIndex())

    def restore_drafts(self, drafts: Mapping[Key, JsonObject]) -> None:
        """What was in forms before the window was opened; it is shown as soon as its tool is."""
        self._drafts = {**drafts, **self._drafts}

    def open_tools(self) -> tuple[Key, ...]:
        """The tools that have a tab, in their order."""
        return self.tabs.keys()

    def draft(self, server: str, name: str) -> JsonObject | None:
        """The content of a form without its secrets; None if it cannot be stored."""
        key = (server, name)
        draft = self._pages[key].call.form.draft() if key in self._pages else self._drafts.get(key)
        return draft_without_secrets(draft, self._schemas[key]) if draft and key in self._schemas else None

    def page(self) -> ToolPage | None:
        """The page of the tool in front."""
        shown = self._stack.currentWidget()
        return shown if isinstance(shown, ToolPage) else None

    def run(self) -> None:
        """Call the tool in front."""
        if (page := self.page()) is not None:
            page.call.run()

    def find_in_answer(self) -> None:
        """Search in the answer of the tool on screen."""
        self._do(lambda page: page.call.answer.result.open_find())

    def _do(self, work: Callable[[ToolPage], object]) -> None:
        page = self.page()
        if page is None:
            self.context.say("No tool is open. Choose one in the list of servers.")
            return
        self.front_wanted.emit()
        work(page)

    # tabs

    def _add_tab(self, key: Key, *, at_end: bool = False) -> None:
        place = self.tabs.count() if at_end else self.tabs.currentIndex() + 1
        self.tabs.blockSignals(True)  # it comes to the front when its page is there
        number = self.tabs.insertTab(place, one_line(key[1], _TITLE).replace("&", "&&"))
        self.tabs.setTabData(number, list(key))
        self.tabs.blockSignals(False)
        self.tabs.setTabToolTip(number, plain_tip(f"{key[0]} › {key[1]}"))
        add_close_button(self.tabs, number, one_line(key[1], _TITLE), self.context.theme)
        self.tabs.show()
        self.tabs_changed.emit()

    def _remove_tab(self, key: Key) -> None:
        """The next tab comes to the front first: the keyboard goes from the closed form into its form."""
        if key == self.tabs.preview:
            self.tabs.preview = None
        if key == self._wanted:
            self._wanted = ("", "")
        self.tabs.removeTab(self.tabs.number(key))
        if key in self._pages:
            self._drop_page(key)
        self.tabs_changed.emit()

    def _keep(self, key: Key) -> None:
        """The preview tab of this tool becomes an ordinary one."""
        if key == self.tabs.preview:
            self.tabs.preview = None
            self.tabs.update()

    def _turned(self, number: int) -> None:
        """Show the page of the tab that came to the front."""
        self.tabs.setVisible(self.tabs.count() > 0)
        if number < 0:
            self._stack.setCurrentWidget(self._empty)
            self.setFocusProxy(self._empty)
            self.tabs_changed.emit()
            return
        key = self.tabs.key(number)
        if key != self._wanted:
            focus = QApplication.focusWidget()
            self._show(key, enter=focus is not None and self.isAncestorOf(focus))

    def _open_menu(self, place: QPoint) -> None:
        number = self.tabs.tabAt(place)
        if number < 0:
            return
        key = self.tabs.key(number)
        others = [other for other in self.open_tools() if other != key]
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Close", partial(self._close_all, [key]))
        menu.addAction("Close others", partial(self._close_all, others)).setEnabled(bool(others))
        menu.addAction("Close all", partial(self._close_all, [*others, key]))
        menu.addSeparator()
        menu.addAction("Keep open", partial(self._keep, key)).setEnabled(key == self.tabs.preview)
        menu.popup(self.tabs.mapToGlobal(place))

    def _close_all(self, keys: Sequence[Key]) -> None:
        for key in keys:
            self.close_tool(*key)

    # pages

    def _show(self, key: Key, *, enter: bool, stay: bool = False) -> None:
        self._wanted, self._enter = key, enter
        if key in self._pages:
            self._outdated.add(key)
            self._present(key)
        else:
            self.context.tasks.run("read a tool", self._open(key, stay=stay))

    async def _open(self, key: Key, *, stay: bool) -> None:
        try:
            view = await self.context.api.tool_view(*key)
        except WorkbenchError as fault:
            self._arguments.pop(key, None)
            if key == self._wanted:
                self.fault.show_fault(Fault(fault.message, fault.hint))
            return
        if self.tabs.number(key) < 0:
            if key != self._wanted:
                return  # the user is at another tool already, or closed this one
            before, kept = self.tabs.preview, stay or key in self._arguments
            self._add_tab(key)
            self.tabs.preview = before if kept else key
            if before is not None and not kept:
                self._remove_tab(before)
        self._add_page(key, view)
        if key == self._wanted:
            self._present(key)

    def _add_page(self, key: Key, view: ToolView) -> None:
        if key in self._pages:
            return
        page = ToolPage(self.context, view)
        if key in self._drafts:
            page.call.form.show_draft(self._drafts.pop(key))
        page.call.edited.connect(partial(self._edited, key))
        page.call.started.connect(partial(self._keep, key))
        page.call.finished.connect(partial(self._compare_later, key))
        self._schemas[key] = view.tool.input_schema
        self._pages[key] = page
        self._stack.addWidget(page)
        idle = [old for old, kept in self._pages.items() if old != key and not kept.call.running]
        for old in idle[: max(0, len(self._pages) - _MOST_PAGES)]:
            self._drop_page(old)

    def _edited(self, key: Key) -> None:
        self._keep(key)
        self.form_changed.emit(*key)

    def _drop_page(self, key: Key) -> None:
        page = self._pages.pop(key)
        self._outdated.discard(key)
        self._drafts[key] = page.call.form.draft()
        self._stack.removeWidget(page)
        page.hide()
        page.deleteLater()

    def _present(self, key: Key) -> None:
        self.fault.show_fault(None)
        self._pages.move_to_end(key)
        self._stack.setCurrentWidget(self._pages[key])
        self.tabs.setCurrentIndex(self.tabs.number(key))
        self.setFocusProxy(self._pages[key].call)
        self.opened.emit(*key)
        arguments, start = self._arguments.pop(key, (None, False))
        if arguments is not None:
            self._pages[key].call.fill(arguments)
        if self._enter:
            self._enter = False
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if start:
            self._pages[key].call.run()
        self._compare()

    # changes in the core

    def _definitions_changed(self, event: ToolsChanged | ToolsWarned) -> None:
        self._outdated.update(key for key in self._pages if key[0] == event.server)
        self._compare()

    def _linked(self) -> None:
        self._outdated.update(self._pages)
        self._compare()

    def _compare_later(self, _key: Key, _outcome: object = None) -> None:
        """After a call: while it ran, its page was left alone."""
        QTimer.singleShot(0, self, self._compare)

    def _compare(self) -> None:
        """Read the tool in front again where it may have changed."""
        key = self._wanted
        if key in self._outdated and key in self._pages:
            self._outdated.discard(key)
            self.context.tasks.run("read a tool again", self._update(key))

    async def _update(self, key: Key) -> None:
        """A changed definition gets a new page with the old arguments, but not while a call is running."""
        try:
            view = await self.context.api.tool_view(*key)
        except WorkbenchError:
            return  # the tool is gone; what was typed stays readable until its tab is closed
        page = self._pages.get(key)
        if page is None:
            return
        if page.tool.raw == view.tool.raw and page.tool.hash == view.tool.hash:
            page.show_view(view)
        elif page.call.running:
            self._outdated.add(key)
        else:
            place, focus = page.call.form.focus_place(), QApplication.focusWidget()
            self._enter = self._enter or (focus is not None and page.isAncestorOf(focus))
            self._drop_page(key)
            self._add_page(key, view)
            if key == self._wanted:
                self._present(key)
                if place is not None:
                    self._pages[key].call.form.restore_focus(place)
