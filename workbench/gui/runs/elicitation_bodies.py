"""The middle of an ask's dialog: what is wanted in this kind of question, and what would be sent."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont, QGuiApplication, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLineEdit, QPushButton, QSplitter, QVBoxLayout, QWidget

from workbench.gui.forms.form import SchemaForm
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, size_words, whole_size
from workbench.records import Ask, Fault, JsonObject, JsonValue


class AskBody(QWidget):
    """One kind of question."""

    changed = Signal()
    """What would be sent is different now."""
    done = Signal()
    """The person did what accepting means, in the body itself."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.shown = ask

    def send_word(self) -> str:
        """The word on the button that accepts."""
        return "Send"

    def content(self) -> str:
        """What goes with an acceptance, as JSON text."""
        return ""

    def reason(self) -> str:
        """What goes with a refusal, as JSON text."""
        return ""

    def obstacle(self) -> str:
        """Why it cannot be accepted now, as a sentence; empty when it can."""
        return ""

    def before_sending(self) -> bool:
        """What has to happen first, once a person pressed; False: nothing is sent."""
        return True

    def show_ask(self, ask: Ask) -> None:
        """The question took a step."""
        self.shown = ask


_SECRET = re.compile(r"pass(?:word|phrase|code)|secret|token|api.?key|credential|\bpin\b|cvv|card.?num|iban|ssn", re.I)


class FormBody(AskBody):
    """The fields, and a word of warning where they ask for secrets."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(context, ask, parent)
        schema = json.loads(ask.schema)
        self._fields: JsonObject = schema.get("properties", {})
        self.form = SchemaForm(context.theme)
        self.form.set_schema(schema)
        self.form.set_value(_defaults(self._fields))
        self.form.changed.connect(self.changed)
        warning = FaultCard(context.theme)
        if names := secret_fields(self._fields):
            words = f"It asks for what looks like a secret: {one_line(', '.join(names), 120)}."
            hint = "A server should never ask for these in a form; it gets them as you type them."
            warning.show_fault(Fault(words, hint), tone="warning")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(warning)
        if self._fields:
            layout.addWidget(self.form, 1)
            self.setFocusProxy(self.form.first_field() or self.form)
        else:
            note = label("There is nothing to fill in. Accept or decline.", "muted")
            unit = context.theme.unit
            note.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
            layout.addWidget(note)
            layout.addStretch(1)
        mark(self, kind="page")

    def send_word(self) -> str:
        return f"Send to {one_line(self.shown.server, 30)}" if self._fields else "Yes"

    def content(self) -> str:
        return json.dumps(self.form.value() if self._fields else {}, ensure_ascii=False)

    def obstacle(self) -> str:
        faults = self.form.faults() if self._fields else ()
        return " ".join(faults[0]).strip() if faults else ""

    def before_sending(self) -> bool:
        self.form.scold()
        return not self.obstacle()


def secret_fields(fields: JsonObject) -> list[str]:
    """Names of fields that ask for what nobody should give away in a form."""
    return [
        name
        for name, field in fields.items()
        if _SECRET.search(f"{name} {field.get('title', '')} {field.get('description', '')}"[:500])
    ]


def _defaults(fields: JsonObject) -> JsonObject:
    return {name: field["default"] for name, field in fields.items() if "default" in field}


_LONGEST = 200_000  # characters shown; the rest is counted


class Transcript(PlainEdit):
    """Read only; headings are ours, everything below them is the server's."""

    def __init__(self, theme: Theme, request: JsonObject, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setAccessibleName("What the server wants a model to read")
        mark(self, kind="code")
        self._left = _LONGEST
        for heading, text in parts(request):
            self._write(heading, text)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _write(self, heading: str, text: str) -> None:
        if self._left <= 0:
            return
        shown = text if len(text) <= self._left else f"{text[: self._left]}… ({len(text) - self._left:,} more)"
        self._left -= len(shown)
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        loud = QTextCharFormat()
        loud.setFontWeight(QFont.Weight.Bold)
        loud.setForeground(self._theme.colour("accent"))
        between = "\n\n" if self.document().characterCount() > 1 else ""
        self.insert_at(cursor, f"{between}{visible(heading)}\n", loud)
        self.insert_at(cursor, visible(shown))


def parts(request: JsonObject) -> Iterator[tuple[str, str]]:
    """Heading and text of everything in it, in the order in which a model would read it."""
    if isinstance(system := request.get("systemPrompt"), str) and system:
        yield "System prompt", system
    for message in request.get("messages", []):
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
        yield str(message.get("role", "?"))[:40], "\n".join(_block(block) for block in blocks)
    for tool in request.get("tools") or []:
        yield f"Tool {str(tool.get('name'))[:100]}", str(tool.get("description") or "It has no description.")


def facts(request: JsonObject) -> str:
    """Length, temperature and wishes about the model in one line."""
    wishes = request.get("modelPreferences") or {}
    wishes = wishes if isinstance(wishes, dict) else {}
    hints = [str(hint.get("name")) for hint in wishes.get("hints") or [] if isinstance(hint, dict)]
    figures = {key.removesuffix("Priority"): wishes[key] for key in wishes if key.endswith("Priority")}
    choice = request.get("toolChoice") or {}
    told = (
        f"at most {request.get('maxTokens', '?')} tokens",
        f"temperature {request['temperature']}" if "temperature" in request else "",
        f"stops at {json.dumps(request['stopSequences'], ensure_ascii=False)}" if request.get("stopSequences") else "",
        f"would like {', '.join(hints)}" if hints else "",
        ", ".join(f"{name} {figure}" for name, figure in figures.items()),
        f"tools: {choice.get('mode', 'auto')}" if request.get("tools") and isinstance(choice, dict) else "",
        f"context: {request['includeContext']}" if request.get("includeContext") else "",
    )
    return " · ".join(part for part in told if part)


def _block(block: JsonValue) -> str:
    if not isinstance(block, dict):
        return json.dumps(block, ensure_ascii=False)
    match block.get("type"):
        case "text":
            return str(block.get("text", ""))
        case "image" | "audio" as kind:
            size = size_words(len(str(block.get("data", ""))) * 3 / 4)
            return f"[{kind} {str(block.get('mimeType', ''))[:60]}, {size}]"
    return json.dumps(block, ensure_ascii=False, indent=2)


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


def open_page(url: str) -> bool:
    """Hand exactly this address to the person's browser; False when there is none."""
    address = QUrl(url, QUrl.ParsingMode.StrictMode)
    return address.isValid() and QDesktopServices.openUrl(address)


class PageBody(AskBody):
    """The host, the warnings, the whole address; then how far the visit is."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(context, ask, parent)
        self._by_hand = False  # the person opens it somewhere else
        self.host = ForeignLabel(ask.host)
        mark(self.host, role="title")
        self.address = PlainEdit(visible(ask.url))
        self.copy = QPushButton(icon("copy", "muted"), "Copy the address")
        self.elsewhere = QPushButton("I opened it myself")
        self._state = label("", "muted")
        self._state.setWordWrap(True)
        self._fault = FaultCard(context.theme)
        self._lay_out(ask)
        self.copy.clicked.connect(self._copy)
        self.elsewhere.clicked.connect(self._opened_elsewhere)
        self.setFocusProxy(self.copy)
        self.show_ask(ask)

    def send_word(self) -> str:
        if not self.shown.opened:
            return "Open in browser"
        return "Call again" if self.shown.repeats else "Done"

    def before_sending(self) -> bool:
        if self.shown.opened or self._by_hand or open_page(self.shown.url):
            return True
        words = "No browser could be opened."
        self._fault.show_fault(Fault(words, "Copy the address, open it yourself, then say so."))
        self.elsewhere.show()
        return False

    def show_ask(self, ask: Ask) -> None:
        super().show_ask(ask)
        self.elsewhere.setVisible(self.elsewhere.isVisible() and not ask.opened)
        self._state.setText(self._words(ask))

    def _words(self, ask: Ask) -> str:
        if not ask.opened:
            return "What you enter there goes to that page, not through the workbench."
        if ask.repeats:
            return "The page was opened. When you are done there, the call is made again."
        return "The page was opened. This closes when the server says that it is done."

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.shown.url)
        self.elsewhere.setVisible(not self.shown.opened)

    def _opened_elsewhere(self) -> None:
        self._by_hand = True
        self.done.emit()

    def _lay_out(self, ask: Ask) -> None:
        unit = self.context.theme.unit
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 3)
        column.setSpacing(unit * 2)
        column.addWidget(label("It leads to", "section"))
        column.addWidget(self.host)
        if ask.host_shown:
            reads = ForeignLabel(f"In its own letters: {one_line(ask.host_shown, 200)}")
            column.addWidget(reads)
        for warning in ask.warnings:
            card = FaultCard(self.context.theme)
            card.show_fault(Fault(warning), tone="warning")
            column.addWidget(card)
        column.addWidget(label("The whole address", "section"))
        self._dress_address(unit)
        column.addWidget(self.address)
        buttons = QHBoxLayout()
        buttons.setSpacing(unit * 2)
        for button in (self.copy, self.elsewhere):
            button.setAutoDefault(True)
            mark(button, kind="quiet")
            buttons.addWidget(button)
        buttons.addStretch(1)
        self.elsewhere.hide()
        column.addLayout(buttons)
        column.addWidget(self._fault)
        column.addWidget(self._state)
        column.addStretch(1)

    def _dress_address(self, unit: int) -> None:
        self.address.setReadOnly(True)
        self.address.setTabChangesFocus(True)
        self.address.setAccessibleName("The whole address")
        self.address.setFont(self.context.theme.mono())
        mark(self.address, kind="code")
        lines = min(6, max(2, 1 + len(self.shown.url) // 60))
        self.address.setFixedHeight(self.address.fontMetrics().lineSpacing() * lines + unit * 5)
