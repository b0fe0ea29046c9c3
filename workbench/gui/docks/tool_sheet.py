"""Everything about one tool, told step by step: name, description, schema, wrapper; each with what it costs a model."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from workbench import tokens
from workbench.gui.code_view import CodeView
from workbench.gui.context import Context
from workbench.gui.counted import cost, sign
from workbench.gui.docks.tool_call import CallPanel
from workbench.gui.docks.tool_companions import ToolCompanions
from workbench.gui.docks.tool_marks import ToolMarks
from workbench.gui.forms.json_text import dump
from workbench.gui.icons import pixmap
from workbench.gui.text import ForeignLabel, one_line
from workbench.gui.theme import mark
from workbench.gui.trust.tool_page import ToolTrust
from workbench.gui.wishes import ShowServer
from workbench.gui.words import amount, hint_words, is_unverified
from workbench.records import Tool

_CALL, _DESCRIPTION, _SCHEMA, _WRAPPER, _TRUST = range(5)
_SIGNS = {"danger": "alert", "success": "eye", "warning": "pencil", "info": "globe"}


class ToolSheet(QWidget):
    """Kept while other tools are looked at, so that nothing typed is lost and a running call goes on."""

    wished = Signal(object)
    """Carries one record of `workbench.gui.wishes`."""
    code_wanted = Signal(str)
    status_message = Signal(str)

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.tool = tool
        self.call = CallPanel(context, tool)
        self.call.code_wanted.connect(self.code_wanted)
        self.call.status_message.connect(self.status_message)
        self.marks = ToolMarks(context, tool)
        self.trust = ToolTrust(context, tool)
        self.call.trust_wanted.connect(self._show_trust)
        self.marks.changes_wanted.connect(self._wish_changes)
        self.companions = ToolCompanions(context, tool)
        self.companions.wished.connect(self.wished)
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
        self.wished.emit(ShowServer(self.tool.server, "changes"))

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
