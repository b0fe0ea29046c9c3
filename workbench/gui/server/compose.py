"""Where a person writes a message for the server: JSON, checked while it is typed, sent with one press."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.editor.code_editor import CodeEditor
from workbench.gui.forms.json_text import dump, parse
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark

_PAUSE = 200
_FIRST = '{\n  "id": "new",\n  "method": "ping"\n}'


class Compose(QWidget):
    """`wanted` carries the text when it may be sent."""

    wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.busy = False
        self.editor = CodeEditor(theme, self, "json")
        self.editor.setAccessibleName("The message to send, as JSON")
        self.verdict = ForeignLabel("", elide=True)
        self.send = QPushButton("Send")
        self.send.setToolTip("Send it with a new id (Ctrl+Enter)")
        mark(self.send, kind="primary")
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self._check)
        self.editor.edited.connect(self._pause.start)
        self.send.clicked.connect(self.go)
        self._lay_out(theme.unit)
        self.show_text(_FIRST)

    def show_text(self, text: str) -> None:
        """Begin with this message, laid out to be read; its id is left out, a new one is given."""
        try:
            value = parse(text)
        except WorkbenchError:
            value = None
        if isinstance(value, dict):
            kept = {key: part for key, part in value.items() if key not in ("id", "jsonrpc")}
            text = dump({**({"id": "new"} if "id" in value else {}), **kept})
        self.editor.set_text(text)
        self._check()

    def go(self) -> None:
        """Send, if it is a message."""
        self._check()
        if self.send.isEnabled():
            self.wanted.emit(self.editor.text())

    def hold(self, busy: bool) -> None:
        """While one message is under way the next one waits."""
        self.busy = busy
        self._check()

    def _check(self) -> None:
        self._pause.stop()
        fault, words = self._judge(self.editor.text())
        self.send.setEnabled(not fault and not self.busy)
        mark(self.verdict, role="error" if fault else "muted")
        self.verdict.setText(fault or words)

    def _judge(self, text: str) -> tuple[str, str]:
        """What is wrong, or what it is."""
        try:
            value = parse(text)
        except WorkbenchError as fault:
            return fault.message, ""
        if not isinstance(value, dict):
            return "A message is one JSON object.", ""
        if not isinstance(value.get("method"), str) or not value["method"].strip():
            return "A message needs a method.", ""
        if value["method"].strip().casefold() == "tools/call":
            return "", "A tool call: it goes through policy, privacy and audit like every call."
        if "id" in value:
            return "", "A request: it gets a new id, and its answer appears above."
        return "", 'A notification: nothing comes back. Add "id" to make it a request.'

    def _lay_out(self, unit: int) -> None:
        foot = QHBoxLayout()
        foot.setContentsMargins(unit * 3, unit, unit * 2, unit)
        foot.setSpacing(unit * 2)
        foot.addWidget(self.verdict, 1)
        foot.addWidget(self.send)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.editor, 1)
        column.addLayout(foot)
        self.setFocusProxy(self.editor)
