"""Marks: values, patterns and keys that are always or never masked, and a form that adds one."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.icons import icon
from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState, label
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import mark
from workbench.gui.privacy.rows import mark_rows
from workbench.gui.results.token_chips import OTHER
from workbench.gui.shell.context import Context
from workbench.records import PrivacyMark, PrivacyRules

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
        self.action, self.target, self.kind = CalmCombo(), CalmCombo(), CalmCombo()
        self.text = QLineEdit()
        self.add = QPushButton("Add")
        self.remove = QPushButton("Remove")
        self._remove_action = QAction(icon("trash"), "Remove", self)
        self.fault = label("", "error")
        self._lay_out(context.theme.unit)
        for combo in (self.action, self.target):
            combo.currentIndexChanged.connect(self._update_controls)
        self.text.textChanged.connect(self._update_controls)
        self.text.returnPressed.connect(self._add)
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)
        self._remove_action.triggered.connect(self._remove)
        self.rows.selection_changed.connect(self._update_controls)
        self.rows.set_menu(self._menu_actions)
        self._update_controls()

    def show_rules(self, rules: PrivacyRules) -> None:
        self._rules = rules
        selected = self.kind.currentData() or OTHER
        self.kind.clear()
        for rule in rules.kinds:
            self.kind.addItem(rule.plural, rule.kind)
        self.kind.setCurrentIndex(max(0, self.kind.findData(selected)))
        self.rows.show_rows(mark_rows(rules.marks))
        if rules.notices:
            self._show_fault(f"{rules.notices[0].message} {rules.notices[0].hint}")
        self._update_controls()

    def _add(self) -> None:
        if self.add.isEnabled():
            hide = bool(self.action.currentData())
            kind = str(self.kind.currentData() or OTHER) if hide else ""
            new = PrivacyMark(hide, str(self.target.currentData()), self.text.text(), kind)
            message = "Mark added. It takes effect at once."
            self._run(self._context.api.mark_privacy(new), message, clear=True)

    def _remove(self) -> None:
        message = "Mark removed. Values that a running session knows stay masked in it."
        self._run(self._context.api.unmark_privacy(self.rows.key()), message, clear=False)

    def _run(self, request: Coroutine[Any, Any, PrivacyRules], message: str, *, clear: bool) -> None:
        """Any: what a coroutine yields concerns the loop alone."""
        self._context.tasks.run("change the marks", self._send(request, message, clear=clear))

    async def _send(
        self, request: Coroutine[Any, Any, PrivacyRules], message: str, *, clear: bool
    ) -> None:  # Any: above
        try:
            rules = await request
        except WorkbenchError as fault:
            self._show_fault(f"{fault.message} {fault.hint}".strip())
            return
        self._show_fault("")
        if clear:
            self.text.clear()
        self.show_rules(rules)
        self._context.say(message)

    def _show_fault(self, text: str) -> None:
        self.fault.setText(one_line(text))
        self.fault.setVisible(bool(text))

    def _update_controls(self) -> None:
        selected = next((each for each in self._rules.marks if each.id == self.rows.key()), None)
        is_project = selected is not None and selected.source == "project"
        for part in (self.remove, self._remove_action):
            part.setEnabled(selected is not None and not is_project)
            part.setToolTip("This mark is set in workbench.toml of the project." if is_project else "")
        self.add.setEnabled(bool(self.text.text().strip()))
        self.kind.setVisible(bool(self.action.currentData()))
        self.text.setPlaceholderText(_EXAMPLES[str(self.target.currentData())])

    def _menu_actions(self, _mark_id: str) -> Sequence[QAction]:
        return (self._remove_action,)

    def _lay_out(self, unit: int) -> None:
        for combo, name, choices in (
            (self.action, "What to do", (("Mask", True), ("Never mask", False))),
            (self.target, "What is masked", (("a value", "value"), ("a pattern", "pattern"), ("a key", "key"))),
            (self.kind, "Kind of personal data", (("custom values", OTHER),)),
        ):
            combo.setAccessibleName(name)
            for text, data in choices:
                combo.addItem(text, data)
        self.target.setToolTip("A key masks the values of all fields with this name")
        self.text.setAccessibleName("Value, pattern or key name")
        self.text.setMaxLength(1000)
        mark(self.add, kind="primary")
        self.fault.setWordWrap(True)
        self.fault.hide()
        form = QHBoxLayout()
        for part, share in ((self.action, 1), (self.target, 1), (self.text, 3), (self.kind, 2), (self.add, 0)):
            form.addWidget(part, share)
        row = QHBoxLayout()
        row.addWidget(self.fault, 1)
        row.addStretch(0)
        row.addWidget(self.remove)
        foot = QVBoxLayout()
        foot.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 3)
        foot.setSpacing(unit * 2)
        foot.addLayout(row)
        foot.addLayout(form)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.rows, 1)
        column.addLayout(foot)
