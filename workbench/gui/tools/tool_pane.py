"""What one should know before one calls a tool: that it is blocked or new, and what is odd about its definition."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TypeAlias

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from workbench import tokens
from workbench.errors import WorkbenchError
from workbench.events import CallProgress, Event, PermissionsChanged, ToolsChanged, ToolsWarned
from workbench.gui.code.code_view import CodeView
from workbench.gui.forms.secret_fields import draft_without_secrets
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.json_text import dump
from workbench.gui.kit.lists import EmptyState, label
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import amount, cost, hint_words, is_unverified, sign
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import FilterServers, ShowServer, ShowTool
from workbench.gui.tools.call_panel import CallPanel
from workbench.gui.tools.trust_page import ToolTrust
from workbench.records import ChangeKind, Companion, DefinitionChange, Fault, JsonObject, Tool, ToolWarning


class ToolMarks(QWidget):
    """Hidden while there is nothing to say; asks the core by itself."""

    changes_wanted = Signal()

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self.card = FaultCard(context.theme)
        self._show_changes = QPushButton("See what changed")
        mark(self._show_changes, kind="link")
        self._show_changes.clicked.connect(self.changes_wanted)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.card)
        row = QHBoxLayout()
        row.setContentsMargins(context.theme.unit * 9, 0, context.theme.unit * 3, context.theme.unit)
        row.addWidget(self._show_changes)
        row.addStretch(1)
        column.addLayout(row)
        self.hide()
        self.refresh()

    def refresh(self) -> None:
        self._context.tasks.run("read a tool's marks", self._read())

    async def _read(self) -> None:
        warnings = await self._context.api.warnings(self._tool.server)
        changes = await self._context.api.definition_changes(self._tool.server)
        self._show(
            [one for one in warnings if one.tool == self._tool.name],
            next((one for one in changes if one.tool == self._tool.name), None),
        )

    def _show(self, warnings: list[ToolWarning], change: DefinitionChange | None) -> None:
        blocked = change is not None and change.blocked
        self._show_changes.setVisible(change is not None)
        self.setVisible(bool(warnings) or blocked)
        odd = [f"{one.message} {one.why}" for one in warnings]
        if blocked:
            words = "This tool is blocked: its definition changed after you approved it."
            hint = "What you see here is the approved one. Read the change, then approve it."
            self.card.show_fault(Fault(words, "\n".join((hint, *odd))))
        elif warnings:
            words = warnings[0].message if len(warnings) == 1 else f"{len(warnings)} things are odd here."
            self.card.show_fault(
                Fault(words, warnings[0].why if len(warnings) == 1 else "\n".join(odd)), tone="warning"
            )
        else:
            self.card.show_fault(None)
        if change is not None and change.kind is not ChangeKind.CHANGED:
            self._show_changes.hide()


_SHOWN = 4


class ToolCompanions(QWidget):
    """Hidden while there is neither; asks the core by itself."""

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self._category = ""
        self._companions: tuple[Companion, ...] = ()
        unit = context.theme.unit
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(unit * 3, 0, unit * 3, unit)
        self._row.setSpacing(unit * 3)
        self.hide()
        self.refresh()

    def refresh(self) -> None:
        self._context.tasks.run("read what a tool is used with", self._read())

    def buttons(self) -> list[QPushButton]:
        return self.findChildren(QPushButton)

    async def _read(self) -> None:
        api = self._context.api
        states = {state.config.name: state.config.category for state in await api.servers()}
        found = (await api.companions(self._tool.server, self._tool.name))[:_SHOWN]
        category = states.get(self._tool.server, "")
        if (category, found) != (self._category, self._companions):
            self._category, self._companions = category, found
            self._draw()

    def _draw(self) -> None:
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if self._category:
            self._row.addWidget(label("Category", "muted"))
            button = self._button(self._category, "Show the servers of this category")
            button.clicked.connect(self._show_category)
        if self._companions:
            self._row.addWidget(label("Often used with", "muted"))
        for place, one in enumerate(self._companions):
            name = one.tool if one.server == self._tool.server else f"{one.server} › {one.tool}"
            button = self._button(name, f"Ran in {one.times} programs together with this tool")
            button.setProperty("place", place)
            button.clicked.connect(self._show_companion)
        self._row.addStretch(1)
        self.setVisible(bool(self._category or self._companions))

    def _button(self, words: str, tip: str) -> QPushButton:
        button = QPushButton(one_line(words, 60), self)
        button.setMinimumWidth(self._context.theme.unit * 10)  # a narrow window cuts names, and does not grow
        button.setToolTip(tip)
        mark(button, kind="link")
        self._row.addWidget(button)
        return button

    def _show_category(self) -> None:
        self._context.go(FilterServers(self._category))

    def _show_companion(self) -> None:
        one = self._companions[self.sender().property("place")]
        self._context.go(ShowTool(one.server, one.tool, enter=True))


_CALL, _DESCRIPTION, _SCHEMA, _WRAPPER, _TRUST = range(5)
_SIGNS = {"danger": "alert", "success": "eye", "warning": "pencil", "info": "globe"}


class ToolSheet(QWidget):
    """Kept while other tools are looked at, so that nothing typed is lost and a running call goes on."""

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.tool = tool
        self.call = CallPanel(context, tool)
        self.marks = ToolMarks(context, tool)
        self.trust = ToolTrust(context, tool)
        self.call.trust_wanted.connect(self._show_trust)
        self.marks.changes_wanted.connect(self._wish_changes)
        self.companions = ToolCompanions(context, tool)
        self._badges = QHBoxLayout()
        self._tabs = QTabBar()
        self._pages = QStackedWidget()
        self._build()

    def look(self, tab: int) -> None:
        self._tabs.setCurrentIndex(tab)

    def weigh(self, tool: Tool) -> None:
        """The same definition, trusted otherwise than before."""
        self.tool = tool
        self.trust.show_tool(tool)
        self._show_badges()

    def tab_words(self) -> tuple[str, ...]:
        return tuple(self._tabs.tabText(number) for number in range(self._tabs.count()))

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head())
        layout.addWidget(self.companions)
        layout.addWidget(self.marks)
        layout.addWidget(self._tabs)
        layout.addWidget(self._pages, 1)
        definition, schema = self._definition(), "Schema"
        for words, page in (
            ("Call", self.call),
            (self._cost("Description", self.tool.description), self._description()),
            (f"{schema}  {sign()}{amount(self.tool.definition_tokens)}", self._code(definition, "json", schema)),
            ("Wrapper", self._code("", "python", "Wrapper source")),
            ("Trust", self.trust),
        ):
            self._tabs.addTab(words)
            self._pages.addWidget(page)
        self._tabs.setTabToolTip(_SCHEMA, "A model reads its name, description and input schema.")
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setAccessibleName("Parts of the tool")
        self._tabs.currentChanged.connect(self._switched)

    def _wish_changes(self) -> None:
        self._context.go(ShowServer(self.tool.server, "changes"))

    def _head(self) -> QFrame:
        unit = self._context.theme.unit
        head = QFrame()
        column = QVBoxLayout(head)
        column.setContentsMargins(unit * 3, unit * 3, unit * 3, unit)
        column.setSpacing(unit)
        first = QHBoxLayout()
        first.setSpacing(unit * 2)
        name = ForeignLabel(self.tool.title or self.tool.name, elide=True)
        mark(name, role="heading")
        first.addWidget(name, 1)
        first.addLayout(self._badges)
        self._show_badges()
        column.addLayout(first)
        path = ForeignLabel(self._path(), elide=True)
        mark(path, role="muted")
        column.addWidget(path)
        sentence = self.tool.description.strip().split("\n")[0]
        if sentence:
            column.addWidget(ForeignLabel(sentence, elide=True))
        return head

    def _show_badges(self) -> None:
        while (item := self._badges.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for word, tone in hint_words(self.tool.hints):
            self._badges.addWidget(self._badge(word, tone))
        if is_unverified(self.tool):
            badge = self._badge("unverified", "warning", "help")
            badge.setToolTip(self._why_unverified())
            self._badges.addWidget(badge)

    def _why_unverified(self) -> str:
        name, server, claims = one_line(self.tool.name, 80), one_line(self.tool.server, 80), self.tool.claimed
        if claims is None or (claims.read_only is None and claims.destructive is None):
            return f"{server} does not say whether {name} changes anything."
        return f"{name} may change data: you have not yet trusted what {server} says about its tools."

    def _show_trust(self) -> None:
        self.look(_TRUST)
        self.trust.setFocus()

    def _path(self) -> str:
        own, whole = cost(tokens.count(self.tool.name), tokens.ESTIMATE), cost(self.tool.definition_tokens)
        costs = f"name {own}, whole definition {whole}"
        return f"{self.tool.server} › {self.tool.name}  ·  {costs}"

    def _badge(self, word: str, tone: str, symbol: str = "") -> QWidget:
        unit = self._context.theme.unit
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(unit)
        picture = QLabel()
        picture.setPixmap(pixmap(symbol or _SIGNS[tone], tone, unit * 4, self.devicePixelRatioF()))
        text = QLabel(word)
        text.setTextFormat(Qt.TextFormat.PlainText)
        mark(text, role="badge", tone=tone)
        whole.setToolTip("Which annotations count, and what you said about the tool. See the Trust page.")
        row.addWidget(picture)
        row.addWidget(text)
        return whole

    def _definition(self) -> str:
        tool = self.tool
        parts = {"inputSchema": tool.input_schema, "outputSchema": tool.output_schema}
        return dump(dict(tool.raw) or {name: part for name, part in parts.items() if part is not None})

    def _description(self) -> QScrollArea:
        unit = self._context.theme.unit
        words = ForeignLabel(self.tool.description or "The server gives no description.")
        words.setAlignment(Qt.AlignmentFlag.AlignTop)
        words.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 3)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(words)
        area.setAccessibleName("Description")
        return area

    def _code(self, text: str, language: str, name: str) -> CodeView:
        view = CodeView(self._context.theme, language=language)
        view.setAccessibleName(name)
        view.show_code(text)
        return view

    def _cost(self, words: str, text: str) -> str:
        return f"{words}  ≈ {amount(tokens.count(text))}"

    def _switched(self, tab: int) -> None:
        self._pages.setCurrentIndex(tab)
        if tab == _TRUST:
            self.trust.refresh()
        view = self._pages.widget(_WRAPPER)
        if tab == _WRAPPER and isinstance(view, CodeView) and not view.text():
            coro = self._context.api.wrapper(self.tool.server, self.tool.name)
            self._context.tasks.run("read a wrapper", coro, self._show_wrapper)

    def _show_wrapper(self, source: str) -> None:
        view = self._pages.widget(_WRAPPER)
        if isinstance(view, CodeView):
            view.show_code(source)
            self._tabs.setTabText(_WRAPPER, self._cost("Wrapper", source))


Key: TypeAlias = tuple[str, str]

_SHEETS = 16  # tools whose whole sheet is kept; of older ones only the arguments


class ToolPane(Pane):
    """`show_tool` opens one; the rest is in its sheet."""

    form_changed = Signal(str, str)
    """What stands in the form of this server's tool is another; `draft` answers it."""
    opened = Signal(str, str)
    """This tool of this server is on screen."""

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
            self.context.say("No tool is open: pick one on the left.")
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
