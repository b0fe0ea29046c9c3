"""Which kinds of personal data are looked for, how eagerly, and whether anything is hidden at all."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QHBoxLayout, QScrollArea, QSpinBox, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import one_line
from workbench.gui.shell.context import Context
from workbench.records import JsonValue, KindRule, PrivacyRules


class KindsPage(QWidget):
    """`show_rules` fills it; each tick counts at once and in every conversation."""

    changed = Signal()
    """A setting that no event tells of is another one now."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        theme = context.theme
        self.enabled = TickBox(theme, "Replace personal data by tokens before a model sees it")
        self.eager = TickBox(theme, "Rather hide too much than too little, in prose")
        self.days = QSpinBox()
        self.boxes: dict[str, TickBox] = {}
        self.scores: dict[str, QDoubleSpinBox] = {}
        self.fault = label("", "error")
        self.fault.setWordWrap(True)
        self.fault.hide()
        self._grid = QGridLayout()
        self._lay_out(theme.unit)
        self.enabled.clicked.connect(self._enable)
        self.days.valueChanged.connect(self._keep_days)
        self.eager.clicked.connect(self._rather_too_much)

    def show_rules(self, rules: PrivacyRules) -> None:
        self.enabled.setChecked(rules.enabled)
        self.eager.setChecked(rules.recall_first)
        self.eager.setVisible(any(one.threshold for one in rules.kinds))
        self.days.blockSignals(True)
        self.days.setValue(rules.keep_days)
        self.days.blockSignals(False)
        for at, one in enumerate(rules.kinds):
            if one.kind not in self.boxes:
                self._add(at, one)
            self.boxes[one.kind].setChecked(one.on)
            self.boxes[one.kind].setEnabled(rules.enabled)
            if one.threshold and one.kind in self.scores:
                self.scores[one.kind].blockSignals(True)
                self.scores[one.kind].setValue(one.threshold)
                self.scores[one.kind].blockSignals(False)

    def _add(self, at: int, one: KindRule) -> None:
        words = one.plural[:1].upper() + one.plural[1:]
        box = TickBox(self._context.theme, words)
        box.clicked.connect(partial(self._switch, one.kind))
        self.boxes[one.kind] = box
        row, column = divmod(at, 2)
        self._grid.addWidget(box, row, column * 2)
        if one.threshold:
            self._grid.addWidget(self._score(one, words), row, column * 2 + 1)

    def _score(self, one: KindRule, words: str) -> QDoubleSpinBox:
        score = QDoubleSpinBox()
        score.lineEdit().setTextMargins(self._context.theme.unit, 0, 0, 0)
        score.setRange(0.05, 1.0)
        score.setSingleStep(0.05)
        score.setValue(one.threshold)
        score.setPrefix("prose ≥ ")
        score.setKeyboardTracking(False)
        score.setAccessibleName(f"{words}: from which score on they count in prose")
        score.valueChanged.connect(partial(self._score_changed, one.kind))
        self.scores[one.kind] = score
        return score

    def _switch(self, kind: str) -> None:
        self._context.tasks.run("switch a kind", self._kind(kind, self.boxes[kind].isChecked(), 0.0))

    def _score_changed(self, kind: str, _score: float) -> None:
        on, score = self.boxes[kind].isChecked(), self.scores[kind].value()
        self._context.tasks.run("set a threshold", self._kind(kind, on, score))

    async def _kind(self, kind: str, on: bool, threshold: float) -> None:
        try:
            self.show_rules(await self._context.api.set_privacy_kind(kind, on, threshold))
        except WorkbenchError as fault:
            self._say(f"{fault.message} {fault.hint}".strip())
        else:
            self._say("")

    def _enable(self) -> None:
        self._set("privacy.enabled", self.enabled.isChecked())

    def _rather_too_much(self) -> None:
        self._set("privacy.recall_first", self.eager.isChecked())

    def _keep_days(self, days: int) -> None:
        self._set("privacy.keep_days", days)

    def _set(self, name: str, value: JsonValue) -> None:
        self._context.tasks.run("change a setting", self._setting(name, value))

    async def _setting(self, name: str, value: JsonValue) -> None:
        try:
            await self._context.api.change_setting(name, value)
        except WorkbenchError as fault:
            self._say(f"{fault.message} {fault.hint}".strip())
        self.changed.emit()

    def _say(self, words: str) -> None:
        self.fault.setText(one_line(words, 300))
        self.fault.setVisible(bool(words))

    def _keeping(self, unit: int) -> QHBoxLayout:
        self.days.lineEdit().setTextMargins(unit, 0, 0, 0)
        self.days.setRange(0, 365)
        self.days.setSuffix(" days")
        self.days.setSpecialValueText("until the core ends")
        self.days.setKeyboardTracking(False)
        self.days.setAccessibleName("How long values behind tokens are kept")
        told = "For you to look behind tokens. Sealed by a key in your keyring; without one nothing is written."
        why = label(told, "muted")
        why.setWordWrap(True)
        row = QHBoxLayout()
        row.setSpacing(unit * 3)
        row.addWidget(self.days)
        row.addWidget(why, 1)
        return row

    def _lay_out(self, unit: int) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(*(unit * 5,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(self.enabled)
        column.addWidget(self.eager)
        column.addWidget(self.fault)
        column.addWidget(label("What is looked for", "section"))
        self._grid.setHorizontalSpacing(unit * 2)
        self._grid.setVerticalSpacing(unit * 2)
        self._grid.setColumnStretch(4, 1)
        column.addLayout(self._grid)
        column.addWidget(label("How long values are known", "section"))
        column.addLayout(self._keeping(unit))
        words = (
            "Secrets that you stored are hidden whatever stands here. A project can hide more and never less. A tool"
            " whose values programs hold as tokens only is named in the setting privacy.sealed."
        )
        told = label(words, "muted")
        told.setWordWrap(True)
        column.addWidget(told)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
