"""The rules about one server or one tool: what there is, and a line to add one. All of it by keyboard."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import ago
from workbench.gui.shell.context import Context
from workbench.records import CallDecision, Fault, Permission, Permissions, Predicate, Tool

_ICONS = {
    CallDecision.ALLOW: ("check", "success"),
    CallDecision.ASK: ("hourglass", "warning"),
    CallDecision.DENY: ("ban", "danger"),
}
_ARGUMENT = 130  # pixels at least for the name of an argument


class RulesBox(QWidget):
    """With a tool its rules and those of its arguments; without one the rules about the whole server."""

    def __init__(self, context: Context, server: str, tool: Tool | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._server, self._tool = server, tool
        self.list = QListWidget()
        self.revoke = QPushButton(icon("trash", "muted"), "Revoke")
        self.word, self.argument, self.pattern = CalmCombo(), CalmCombo(), QLineEdit()
        self.add = QPushButton(icon("plus", "muted"), "Add the rule")
        self.fault = FaultCard(context.theme)
        self._empty = label("No rules. Calls ask for approval depending on risk and your settings.", "muted")
        self._fill()
        self._lay_out(context.theme.unit)
        self.add.clicked.connect(self._add)
        self.pattern.returnPressed.connect(self._add)
        self.revoke.clicked.connect(self._revoke)
        self.list.currentRowChanged.connect(self._draw)
        self.argument.currentTextChanged.connect(self._draw)
        self._draw()

    def show_permissions(self, known: Permissions) -> None:
        """The rules as they stand now."""
        row = self.list.currentRow()
        self.list.clear()
        for rule in known.rules:
            if self._is_mine(rule):
                self._show(rule, known.void.get(rule.id, ""))
        self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))
        self._empty.setVisible(self.list.count() == 0)
        self._draw()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.revoke.isEnabled() and self.list.hasFocus():
            self._revoke()
            return
        super().keyPressEvent(event)

    def _is_mine(self, rule: Permission) -> bool:
        if rule.server != self._server or rule.kind not in ("server", "tool", "arguments"):
            return False
        return self._tool is None or rule.kind == "server" or rule.tool == self._tool.name

    def _show(self, rule: Permission, why: str = "") -> None:
        used = f"used {rule.count} ×, last {ago(rule.used)}" if rule.count else ""
        words = "  ·  ".join(part for part in (visible(rule.label), used, self._void(rule, why)) if part)
        item = QListWidgetItem(icon(*_ICONS[rule.word]), words)
        item.setData(Qt.ItemDataRole.UserRole, rule.id)
        self.list.addItem(item)

    def _void(self, rule: Permission, why: str) -> str:
        """Why it counts no more: by what the core knows, or by the definition that is shown here."""
        if why:
            return f"void: {visible(why)}"
        tool = self._tool if rule.word is CallDecision.ALLOW and rule.kind != "server" else None
        changed = tool is not None and rule.key != tool.hash
        return "void: the tool's definition changed" if changed else ""

    def _add(self) -> None:
        if not self.add.isEnabled():
            return
        path, pattern = self.argument.currentText().strip(), self.pattern.text().strip()
        narrow = self._tool is not None and bool(path and pattern)
        where = (Predicate(path, pattern),) if narrow else ()
        kind = "server" if self._tool is None else "arguments" if narrow else "tool"
        name = self._tool.name if self._tool is not None else ""
        rule = Permission("", kind, CallDecision(self.word.currentData()), self._server, name, where)
        self._context.tasks.run("add a rule", self._send(rule))

    async def _send(self, rule: Permission) -> None:
        try:
            await self._context.api.set_permission(rule)
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            return
        self.fault.show_fault(None)
        self.pattern.clear()
        self.show_permissions(await self._context.api.permissions())

    def _revoke(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._context.tasks.run("revoke a rule", self._take_back(str(item.data(Qt.ItemDataRole.UserRole))))

    async def _take_back(self, rule_id: str) -> None:
        try:
            self.show_permissions(await self._context.api.revoke_permission(rule_id))
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))

    def _draw(self) -> None:
        self.revoke.setEnabled(self.list.currentRow() >= 0)
        self.pattern.setEnabled(bool(self.argument.currentText().strip()))

    def _fill(self) -> None:
        for word, words in (
            (CallDecision.ALLOW, "Allow"),
            (CallDecision.ASK, "Ask"),
            (CallDecision.DENY, "Deny"),
        ):
            self.word.addItem(icon(*_ICONS[word]), words, word.value)
        self.word.setAccessibleName("What the rule does")
        self.argument.setEditable(True)
        self.argument.setAccessibleName("Argument that the rule is about; empty: every call")
        self.argument.setMinimumWidth(_ARGUMENT)
        self.argument.addItem("")
        fields = self._tool.input_schema.get("properties") if self._tool is not None else None
        for name in fields if isinstance(fields, dict) else ():
            self.argument.addItem(visible(str(name)))
        edit = self.argument.lineEdit()
        if edit is not None:
            edit.setPlaceholderText("every call")
        self.pattern.setPlaceholderText("*@example.org, or: under workspace")
        self.pattern.setAccessibleName("What the argument must look like")
        self.list.setAccessibleName("Rules")
        self.list.setIconSize(QSize(self._context.theme.unit * 4, self._context.theme.unit * 4))

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(unit * 2)
        column.addWidget(self._empty)
        self.list.setMinimumHeight(unit * 20)
        if self._tool is not None:
            self.list.setMaximumHeight(unit * 36)
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column.addWidget(self.list, 1)
        row = QHBoxLayout()
        row.setSpacing(unit * 2)
        for part in (self.word, self.argument, self.pattern):
            row.addWidget(part, 1 if part is self.pattern else 0)
        deeds = QHBoxLayout()
        deeds.setSpacing(unit * 2)
        deeds.addWidget(self.add)
        deeds.addWidget(self.revoke)
        deeds.addStretch(1)
        if self._tool is None:
            self.argument.hide()
            self.pattern.hide()
            row.addStretch(1)
        mark(self.revoke, kind="flat")
        column.addLayout(row)
        column.addLayout(deeds)
        column.addWidget(self.fault)
