"""The rules about one server or one tool, and fields to add one."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QPushButton, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import label
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import ago
from workbench.gui.shell.context import Context
from workbench.records import CallDecision, Fault, Permission, Permissions, Predicate, Tool

_WORDS = {
    CallDecision.ALLOW: ("Allow", "check", "success"),
    CallDecision.ASK: ("Ask", "hourglass", "warning"),
    CallDecision.DENY: ("Deny", "ban", "danger"),
}
_ARGUMENT = 32  # units of width at least for the name of an argument
_RULE_ID = Qt.ItemDataRole.UserRole


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
        self.fault = Notice(context.theme)
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
        """Show the current rules."""
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
        item = QListWidgetItem(icon(*_WORDS[rule.word][1:]), words)
        item.setData(_RULE_ID, rule.id)
        self.list.addItem(item)

    def _void(self, rule: Permission, why: str) -> str:
        """Why a rule no longer applies: as the core says, or because the definition changed."""
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
        self._context.tasks.run("add a rule", self._watch(self._send(rule)))

    async def _send(self, rule: Permission) -> None:
        await self._context.api.set_permission(rule)
        self.pattern.clear()
        self.show_permissions(await self._context.api.permissions())

    def _revoke(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._context.tasks.run("revoke a rule", self._watch(self._take_back(str(item.data(_RULE_ID)))))

    async def _take_back(self, rule_id: str) -> None:
        self.show_permissions(await self._context.api.revoke_permission(rule_id))

    async def _watch(self, coro: Coroutine[Any, Any, None]) -> None:  # Any: asyncio's own
        """Show the fault of a change here."""
        self.fault.show_fault(None)
        try:
            await coro
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))

    def _draw(self) -> None:
        self.revoke.setEnabled(self.list.currentRow() >= 0)
        self.pattern.setEnabled(bool(self.argument.currentText().strip()))

    def _fill(self) -> None:
        for word, (text, symbol, tone) in _WORDS.items():
            self.word.addItem(icon(symbol, tone), text, word.value)
        self.word.setAccessibleName("What the rule does")
        self.argument.setEditable(True)
        self.argument.setAccessibleName("Argument that the rule is about; empty: every call")
        self.argument.setMinimumWidth(self._context.theme.unit * _ARGUMENT)
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

    def _lay_out(self, unit: int) -> None:
        self.list.setIconSize(QSize(unit * 4, unit * 4))
        self.list.setMinimumHeight(unit * 20)
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if self._tool is not None:
            self.list.setMaximumHeight(unit * 36)
        mark(self.revoke, kind="flat")
        new = row(None, self.word, self.argument, self.pattern, spacing=unit * 2, grows=self.pattern)
        if self._tool is None:
            self.argument.hide()
            self.pattern.hide()
            new.addStretch(1)
        buttons = row(None, self.add, self.revoke, None, spacing=unit * 2)
        column(self, self._empty, self.list, new, buttons, self.fault, spacing=unit * 2, grows=self.list)
