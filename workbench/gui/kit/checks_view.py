"""A list of checks: for each one an icon and its result, a sentence, what to do, and details."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import StateText
from workbench.records import Check, CheckState

_LINES = 8  # lines of a detail that are visible without scrolling


def check_word(state: CheckState) -> StateText:
    return {
        CheckState.GOOD: StateText("Good", "check", "success"),
        CheckState.DOUBT: StateText("Look", "warning", "warning"),
        CheckState.BAD: StateText("Wrong", "alert", "danger"),
        CheckState.SKIPPED: StateText("Not checked", "minus", "muted"),
    }[state]


class ChecksView(QScrollArea):
    """The results of the doctor, one row per check; grows while the checks run."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._checks: list[Check] = []
        self.setAccessibleName(name)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = QWidget()
        self._column = QVBoxLayout(inner)
        self._column.setContentsMargins(theme.unit * 3, theme.unit * 2, theme.unit * 3, theme.unit * 3)
        self._column.setSpacing(theme.unit * 2)
        self._column.addStretch()
        self.setWidget(inner)

    def checks(self) -> tuple[Check, ...]:
        return tuple(self._checks)

    def clear(self) -> None:
        self._checks = []
        while self._column.count() > 1:
            item = self._column.takeAt(0)
            row = item.widget() if item is not None else None
            if row is not None:
                row.hide()
                row.deleteLater()

    def show_checks(self, checks: Sequence[Check]) -> None:
        if tuple(checks) == self.checks():
            return
        self.clear()
        for check in checks:
            self.add(check)

    def add(self, check: Check) -> None:
        self._checks.append(check)
        self._column.insertWidget(self._column.count() - 1, _Row(self._theme, check))


class _Row(QFrame):
    def __init__(self, theme: Theme, check: Check) -> None:
        super().__init__()
        self._theme = theme
        word = check_word(check.state)
        picture = QLabel()
        picture.setPixmap(pixmap(word.icon, word.tone, theme.unit * 4, self.devicePixelRatioF()))
        picture.setToolTip(word.text)
        picture.setAccessibleName(word.text)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(theme.unit * 2)
        grid.setVerticalSpacing(theme.unit // 2)
        grid.setColumnMinimumWidth(1, theme.unit * 26)
        grid.setColumnStretch(2, 1)
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(picture, 0, 0, top)
        grid.addWidget(label(check.name), 0, 1, top)
        grid.addWidget(ForeignLabel(check.sentence), 0, 2)
        if check.fix:
            fix = ForeignLabel(check.fix)
            mark(fix, role="muted")
            grid.addWidget(fix, 1, 2)
        if check.detail:
            self._offer_detail(grid, check.detail)
        self.setAccessibleName(f"{check.name}: {word.text}")

    def _offer_detail(self, grid: QGridLayout, detail: str) -> None:
        self._more = QPushButton("Details")
        self._more.setCheckable(True)
        mark(self._more, kind="link")
        self._text = PlainEdit(visible(detail))
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.setAccessibleName("Details of the check")
        self._text.setFont(self._theme.mono(-1))
        lines = min(max(self._text.blockCount(), 2), _LINES)
        self._text.setFixedHeight(self._text.fontMetrics().lineSpacing() * lines + self._theme.unit * 5)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)  # else all rows are spread
        mark(self._text, kind="code")
        self._text.hide()
        self._more.toggled.connect(self._text.setVisible)
        self._more.toggled.connect(self._rename)
        grid.addWidget(self._more, 2, 2, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(self._text, 3, 2)

    def _rename(self, shown: bool) -> None:
        self._more.setText("Hide details" if shown else "Details")


def report(title: str, checks: Sequence[Check]) -> str:
    """The checks as plain text for a bug report."""
    lines = [title]
    for check in checks:
        lines.append(f"[{check_word(check.state).text}] {check.name}: {check.sentence}")
        if check.fix:
            lines.append(f"    {check.fix}")
        lines.extend(f"    | {line}" for line in check.detail.splitlines())
    return "\n".join(lines) + "\n"
