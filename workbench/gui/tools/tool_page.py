"""The page of one tool: its call, description, schema, wrapper source and trust."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
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
from workbench.gui.code.code_view import CodeView
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.json_text import dump
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import amount, cost, hint_words, is_unverified, sign
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import FilterServers, Request, ShowServer, ShowTool
from workbench.gui.tools.call_panel import CallPanel
from workbench.gui.tools.trust_page import ToolTrustPage
from workbench.records import ChangeKind, Companion, DefinitionChange, Fault, Tool, ToolView, ToolWarning
from workbench.records.common_types import count_of


class DefinitionNotice(QWidget):
    """Says that a tool is blocked, or what is suspicious about its definition; hidden otherwise."""

    def __init__(self, context: Context, server: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.card = FaultCard(context.theme)
        self._show_changes = QPushButton("See what changed", self)
        mark(self._show_changes, kind="link")
        self._show_changes.clicked.connect(lambda: context.go(ShowServer(server, "changes")))
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

    def show_state(self, warnings: tuple[ToolWarning, ...], change: DefinitionChange | None) -> None:
        blocked = change is not None and change.blocked
        self._show_changes.setVisible(change is not None and change.kind is ChangeKind.CHANGED)
        self.setVisible(bool(warnings) or blocked)
        details = [f"{warning.message} {warning.why}" for warning in warnings]
        if blocked:
            title = "This tool is blocked: its definition changed after you approved it."
            hint = "The approved definition is shown here. Review the change, then approve it."
            self.card.show_fault(Fault(title, "\n".join((hint, *details))))
        elif len(warnings) == 1:
            self.card.show_fault(Fault(warnings[0].message, warnings[0].why), tone="warning")
        elif warnings:
            title = f"This definition has {count_of(len(warnings), 'warning')}."
            self.card.show_fault(Fault(title, "\n".join(details)), tone="warning")
        else:
            self.card.show_fault(None)


class RelatedTools(QWidget):
    """Links to the category of the server and to the tools that are often used with this one; hidden without any."""

    _MOST = 4

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self._shown: tuple[str, tuple[Companion, ...]] = ("", ())
        unit = context.theme.unit
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(unit * 3, 0, unit * 3, unit)
        self._row.setSpacing(unit * 3)
        self.hide()

    def show_companions(self, companions: tuple[Companion, ...]) -> None:
        state = self._context.store.servers.get(self._tool.server)
        category, companions = state.config.category if state is not None else "", companions[: self._MOST]
        if self._shown == (category, companions):
            return
        self._shown = (category, companions)
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if category:
            self._row.addWidget(label("Category", "muted"))
            self._add_link(category, "Show the servers of this category", FilterServers(category))
        if companions:
            self._row.addWidget(label("Often used with", "muted"))
        for companion in companions:
            foreign = companion.server != self._tool.server
            name = f"{companion.server} › {companion.tool}" if foreign else companion.tool
            tip = f"Used in {count_of(companion.times, 'program')} together with this tool"
            self._add_link(name, tip, ShowTool(companion.server, companion.tool, enter=True))
        self._row.addStretch(1)
        self.setVisible(bool(category or companions))

    def _add_link(self, text: str, tip: str, request: Request) -> None:
        button = QPushButton(one_line(text, 60), self)
        button.setMinimumWidth(self._context.theme.unit * 10)  # a narrow window cuts names, and does not grow
        button.setToolTip(tip)
        mark(button, kind="link")
        context = self._context
        button.clicked.connect(lambda: context.go(request))
        self._row.addWidget(button)


CALL, DESCRIPTION, SCHEMA, WRAPPER, TRUST = range(5)
_LOW = 26  # lines of text; below this height the costs are hidden
_BADGE_ICONS = {"danger": "alert", "success": "eye", "warning": "pencil", "info": "globe"}


class ToolPage(QWidget):
    """The content of one tab. It exists as long as the tab is open, so a running call goes on in the background."""

    def __init__(self, context: Context, view: ToolView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.tool = tool = view.tool
        self.call = CallPanel(context, tool)
        self.notice = DefinitionNotice(context, tool.server)
        self.related = RelatedTools(context, tool)
        self.trust = ToolTrustPage(context, tool)
        self._badges = QHBoxLayout()
        self._tabs = QTabBar()
        self._pages = QStackedWidget()
        self._build()
        self.show_view(view)

    def show_view(self, view: ToolView) -> None:
        """Update everything around the form; the definition itself has not changed."""
        self.notice.show_state(view.warnings, view.change)
        self.related.show_companions(view.companions)
        if self.tool != view.tool:
            self.update_annotations(view.tool)

    def update_annotations(self, tool: Tool) -> None:
        self.tool = tool
        self.trust.show_tool(tool)
        self._show_badges()

    def show_tab(self, tab: int) -> None:
        self._tabs.setCurrentIndex(tab)

    def show_trust(self) -> None:
        """Open the Trust tab and put the keyboard into it."""
        self.show_tab(TRUST)
        self.trust.setFocus()

    def tab_texts(self) -> tuple[str, ...]:
        return tuple(self._tabs.tabText(number) for number in range(self._tabs.count()))

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self._head(), self.related, self.notice, self._tabs):
            layout.addWidget(part)
        layout.addWidget(self._pages, 1)
        for text, page in (
            ("Call", self.call),
            (self._with_cost("Description", self.tool.description), self._description()),
            (
                f"Schema  {sign()}{amount(self.tool.definition_tokens)}",
                self._code(_definition(self.tool), "json", "Schema"),
            ),
            ("Wrapper", self._code("", "python", "Wrapper source")),
            ("Trust", self.trust),
        ):
            self._tabs.addTab(text)
            self._pages.addWidget(page)
        self._tabs.setTabToolTip(SCHEMA, "A model reads the name, the description and the input schema.")
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setAccessibleName("Parts of the tool")
        self._tabs.currentChanged.connect(self._switched)

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
        own, whole = cost(tokens.count(self.tool.name), tokens.ESTIMATE), cost(self.tool.definition_tokens)
        costs = f"{self.tool.server} › {self.tool.name}  ·  name {own}, complete definition {whole}"
        self._costs = ForeignLabel(costs, elide=True)
        mark(self._costs, role="muted")
        column.addWidget(self._costs)
        if sentence := self.tool.description.strip().split("\n")[0]:
            column.addWidget(ForeignLabel(sentence, elide=True))
        return head

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is low, the form needs the room of what can be read on other tabs."""
        super().resizeEvent(event)
        self._costs.setVisible(self.height() >= self.fontMetrics().lineSpacing() * _LOW)

    def _show_badges(self) -> None:
        while (item := self._badges.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for text, tone in hint_words(self.tool.hints):
            self._badges.addWidget(self._badge(text, tone))
        if is_unverified(self.tool):
            badge = self._badge("unverified", "warning", "help")
            badge.setToolTip(self._why_unverified())
            self._badges.addWidget(badge)

    def _why_unverified(self) -> str:
        name, server, claims = one_line(self.tool.name, 80), one_line(self.tool.server, 80), self.tool.claimed
        if claims is None or (claims.read_only is None and claims.destructive is None):
            return f"{server} does not say whether {name} changes anything."
        return f"{name} may change data: you have not yet trusted what {server} says about its tools."

    def _badge(self, text: str, tone: str, symbol: str = "") -> QWidget:
        unit = self._context.theme.unit
        badge = QWidget()
        row = QHBoxLayout(badge)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(unit)
        picture = QLabel()
        picture.setPixmap(pixmap(symbol or _BADGE_ICONS[tone], tone, unit * 4, self.devicePixelRatioF()))
        caption = label(text)
        mark(caption, role="badge", tone=tone)
        badge.setToolTip("From the annotations that apply to this tool and your own choices. See the Trust tab.")
        row.addWidget(picture)
        row.addWidget(caption)
        return badge

    def _description(self) -> QScrollArea:
        unit = self._context.theme.unit
        text = ForeignLabel(self.tool.description or "The server gives no description.")
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        text.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 3)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(text)
        area.setAccessibleName("Description")
        return area

    def _code(self, text: str, language: str, name: str) -> CodeView:
        view = CodeView(self._context.theme, language=language)
        view.setAccessibleName(name)
        view.show_code(text)
        return view

    def _with_cost(self, title: str, text: str) -> str:
        return f"{title}  ≈ {amount(tokens.count(text))}"

    def _switched(self, tab: int) -> None:
        self._pages.setCurrentIndex(tab)
        view = self._pages.widget(WRAPPER)
        if tab == WRAPPER and isinstance(view, CodeView) and not view.text():
            source = self._context.api.wrapper(self.tool.server, self.tool.name)
            self._context.tasks.run("read the wrapper", source, self._show_wrapper)

    def _show_wrapper(self, source: str) -> None:
        view = self._pages.widget(WRAPPER)
        if isinstance(view, CodeView):
            view.show_code(source)
            self._tabs.setTabText(WRAPPER, self._with_cost("Wrapper", source))


def _definition(tool: Tool) -> str:
    parts = {"inputSchema": tool.input_schema, "outputSchema": tool.output_schema}
    return dump(dict(tool.raw) or {name: part for name, part in parts.items() if part is not None})
