"""The pane of the chosen tool. Sheets of other tools wait behind it with what was typed into them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TypeAlias

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import CallProgress, Event, PermissionsChanged, ToolsChanged, ToolsWarned
from workbench.gui.context import Context
from workbench.gui.docks.tool_call import CallPanel
from workbench.gui.docks.tool_sheet import ToolSheet
from workbench.gui.fault_card import FaultCard
from workbench.gui.forms.secret_fields import draft_without_secrets
from workbench.gui.pane import Pane
from workbench.gui.views import EmptyState
from workbench.records import Fault, JsonObject, Tool

Key: TypeAlias = tuple[str, str]

_SHEETS = 16  # tools whose whole sheet is kept; of older ones only the arguments


class ToolPane(Pane):
    """`show_tool` opens one; the rest is in its sheet."""

    code_wanted = Signal(str)
    """A program that makes the same call, for the editor."""
    status_message = Signal(str)
    form_changed = Signal(str, str)
    """What stands in the form of this server's tool is another; `draft` answers it."""
    opened = Signal(str, str)
    """This tool of this server is on screen."""
    save_wanted = Signal(object, object)
    """A SavedCall without a name, and the last Outcome or None."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._sheets: OrderedDict[Key, ToolSheet] = OrderedDict()
        self._typed: dict[Key, JsonObject] = {}  # drafts of the forms whose sheet is gone
        self._schemas: dict[Key, JsonObject] = {}  # of each form that was opened, to know which fields are secret
        self._wanted: Key = ("", "")
        self._enter = False  # the keyboard goes into the form as soon as it is there
        self._waiting: dict[Key, tuple[JsonObject, bool]] = {}  # arguments for a form that is not there yet
        self._fault = FaultCard(context.theme)
        words = "Pick a tool on the left: its description, its form and its source open here."
        self._empty = EmptyState(context.theme, "tool", "No tool chosen", words)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._fault)
        layout.addWidget(self._pages, 1)

    def show_tool(self, server: str, name: str, *, enter: bool = False) -> None:
        """Open a tool; the answer of a slower, earlier wish never replaces a later one."""
        key = (server, name)
        self._wanted = key
        self._enter = enter
        if key in self._sheets:
            self._sheets[key].companions.refresh()
            self._present(key)
            return
        self.context.tasks.run("read a tool", self._load(key))

    def draft(self, server: str, name: str) -> JsonObject | None:
        """What stands in a form, without its secrets; None where that cannot be kept."""
        key = (server, name)
        draft = self._sheets[key].call.form.draft() if key in self._sheets else self._typed.get(key)
        return draft_without_secrets(draft, self._schemas[key]) if draft and key in self._schemas else None

    def bring_back(self, drafts: Mapping[Key, JsonObject]) -> None:
        """What stood in forms before the window was opened; it is shown as soon as its tool is."""
        self._typed = {**drafts, **self._typed}

    async def bring_back_tool(self, server: str, name: str) -> bool:
        """Open the tool that was open before; False where it is gone, or another one is wanted by now."""
        try:
            tool = await self.context.api.tool(server, name)
        except WorkbenchError:
            return False
        if self._wanted != ("", ""):
            return False
        self._wanted = (server, name)
        self._add((server, name), tool)
        self._present((server, name))
        return True

    def show_call(self, server: str, name: str, arguments: JsonObject, *, start: bool) -> None:
        """Open a tool with these arguments in its form; with `start`, call it."""
        self._waiting[(server, name)] = (arguments, start)
        self.show_tool(server, name)

    def sheet(self) -> ToolSheet | None:
        """The sheet on screen."""
        shown = self._pages.currentWidget()
        return shown if isinstance(shown, ToolSheet) else None

    def run(self) -> None:
        """Call the tool on screen."""
        if (sheet := self.sheet()) is not None:
            sheet.call.run()

    def call(self) -> CallPanel | None:
        """The form and answer of the tool on screen; without one the status bar says so."""
        sheet = self.sheet()
        if sheet is None:
            self.status_message.emit("No tool is open: pick one on the left.")
        return sheet.call if sheet else None

    def hear(self, event: Event) -> None:
        if isinstance(event, CallProgress):
            for sheet in self._sheets.values():
                sheet.call.progress(event)
        elif isinstance(event, PermissionsChanged):
            for sheet in self._sheets.values():
                sheet.trust.show_permissions(event.permissions)
        elif isinstance(event, ToolsWarned):
            self._mark(event.server)
        elif isinstance(event, ToolsChanged):
            self._mark(event.server)
            for key in [key for key in self._sheets if key[0] == event.server]:
                self.context.tasks.run("read a changed tool", self._reload(key))

    def _mark(self, server: str) -> None:
        for sheet in self._sheets.values():
            if sheet.tool.server == server:
                sheet.marks.refresh()

    def refresh(self) -> None:
        for key in list(self._sheets):
            self.context.tasks.run("read a tool again", self._reload(key))

    async def _load(self, key: Key) -> None:
        try:
            tool = await self.context.api.tool(*key)
        except WorkbenchError as fault:
            self._waiting.pop(key, None)
            if key == self._wanted:
                self._fault.show_fault(Fault(fault.message, fault.hint))
            return
        self._add(key, tool)
        if key == self._wanted:
            self._present(key)

    async def _reload(self, key: Key) -> None:
        """A changed definition gets a new sheet with the old arguments; a running call is left in peace."""
        try:
            tool = await self.context.api.tool(*key)
        except WorkbenchError:
            return  # the tool is gone; what was typed stays readable until another tool is opened
        sheet = self._sheets.get(key)
        if sheet is None or sheet.tool == tool:
            return
        if sheet.tool.raw == tool.raw and sheet.tool.hash == tool.hash:
            sheet.weigh(tool)
            return
        if sheet.call.running:
            return
        self._remember(key)
        self._add(key, tool)
        if key == self._wanted:
            self._present(key)

    def _add(self, key: Key, tool: Tool) -> None:
        if key in self._sheets:
            return
        sheet = ToolSheet(self.context, tool)
        sheet.wished.connect(self.wished)
        sheet.code_wanted.connect(self.code_wanted)
        sheet.status_message.connect(self.status_message)
        sheet.call.menu.save_wanted.connect(self.save_wanted)
        if key in self._typed:
            sheet.call.form.show_draft(self._typed.pop(key))
        sheet.call.edited.connect(self.form_changed)
        self._schemas[key] = tool.input_schema
        self._sheets[key] = sheet
        self._pages.addWidget(sheet)
        idle = [old for old, kept in self._sheets.items() if old != key and not kept.call.running]
        for old in idle[: max(0, len(self._sheets) - _SHEETS)]:
            self._remember(old)

    def _remember(self, key: Key) -> None:
        sheet = self._sheets.pop(key)
        self._typed[key] = sheet.call.form.draft()
        self._pages.removeWidget(sheet)
        sheet.hide()
        sheet.deleteLater()

    def _present(self, key: Key) -> None:
        self._fault.show_fault(None)
        self._sheets.move_to_end(key)
        self._pages.setCurrentWidget(self._sheets[key])
        self.setFocusProxy(self._sheets[key].call)
        self.opened.emit(*key)
        if self._enter:
            self._enter = False
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if key in self._waiting:
            arguments, start = self._waiting.pop(key)
            self._sheets[key].call.take(arguments, start=start)
