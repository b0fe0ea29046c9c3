"""The middle of the page about a server's request: a form, a page to visit, or a completion to write."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont, QGuiApplication, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPushButton, QSplitter, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.forms.form import SchemaForm
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.plain_edit import PlainEdit, reading_box
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, size_words, whole_size
from workbench.records import Ask, Fault, JsonObject, JsonValue


class ElicitationBody(QWidget):
    """One kind of request: what the server wants, and what would be sent."""

    changed = Signal()
    """Something else would be sent now."""
    accepted = Signal()
    """The user accepted in the body itself."""
    scrolls = False
    """Whether the body scrolls by itself."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.ask = ask

    def accept_text(self) -> str:
        """The text of the button that accepts."""
        return "Send"

    def content(self) -> str:
        """What is sent when the user accepts, as JSON text."""
        return ""

    def reason(self) -> str:
        """What is sent when the user declines, as JSON text."""
        return ""

    def prepare(self) -> Fault | None:
        """Do what has to happen before the answer is sent. A fault says why nothing can be sent."""
        return None

    def has_input(self) -> bool:
        """Whether the user has entered something that would be lost."""
        return False

    def take_focus(self) -> None:
        """Put the focus where the user starts."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_request(self, ask: Ask) -> None:
        """Show the next step of the request."""
        self.ask = ask


_SECRET = re.compile(r"pass(?:word|phrase|code)|secret|token|api.?key|credential|\bpin\b|cvv|card.?num|iban|ssn", re.I)
_NEGATION = re.compile(r"\b(?:do not|don't|don’t|never|must not|should not|without|no)\b", re.I)
_SENTENCE = re.compile(r"[.;!?()]")


class FormBody(ElicitationBody):
    """The fields, with a warning where they ask for secrets."""

    scrolls = True

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(context, ask, parent)
        schema = json.loads(ask.schema)
        self._fields: JsonObject = schema.get("properties", {})
        self.form = SchemaForm(context.theme)
        self.form.set_schema(schema)
        self.form.set_value({name: field["default"] for name, field in self._fields.items() if "default" in field})
        self.form.changed.connect(self.changed)
        self._initial = self.form.value()
        warning = Notice(context.theme)
        if names := secret_fields(self._fields):
            asks = f"The form seems to ask for a secret: {one_line(', '.join(names), 120)}."
            hint = "Servers should not ask for secrets in a form. What you send is not masked."
            warning.show_fault(Fault(asks, hint), tone="warning")
        note = label("There is nothing to fill in. Answer yes or decline.", "muted")
        unit = context.theme.unit
        note.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        if self._fields:
            column(self, warning, self.form, grows=self.form)
        else:
            column(self, warning, note, None)
        mark(self, kind="page")

    def accept_text(self) -> str:
        return f"Send to {one_line(self.ask.server, 30)}" if self._fields else "Yes"

    def take_focus(self) -> None:
        """The field that had the keyboard last, or the first one, which may be made only when the form is shown."""
        if self._fields and not self.form.take_focus():
            QTimer.singleShot(0, self, self.form.focus_path)

    def has_input(self) -> bool:
        try:
            return bool(self._fields) and self.form.value() != self._initial
        except WorkbenchError:  # the JSON text is not valid yet
            return True

    def content(self) -> str:
        return json.dumps(self.form.value() if self._fields else {}, ensure_ascii=False)

    def prepare(self) -> Fault | None:
        return _first_fault(self.form) if self._fields else None


def _first_fault(form: SchemaForm) -> Fault | None:
    faults = form.validate()
    return Fault(" ".join(faults[0]).strip()) if faults else None


def secret_fields(fields: JsonObject) -> list[str]:
    """Names of fields that ask for something that nobody should enter in a form."""
    return [name for name, field in fields.items() if _asks_for_secret(name, field)]


def _asks_for_secret(name: str, field: JsonObject) -> bool:
    """A description that says "do not enter your PIN" asks for none."""
    sentences = _SENTENCE.split(str(field.get("description", ""))[:500])
    asking = [sentence for sentence in sentences if not _NEGATION.search(sentence)]
    return bool(_SECRET.search(" ".join([name, str(field.get("title", ""))[:200], *asking])))


_MOST_CHARACTERS = 200_000  # that are shown; the rest is counted


class Transcript(PlainEdit):
    """The request of a server to a model. The headings are ours, the text below them is the server's."""

    def __init__(self, theme: Theme, request: JsonObject, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setAccessibleName("What the server sends to the model")
        mark(self, kind="code")
        self._left = _MOST_CHARACTERS
        for heading, text in request_parts(request):
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


def request_parts(request: JsonObject) -> Iterator[tuple[str, str]]:
    """Headings and texts in the order in which a model would read them."""
    if isinstance(system := request.get("systemPrompt"), str) and system:
        yield "System prompt", system
    for message in request.get("messages", []):
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
        yield str(message.get("role", "?"))[:40], "\n".join(_block(block) for block in blocks)
    for tool in request.get("tools") or []:
        yield f"Tool {str(tool.get('name'))[:100]}", str(tool.get("description") or "No description.")


def request_facts(request: JsonObject) -> str:
    """Length, temperature and preferred models in one line."""
    preferences = request.get("modelPreferences") or {}
    preferences = preferences if isinstance(preferences, dict) else {}
    hints = [str(hint.get("name")) for hint in preferences.get("hints") or [] if isinstance(hint, dict)]
    figures = {key.removesuffix("Priority"): preferences[key] for key in preferences if key.endswith("Priority")}
    choice = request.get("toolChoice") or {}
    facts = (
        f"at most {request.get('maxTokens', '?')} tokens",
        f"temperature {request['temperature']}" if "temperature" in request else "",
        f"stops at {json.dumps(request['stopSequences'], ensure_ascii=False)}" if request.get("stopSequences") else "",
        f"prefers {', '.join(hints)}" if hints else "",
        ", ".join(f"{name} {figure}" for name, figure in figures.items()),
        f"tools: {choice.get('mode', 'auto')}" if request.get("tools") and isinstance(choice, dict) else "",
        f"context: {request['includeContext']}" if request.get("includeContext") else "",
    )
    return " · ".join(fact for fact in facts if fact)


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


class SamplingBody(ElicitationBody):
    """The request to a model above, the user's answer in its place below."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(context, ask, parent)
        self._request: JsonObject | None = None  # until it is loaded
        self.text = PlainEdit()
        self.kind = CalmCombo(self)
        self.form = SchemaForm(context.theme)
        self.model = QLineEdit("a person")
        self.role = CalmCombo(self)
        self.stop = CalmCombo(self)
        self.why = QLineEdit()
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self._make_answer())
        column(self, self._split)
        self.setFocusProxy(self.text)
        if whole_size([ask.request]):
            context.tasks.run(
                "read the complete request", fetch_whole(context.fetch, [ask.request]), self._show_complete
            )
        else:
            self._show_complete([ask.request])

    def has_input(self) -> bool:
        return bool(self.text.text().strip())

    def content(self) -> str:
        block: JsonObject = {"type": "text", "text": self.text.text()}
        tool = self._tool()
        blocks = [block] if tool is None or block["text"].strip() else []
        if tool is not None:
            call_id = f"call_{uuid.uuid4().hex[:12]}"
            blocks.append({"type": "tool_use", "id": call_id, "input": self.form.value(), "name": tool["name"]})
        answer = {
            "role": self.role.currentText(),
            "content": blocks[0] if len(blocks) == 1 else blocks,
            "model": self.model.text(),
            "stopReason": self.stop.currentText(),
        }
        return json.dumps(answer, ensure_ascii=False)

    def reason(self) -> str:
        return json.dumps({"reason": self.why.text()}, ensure_ascii=False)

    def prepare(self) -> Fault | None:
        if self._request is None:
            return Fault("The request is still being loaded.")
        if self._tool() is None and not self.text.text().strip():
            return Fault("Write an answer.")
        if not self.model.text().strip():
            return Fault("Enter a model name, such as “a person”.")
        return _first_fault(self.form) if self._tool() is not None else None

    def _tool(self) -> JsonObject | None:
        """The tool that the answer uses."""
        tools = (self._request or {}).get("tools") or []
        place = self.kind.currentIndex() - 1
        return tools[place] if 0 <= place < len(tools) else None

    def _show_complete(self, texts: list[str]) -> None:
        request = self._request = json.loads(texts[0])
        transcript = Transcript(self.context.theme, request)
        heading = label("What the server sends to the model", "section")
        unit, page = self.context.theme.unit, QWidget()
        margins = (unit * 3, unit * 2, unit * 3, unit * 2)
        facts = ForeignLabel(request_facts(request), role="muted")
        column(page, heading, transcript, facts, margins=margins, spacing=unit, grows=transcript)
        self._split.insertWidget(0, page)
        tools = request.get("tools") or []
        self.kind.addItems([f"Use {one_line(str(tool['name']), 60)}" for tool in tools])
        self._rows.setRowVisible(self.kind, bool(tools))
        self.changed.emit()

    def _tool_chosen(self) -> None:
        tool = self._tool()
        self.form.setVisible(tool is not None)
        if tool is not None:
            schema = tool.get("inputSchema")
            self.form.set_schema(schema if isinstance(schema, dict) else {})
        self.stop.setCurrentText(STOPS[3] if tool is not None else STOPS[0])
        self.changed.emit()

    def _make_answer(self) -> QWidget:
        unit = self.context.theme.unit
        self.text.setPlaceholderText("Answer in place of the model")
        self.text.setAccessibleName("Your answer in place of the model")
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(self.text.fontMetrics().lineSpacing() * 4)
        self.form.hide()
        self.kind.addItem("Text only")
        self.role.addItems(["assistant", "user"])
        self.stop.addItems(list(STOPS))
        self.why.setPlaceholderText("Sent to the server when you decline")
        self._rows = QFormLayout()
        self._rows.setHorizontalSpacing(unit * 3)
        self._rows.setVerticalSpacing(unit)
        for name, field in (
            ("Tool", self.kind),
            ("Model", self.model),
            ("Role", self.role),
            ("Stop reason", self.stop),
            ("Reason to decline", self.why),
        ):
            field.setAccessibleName(name)
            self._rows.addRow(label(name, "muted"), field)
        for signal in (self.text.textChanged, self.model.textChanged, self.form.changed):
            signal.connect(self.changed)
        self.kind.currentIndexChanged.connect(self._tool_chosen)
        page, heading = QWidget(), label("Your answer", "section")
        whole = column(page, heading, self.text, self.form, self._rows, margins=(unit * 3, unit, unit * 3, unit * 2))
        whole.setSpacing(unit)
        for part in (self.text, self.form):
            whole.setStretchFactor(part, 1)
        return page


def open_page(url: str) -> bool:
    """Open exactly this address in the browser of the user; False where there is none."""
    address = QUrl(url, QUrl.ParsingMode.StrictMode)
    return address.isValid() and QDesktopServices.openUrl(address)


class VisitBody(ElicitationBody):
    """The host, warnings, the complete address, and whether the page was opened."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(context, ask, parent)
        self._opened_by_user = False  # outside the workbench
        self.host = ForeignLabel(ask.host, role="title")
        self.address = reading_box(visible(ask.url), "The complete address")
        self.copy = QPushButton(icon("copy", "muted"), "Copy the address")
        self.elsewhere = QPushButton("I have opened it")
        self._state = paragraph("", "muted")
        self._lay_out(ask)
        self.copy.clicked.connect(self._copy)
        self.elsewhere.clicked.connect(self._opened_elsewhere)
        self.setFocusProxy(self.copy)
        self.show_request(ask)

    def accept_text(self) -> str:
        if not self.ask.opened:
            return "Open in browser"
        return "Call again" if self.ask.repeats else "Done"

    def prepare(self) -> Fault | None:
        if self.ask.opened or self._opened_by_user or open_page(self.ask.url):
            return None
        self.elsewhere.show()
        hint = "Copy the address, open it, then choose “I have opened it”."
        return Fault("No browser could be opened.", hint)

    def show_request(self, ask: Ask) -> None:
        super().show_request(ask)
        self.elsewhere.setVisible(self.elsewhere.isVisible() and not ask.opened)
        self._state.setText(self._state_text(ask))

    def _state_text(self, ask: Ask) -> str:
        if not ask.opened:
            return "What you enter there goes to that page only, not to the workbench."
        if ask.repeats:
            return "The page was opened. When you have finished there, choose “Call again”."
        return "The page was opened. This page closes when the server reports that you have finished."

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.ask.url)
        self.elsewhere.setVisible(not self.ask.opened)

    def _opened_elsewhere(self) -> None:
        self._opened_by_user = True
        self.accepted.emit()

    def _lay_out(self, ask: Ask) -> None:
        unit = self.context.theme.unit
        host: list[QWidget] = [label("Host", "section"), self.host]
        if ask.host_shown:
            host.append(ForeignLabel(f"Displayed as: {one_line(ask.host_shown, 200)}"))
        for warning in ask.warnings:
            notice = Notice(self.context.theme)
            notice.show_fault(Fault(warning), tone="warning")
            host.append(notice)
        self.address.setFont(self.context.theme.mono())
        lines = min(6, max(2, 1 + len(self.ask.url) // 60))
        self.address.setFixedHeight(self.address.fontMetrics().lineSpacing() * lines + unit * 5)
        for button in (self.copy, self.elsewhere):
            button.setAutoDefault(True)
            mark(button, kind="quiet")
        self.elsewhere.hide()
        address = (label("The complete address", "section"), self.address)
        buttons = row(None, self.copy, self.elsewhere, None, spacing=unit * 2)
        margins = (unit * 3, unit * 2, unit * 3, unit * 3)
        column(self, *host, *address, buttons, self._state, None, margins=margins, spacing=unit * 2)
