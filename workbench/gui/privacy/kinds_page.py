"""Settings of masking: whether it is on, how strict it is, which kinds of personal data are masked, and how long values
are kept."""

from __future__ import annotations

from collections.abc import Coroutine
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QSpinBox, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.layouts import column, row, scroll_area
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.notice import Notice
from workbench.gui.privacy.strictness_dial import StrictnessDial
from workbench.gui.shell.context import Context
from workbench.records import Fault, JsonValue, KindRule, PrivacyRules
from workbench.settings import Settings


class KindsPage(QWidget):
    """Each change takes effect at once, in every session."""

    changed = Signal()
    """A setting was changed for which there is no event."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        theme = context.theme
        self.enabled = TickBox(theme, "Replace personal data with tokens before a model sees it")
        self.preview = TickBox(theme, "Show me answers with personal data before an agent gets them")
        self.strictness = StrictnessDial(context)
        self.days = QSpinBox()
        self.boxes: dict[str, TickBox] = {}
        self.scores: dict[str, QDoubleSpinBox] = {}
        self.fault = Notice(theme)
        self._grid = QGridLayout()
        self._lay_out(theme.unit)
        self.enabled.clicked.connect(lambda on: self._change_setting("privacy.enabled", on))
        self.preview.clicked.connect(lambda on: self._change_setting("privacy.preview", "all" if on else ""))
        self.preview.setToolTip("To be asked for some kinds only, name them in the setting privacy.preview")
        self.strictness.failed.connect(self._strictness_changed)
        self.days.valueChanged.connect(partial(self._change_setting, "privacy.keep_days"))

    def show_rules(self, rules: PrivacyRules) -> None:
        self.enabled.setChecked(rules.enabled)
        self.preview.setChecked(bool(rules.preview))
        self.strictness.show_rules(rules)
        _set_quietly(self.days, rules.keep_days)
        for number, rule in enumerate(rules.kinds):
            if rule.kind not in self.boxes:
                self._add_kind(number, rule)
            self.boxes[rule.kind].setChecked(rule.on)
            self.boxes[rule.kind].setEnabled(rules.enabled)
            if rule.threshold:
                self._show_score(number, rule)
            elif rule.kind in self.scores:
                self.scores[rule.kind].hide()  # sentences are not searched

    def _add_kind(self, number: int, rule: KindRule) -> None:
        name = rule.plural[:1].upper() + rule.plural[1:]
        box = TickBox(self._context.theme, name)
        box.clicked.connect(partial(self._change_kind, rule.kind))
        self.boxes[rule.kind] = box
        line, half = divmod(number, 2)
        self._grid.addWidget(box, line, half * 2)

    def _show_score(self, number: int, rule: KindRule) -> None:
        """Show the threshold of a kind that is found in sentences, too."""
        if rule.kind not in self.scores:
            name = rule.plural[:1].upper() + rule.plural[1:]
            line, half = divmod(number, 2)
            score = QDoubleSpinBox()
            score.lineEdit().setTextMargins(self._context.theme.unit, 0, 0, 0)
            score.setRange(0.05, 1.0)
            score.setSingleStep(0.05)
            score.setValue(rule.threshold)
            score.setPrefix("score ≥ ")
            score.setKeyboardTracking(False)
            score.setAccessibleName(f"{name}: lowest score in free text")
            score.setToolTip("The lowest score at which it is masked in free text")
            score.valueChanged.connect(partial(self._change_kind, rule.kind))
            self.scores[rule.kind] = score
            self._grid.addWidget(score, line, half * 2 + 1)
        _set_quietly(self.scores[rule.kind], rule.threshold)
        self.scores[rule.kind].show()

    def _strictness_changed(self, fault: WorkbenchError | None) -> None:
        self.fault.show_fault(Fault(fault.message, fault.hint) if fault is not None else None)
        if fault is None:
            self.changed.emit()

    def _change_kind(self, kind: str, _score: float = 0.0) -> None:
        score = self.scores[kind].value() if kind in self.scores else 0.0
        request = self._context.api.set_privacy_kind(kind, self.boxes[kind].isChecked(), score)
        self._context.tasks.run("change a kind", self._send(request))

    def _change_setting(self, name: str, value: JsonValue) -> None:
        self._context.tasks.run("change a setting", self._send(self._context.api.change_setting(name, value)))

    async def _send(
        self, request: Coroutine[Any, Any, PrivacyRules | Settings]
    ) -> None:  # Any: what a coroutine is sent
        try:
            answer = await request
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            self.changed.emit()  # show what is in force
            return
        self.fault.show_fault(None)
        if isinstance(answer, PrivacyRules):
            self.show_rules(answer)
        else:
            self.changed.emit()

    def _lay_out(self, unit: int) -> None:
        self.days.lineEdit().setTextMargins(unit, 0, 0, 0)
        self.days.setRange(0, 365)
        self.days.setSuffix(" days")
        self.days.setSpecialValueText("until the core stops")
        self.days.setKeyboardTracking(False)
        self.days.setAccessibleName("How long the values of tokens are kept")
        keyring = paragraph(
            "So that you can reveal tokens. Encrypted with a key in your keyring; never stored without one.", "muted"
        )
        self._grid.setHorizontalSpacing(unit * 2)
        self._grid.setVerticalSpacing(unit * 2)
        self._grid.setColumnStretch(4, 1)
        page = QWidget()
        column(
            page,
            self.enabled,
            self.preview,
            self.fault,
            label("Strictness", "section"),
            self.strictness,
            label("Masked kinds", "section"),
            self._grid,
            label("How long values are kept", "section"),
            row(None, self.days, keyring, grows=keyring, spacing=unit * 3),
            paragraph(
                "Stored secrets are always masked. A project can add kinds but not remove any. Programs get the values"
                " of tools listed in the setting privacy.sealed as tokens only.",
                "muted",
            ),
            None,
            margins=(unit * 5,) * 4,
            spacing=unit * 3,
        )
        column(self, scroll_area(page))


def _set_quietly(box: QSpinBox | QDoubleSpinBox, value: float) -> None:
    """Set the value without emitting `valueChanged`."""
    with QSignalBlocker(box):
        box.setValue(value)  # type: ignore[arg-type]  # a whole number for a QSpinBox
