"""What was said for good: values, patterns and keys that are hidden, and those that pass; a form and a way back."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.lists import EmptyState, RowsView, label
from workbench.gui.kit.rows import RowsModel
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import mark
from workbench.gui.privacy.rows import mark_rows
from workbench.gui.results.token_chips import OTHER
from workbench.gui.shell.context import Context
from workbench.records import PrivacyMark, PrivacyRules


class MarksPage(QWidget):
    """`show_rules` fills it; what it changes is told by the core."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rules = PrivacyRules()
        theme = context.theme
        self.model = RowsModel(self)
        self.list = RowsView(theme, "Marks")
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(False)
        words = (
            "Select something in a result or on the page Try, and say in its menu that it was missed or that it is not"
            " personal. Or write a value, a pattern or the name of a key below."
        )
        self.empty = EmptyState(theme, "bookmark", "Nothing is marked", words, self)
        self.deed, self.what, self.kind = CalmCombo(), CalmCombo(), CalmCombo()
        self.text = QLineEdit()
        self.add = QPushButton("Add")
        self.back = QPushButton("Take back")
        self.fault = label("", "error")
        self._lay_out(theme.unit)
        self._bind()

    def show_rules(self, rules: PrivacyRules) -> None:
        self._rules = rules
        chosen = self.kind.currentData() or OTHER
        self.kind.clear()
        for one in rules.kinds:
            self.kind.addItem(one.plural, one.kind)
        self.kind.setCurrentIndex(max(0, self.kind.findData(chosen)))
        self.model.show_rows(mark_rows(rules.marks))
        self._stack.setCurrentWidget(self.list if rules.marks else self.empty)
        if rules.notices:
            self._say(f"{rules.notices[0].message} {rules.notices[0].hint}")
        self._choose()

    def _mark(self) -> PrivacyMark:
        hide = bool(self.deed.currentData())
        kind = str(self.kind.currentData() or OTHER) if hide else ""
        return PrivacyMark(hide, str(self.what.currentData()), self.text.text(), kind)

    def _add(self) -> None:
        if self.add.isEnabled():
            self._run(self._context.api.mark_privacy(self._mark()), "Marked: it counts at once.")

    def _take_back(self) -> None:
        words = "Taken back. What a running conversation knows stays hidden in it."
        self._run(self._context.api.unmark_privacy(self.list.key()), words, clear=False)

    def _run(self, question: Coroutine[Any, Any, PrivacyRules], words: str, *, clear: bool = True) -> None:
        """Any: as in Tasks.run."""
        self._context.tasks.run("change the marks", self._ask(question, words, clear=clear))

    async def _ask(self, question: Coroutine[Any, Any, PrivacyRules], words: str, *, clear: bool) -> None:  # Any: above
        try:
            rules = await question
        except WorkbenchError as fault:
            self._say(f"{fault.message} {fault.hint}".strip())
            return
        self._say("")
        if clear:
            self.text.clear()
        self.show_rules(rules)
        self._context.say(words)

    def _say(self, words: str) -> None:
        self.fault.setText(one_line(words, 300))
        self.fault.setVisible(bool(words))

    def _choose(self) -> None:
        chosen = next((one for one in self._rules.marks if one.id == self.list.key()), None)
        self.back.setEnabled(chosen is not None and chosen.source != "project")
        theirs = "It stands in the project's workbench.toml"
        self.back.setToolTip(theirs if chosen is not None and chosen.source == "project" else "")
        self.add.setEnabled(bool(self.text.text().strip()))
        self.kind.setVisible(bool(self.deed.currentData()))
        self.text.setPlaceholderText(
            {"value": "Project Falcon", "pattern": r"AB-\d{6}", "key": "badge_no"}[str(self.what.currentData())]
        )

    def _bind(self) -> None:
        for combo in (self.deed, self.what):
            combo.currentIndexChanged.connect(self._choose)
        self.text.textChanged.connect(self._choose)
        self.text.returnPressed.connect(self._add)
        self.add.clicked.connect(self._add)
        self.back.clicked.connect(self._take_back)
        self.list.selection_changed.connect(self._choose)
        self._choose()

    def _lay_out(self, unit: int) -> None:
        for combo, name, choices in (
            (self.deed, "What to do", (("Hide", True), ("Let pass", False))),
            (self.what, "What it is about", self._whats()),
            (self.kind, "Kind of personal data", (("custom values", OTHER),)),
        ):
            combo.setAccessibleName(name)
            for words, data in choices:
                combo.addItem(words, data)
        self.text.setAccessibleName("Value, pattern or name of a key")
        self.text.setMaxLength(1000)
        mark(self.add, kind="primary")
        self.fault.setWordWrap(True)
        self.fault.hide()
        self._stack = QStackedLayout()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.list)
        form = QHBoxLayout()
        for part, share in ((self.deed, 1), (self.what, 1), (self.text, 3), (self.kind, 2), (self.add, 0)):
            form.addWidget(part, share)
        foot = QVBoxLayout()
        foot.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 3)
        foot.setSpacing(unit * 2)
        row = QHBoxLayout()
        row.addWidget(self.fault, 1)
        row.addStretch(0)
        row.addWidget(self.back)
        foot.addLayout(row)
        foot.addLayout(form)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._stack, 1)
        column.addLayout(foot)

    def _whats(self) -> tuple[tuple[str, str], ...]:
        return (("a value", "value"), ("a pattern", "pattern"), ("what a key names", "key"))
