"""The page of one tool: its call, description, schema, wrapper source and trust."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QLayout, QPushButton, QScrollArea, QStackedWidget, QTabBar, QWidget

from workbench import tokens
from workbench.gui.code.code_view import CodeView
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.json_text import dump
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import label
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import cost, first_sentence, hint_words, is_unverified, tokens_text
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import Request, Search, ShowServer, ShowTool
from workbench.gui.tools.call_panel import CallPanel
from workbench.gui.tools.trust_page import ToolTrustPage
from workbench.records import ChangeKind, Companion, Fault, Tool, ToolView
from workbench.records.common_types import count_of


def show_definition_state(notice: Notice, view: ToolView, see_changes: Callable[[], object]) -> None:
    """Say that a tool is blocked, or what is suspicious about its definition; hide the notice otherwise."""
    warnings, change = view.warnings, view.change
    details = [f"{warning.message} {warning.why}" for warning in warnings]
    if change is not None and change.blocked:
        title = "This tool is blocked: its definition changed after you approved it."
        hint = "The approved definition is shown here. Review the change, then approve it."
        notice.show_fault(Fault(title, "\n".join((hint, *details))))
    elif len(warnings) == 1:
        notice.show_fault(Fault(warnings[0].message, warnings[0].why), tone="warning")
    elif warnings:
        title = f"This definition has {count_of(len(warnings), 'warning')}."
        notice.show_fault(Fault(title, "\n".join(details)), tone="warning")
    else:
        notice.show_fault(None)
    if notice.fault is not None and change is not None and change.kind is ChangeKind.CHANGED:
        notice.add_button("See what changed", see_changes, "link")


def clear(layout: QLayout) -> None:
    """Delete the widgets of a layout."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


class RelatedTools(QWidget):
    """Links to the category of the server and to the tools that are often used with this one; hidden without any."""

    _MOST = 4

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self._shown: tuple[str, tuple[Companion, ...]] = ("", ())
        unit = context.theme.unit
        self._row = row(self, margins=(unit * 3, 0, unit * 3, unit), spacing=unit * 3)
        self.hide()

    def show_companions(self, companions: tuple[Companion, ...]) -> None:
        state = self._context.store.servers.get(self._tool.server)
        category, companions = state.config.category if state is not None else "", companions[: self._MOST]
        if self._shown == (category, companions):
            return
        self._shown = (category, companions)
        clear(self._row)
        if category:
            self._row.addWidget(label("Category", "muted"))
            self._add_link(category, "Show the servers of this category", Search("servers", category))
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
        button.clicked.connect(partial(self._context.go, request))
        self._row.addWidget(button)


CALL, DESCRIPTION, SCHEMA, WRAPPER, TRUST = range(5)
_COSTS_LINES, _SENTENCE_LINES, _HEAD_LINES = 26, 20, 13  # heights in lines of text below which each is hidden
_BADGE_ICONS = {"danger": "alert", "success": "eye", "warning": "pencil", "info": "globe"}


class ToolPage(QWidget):
    """The content of one tab. It exists as long as the tab is open, so a running call goes on in the background."""

    def __init__(self, context: Context, view: ToolView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.tool = tool = view.tool
        self.call = CallPanel(context, tool)
        self.notice = Notice(context.theme)
        self.related = RelatedTools(context, tool)
        self.trust = ToolTrustPage(context, tool)
        self._wrapper = self._code_view("", "python", "Wrapper source")
        self._badges = row(None, spacing=context.theme.unit * 2)
        self._tabs = QTabBar()
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setAccessibleName("Parts of the tool")
        self._pages = QStackedWidget()
        for title, page in (
            ("Call", self.call),
            (_with_cost("Description", tool.description), self._description()),
            (f"Schema  {tokens_text(tool.definition_tokens)}", self._code_view(_definition(tool), "json", "Schema")),
            ("Wrapper", self._wrapper),
            ("Trust", self.trust),
        ):
            self._tabs.addTab(title)
            self._pages.addWidget(page)
        size = f"{cost(tool.definition_tokens)}: a model reads the name, the description and the input schema."
        self._tabs.setTabToolTip(SCHEMA, size)
        for tab in (DESCRIPTION, WRAPPER):
            self._tabs.setTabToolTip(tab, "The number of tokens is an estimate.")
        self._tabs.currentChanged.connect(self._switched)
        self._head = self._make_head()
        column(self, self._head, self.related, self.notice, self._tabs, self._pages, grows=self._pages)
        self._show_badges()
        self.show_view(view)

    def show_view(self, view: ToolView) -> None:
        """Update everything around the form; the definition itself has not changed."""
        see_changes = partial(self._context.go, ShowServer(self.tool.server, "changes"))
        show_definition_state(self.notice, view, see_changes)
        self.related.show_companions(view.companions)
        if self.tool != view.tool:
            self.tool = view.tool
            self.trust.show_tool(view.tool)
            self._show_badges()

    def show_tab(self, tab: int) -> None:
        self._tabs.setCurrentIndex(tab)

    def show_trust(self) -> None:
        """Open the Trust tab and put the keyboard into it."""
        self.show_tab(TRUST)
        self.trust.setFocus()

    def tab_texts(self) -> tuple[str, ...]:
        return tuple(self._tabs.tabText(number) for number in range(self._tabs.count()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is low, the form needs the room of what can be read on other tabs."""
        super().resizeEvent(event)
        lines = self.height() // self.fontMetrics().lineSpacing()
        self._costs.setVisible(lines >= _COSTS_LINES)
        self._sentence.setVisible(lines >= _SENTENCE_LINES and bool(self._sentence.full_text()))
        self._head.setVisible(lines >= _HEAD_LINES)

    def _make_head(self) -> QFrame:
        unit, tool = self._context.theme.unit, self.tool
        name = ForeignLabel(tool.title or tool.name, elide=True)
        mark(name, role="heading")
        own = count_of(tokens.count(tool.name), "token")
        costs = f"{tool.server} › {tool.name}  ·  name ≈ {own}, complete definition {cost(tool.definition_tokens)}"
        self._costs = ForeignLabel(costs, elide=True)
        mark(self._costs, role="muted")
        self._sentence = ForeignLabel(first_sentence(tool.description), elide=True)
        head = QFrame()
        first = row(None, name, self._badges, spacing=unit * 2, grows=name)
        column(head, first, self._costs, self._sentence, margins=(unit * 3, unit * 3, unit * 3, unit), spacing=unit)
        return head

    def _show_badges(self) -> None:
        clear(self._badges)
        tip = "From the annotations that apply to this tool and your own choices. See the Trust tab."
        for text, tone in hint_words(self.tool.hints):
            self._badges.addWidget(self._badge(text, tone, _BADGE_ICONS[tone], tip))
        if is_unverified(self.tool):
            self._badges.addWidget(self._badge("unverified", "warning", "help", self._why_unverified()))

    def _why_unverified(self) -> str:
        name, server, claims = one_line(self.tool.name, 80), one_line(self.tool.server, 80), self.tool.claimed
        if claims is None or (claims.read_only is None and claims.destructive is None):
            return f"{server} does not say whether {name} changes anything."
        return f"{name} may change data: you have not yet trusted what {server} says about its tools."

    def _badge(self, text: str, tone: str, symbol: str, tip: str) -> QWidget:
        unit = self._context.theme.unit
        badge, picture, caption = QWidget(), QLabel(), label(text)
        picture.setPixmap(pixmap(symbol, tone, unit * 4, self.devicePixelRatioF()))
        mark(caption, role="badge", tone=tone)
        badge.setToolTip(plain_tip(tip))
        row(badge, picture, caption, spacing=unit)
        return badge

    def _description(self) -> QScrollArea:
        text = ForeignLabel(self.tool.description or "The server gives no description.")
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        text.setContentsMargins(*(self._context.theme.unit * 3,) * 4)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(text)
        area.setAccessibleName("Description")
        return area

    def _code_view(self, text: str, language: str, name: str) -> CodeView:
        view = CodeView(self._context.theme, language=language)
        view.setAccessibleName(name)
        view.show_code(text)
        return view

    def _switched(self, tab: int) -> None:
        self._pages.setCurrentIndex(tab)
        if tab == WRAPPER and not self._wrapper.text():
            source = self._context.api.wrapper(self.tool.server, self.tool.name)
            self._context.tasks.run("read the wrapper", source, self._show_wrapper)

    def _show_wrapper(self, source: str) -> None:
        self._wrapper.show_code(source)
        self._tabs.setTabText(WRAPPER, _with_cost("Wrapper", source))


def _with_cost(title: str, text: str) -> str:
    return f"{title}  {tokens_text(tokens.count(text), tokens.ESTIMATE)}"


def _definition(tool: Tool) -> str:
    parts = {"inputSchema": tool.input_schema, "outputSchema": tool.output_schema}
    return dump(dict(tool.raw) or {name: part for name, part in parts.items() if part is not None})
