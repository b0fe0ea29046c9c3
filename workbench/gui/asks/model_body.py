"""A person in a model's place: reads what the model would read, and writes what it would say."""

from __future__ import annotations

import json
import uuid

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLineEdit, QSplitter, QVBoxLayout, QWidget

from workbench.gui.asks.body import AskBody
from workbench.gui.asks.transcript import Transcript, facts
from workbench.gui.calm_combo import CalmCombo
from workbench.gui.context import Context
from workbench.gui.forms.form import SchemaForm
from workbench.gui.plain_edit import PlainEdit
from workbench.gui.text import ForeignLabel, one_line
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.gui.whole import fetch_whole, whole_size
from workbench.records import Ask, JsonObject

STOPS = ("endTurn", "stopSequence", "maxTokens", "toolUse")


class ModelBody(AskBody):
    """The request above, the answer below."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(context, ask, parent)
        self._request: JsonObject | None = None  # until all of it is here
        self.text = PlainEdit()
        self.kind = CalmCombo(self)
        self.form = SchemaForm(context.theme)
        self.model = QLineEdit("a person")
        self.role = CalmCombo(self)
        self.stop = CalmCombo(self)
        self.why = QLineEdit()
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._split)
        self._fill()
        self.setFocusProxy(self.text)
        if whole_size([ask.request]):
            context.tasks.run("read the whole request", fetch_whole(context.fetch, [ask.request]), self._show_whole)
        else:
            self._show_request(json.loads(ask.request))

    def content(self) -> str:
        block: JsonObject = {"type": "text", "text": self.text.text()}
        tool = self._tool()
        blocks = [block] if tool is None or block["text"].strip() else []
        if tool is not None:
            made = f"call_{uuid.uuid4().hex[:12]}"
            blocks.append({"type": "tool_use", "id": made, "input": self.form.value(), "name": tool["name"]})
        answer = {
            "role": self.role.currentText(),
            "content": blocks[0] if len(blocks) == 1 else blocks,
            "model": self.model.text(),
            "stopReason": self.stop.currentText(),
        }
        return json.dumps(answer, ensure_ascii=False)

    def reason(self) -> str:
        return json.dumps({"reason": self.why.text()}, ensure_ascii=False)

    def obstacle(self) -> str:
        if self._request is None:
            return "The request is not here as a whole yet."
        if self._tool() is None and not self.text.text().strip():
            return "Write what the model would say."
        if not self.model.text().strip():
            return "Name a model; “a person” is honest."
        faults = self.form.faults() if self._tool() is not None else ()
        return " ".join(faults[0]).strip() if faults else ""

    def before_sending(self) -> bool:
        self.form.scold()
        return not self.obstacle()

    def _tool(self) -> JsonObject | None:
        """The tool that the answer uses."""
        tools = (self._request or {}).get("tools") or []
        place = self.kind.currentIndex() - 1
        return tools[place] if 0 <= place < len(tools) else None

    def _show_whole(self, texts: list[str]) -> None:
        self._show_request(json.loads(texts[0]))

    def _show_request(self, request: JsonObject) -> None:
        self._request = request
        unit = self.context.theme.unit
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        column.setSpacing(unit)
        column.addWidget(label("What the server wants a model to read", "section"))
        column.addWidget(Transcript(self.context.theme, request), 1)
        line = ForeignLabel(facts(request))
        mark(line, role="muted")
        column.addWidget(line)
        self._split.insertWidget(0, page)
        tools = request.get("tools") or []
        self.kind.addItems([f"Use {one_line(str(tool['name']), 60)}" for tool in tools])
        self._kind_row.setRowVisible(self.kind, bool(tools))
        self.changed.emit()

    def _chosen(self) -> None:
        tool = self._tool()
        self.form.setVisible(tool is not None)
        if tool is not None:
            schema = tool.get("inputSchema")
            self.form.set_schema(schema if isinstance(schema, dict) else {})
        self.stop.setCurrentText(STOPS[3] if tool is not None else STOPS[0])
        self.changed.emit()

    def _fill(self) -> None:
        unit = self.context.theme.unit
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(unit * 3, unit, unit * 3, unit * 2)
        column.setSpacing(unit)
        column.addWidget(label("Your answer", "section"))
        self.text.setPlaceholderText("Write what the model would say")
        self.text.setAccessibleName("Your answer in the model's place")
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(self.text.fontMetrics().lineSpacing() * 4)
        column.addWidget(self.text, 1)
        self.form.hide()
        column.addWidget(self.form, 1)
        column.addLayout(self._rows(unit))
        self._split.addWidget(page)

    def _rows(self, unit: int) -> QFormLayout:
        rows = self._kind_row = QFormLayout()
        rows.setHorizontalSpacing(unit * 3)
        rows.setVerticalSpacing(unit)
        self.kind.addItem("Only text")
        self.role.addItems(["assistant", "user"])
        self.stop.addItems(list(STOPS))
        self.why.setPlaceholderText("Sent to the server if you decline")
        for words, field in (
            ("Tool", self.kind),
            ("Model", self.model),
            ("Role", self.role),
            ("Stop reason", self.stop),
            ("Reason to decline", self.why),
        ):
            field.setAccessibleName(words)
            rows.addRow(label(words, "muted"), field)
        for signal in (self.text.textChanged, self.model.textChanged, self.form.changed):
            signal.connect(self.changed)
        self.kind.currentIndexChanged.connect(self._chosen)
        return rows
