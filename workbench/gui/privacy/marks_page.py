"""Marks: values, patterns and keys that are always or never masked, and a form that adds one."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.theme import mark
from workbench.gui.privacy.rows import SCOPES, mark_rows
from workbench.gui.results.token_chips import OTHER
from workbench.gui.shell.context import Context
from workbench.records import Fault, PrivacyMark, PrivacyRules

_EXAMPLES = {"value": "Project Falcon", "pattern": r"AB-\d{6}", "key": "badge_no"}


class MarksPage(QWidget):
    """Lists the marks of the user and of the project."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rules = PrivacyRules()
        empty = EmptyState(
            context.theme,
            "bookmark",
            "No marks",
            "Select text in a result or under Try the detector, and choose in its menu that it was missed or is not"
            " personal. Or add a value, a pattern or a key below.",
            self,
        )
        self.rows = ListPane(context.theme, "Marks", empty, parent=self)
        self.action, self.target, self.kind, self.scope = CalmCombo(), CalmCombo(), CalmCombo(), CalmCombo()
        self.text = QLineEdit()
        self.add = QPushButton("Add")
        self.remove = QPushButton("Remove")
        self._remove_action = menu_action(self, "Remove", self._remove, "trash")
        self.fault = Notice(context.theme)
        self._lay_out(context.theme.unit)
        for combo in (self.action, self.target):
            combo.currentIndexChanged.connect(self._update_controls)
        self.text.textChanged.connect(self._update_controls)
        self.text.returnPressed.connect(self._add)
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)
        self.rows.selection_changed.connect(self._update_controls)
        self.rows.set_menu(lambda _mark_id: (self._remove_action,))
        self._update_controls()

    def show_rules(self, rules: PrivacyRules) -> None:
        self._rules = rules
        self.kind.show_choices({rule.kind: rule.plural for rule in rules.kinds}, self.kind.currentData() or OTHER)
        self.rows.show_rows(mark_rows(rules.marks))
        if rules.notices:
            self.fault.show_fault(rules.notices[0])
        self._update_controls()

    def _add(self) -> None:
        if self.add.isEnabled():
            hide = bool(self.action.currentData())
            kind = str(self.kind.currentData() or OTHER) if hide else ""
            scope = str(self.scope.currentData())
            new = PrivacyMark(hide, str(self.target.currentData()), self.text.text(), kind, scope=scope)
            message = "Mark added. It takes effect at once."
            self._run(self._context.api.mark_privacy(new), message, clear=True)

    def _remove(self) -> None:
        message = "Mark removed. Values that a running session knows stay masked in it."
        self._run(self._context.api.unmark_privacy(self.rows.key()), message, clear=False)

    def _run(self, request: Coroutine[Any, Any, PrivacyRules], message: str, *, clear: bool) -> None:
        """Any: what a coroutine yields concerns the loop alone."""
        self._context.tasks.run("change the marks", self._send(request, message, clear))

    async def _send(self, request: Coroutine[Any, Any, PrivacyRules], message: str, clear: bool) -> None:  # Any: above
        try:
            rules = await request
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            return
        self.fault.show_fault(None)
        if clear:
            self.text.clear()
        self.show_rules(rules)
        self._context.say(message)

    def _update_controls(self) -> None:
        selected = next((each for each in self._rules.marks if each.id == self.rows.key()), None)
        is_project = selected is not None and selected.source == "project"
        for part in (self.remove, self._remove_action):
            part.setEnabled(selected is not None and not is_project)
            part.setToolTip("This mark is set in workbench.toml of the project." if is_project else "")
        self.add.setEnabled(bool(self.text.text().strip()))
        self.kind.setVisible(bool(self.action.currentData()))
        self.text.setPlaceholderText(_EXAMPLES[str(self.target.currentData())])

    def _lay_out(self, unit: int) -> None:
        self.action.show_choices({True: "Mask", False: "Never mask"})
        self.target.show_choices({"value": "a value", "pattern": "a pattern", "key": "a key"})
        self.kind.show_choices({OTHER: "custom values"})
        self.action.setAccessibleName("What to do")
        self.target.setAccessibleName("What is masked")
        self.kind.setAccessibleName("Kind of personal data")
        self.scope.show_choices(SCOPES)
        self.scope.setAccessibleName("Where the mark applies")
        self.target.setToolTip("A key masks the values of all fields with this name")
        self.text.setAccessibleName("Value, pattern or key name")
        self.text.setMaxLength(1000)
        mark(self.add, kind="primary")
        what, text = QHBoxLayout(), QHBoxLayout()
        subject: tuple[tuple[QWidget, int], ...] = ((self.action, 1), (self.target, 1), (self.scope, 2))
        value: tuple[tuple[QWidget, int], ...] = ((self.text, 3), (self.kind, 2), (self.add, 0))
        for line, parts in ((what, subject), (text, value)):
            for part, share in parts:
                line.addWidget(part, share)
        margins = (unit * 3, unit * 2, unit * 3, unit * 3)
        foot = column(None, self.fault, row(None, None, self.remove), what, text, margins=margins, spacing=unit * 2)
        column(self, self.rows, foot, grows=self.rows)
