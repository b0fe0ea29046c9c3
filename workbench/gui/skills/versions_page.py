"""A skill's versions beside each other: choose two, and read what differs."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.calm_combo import CalmCombo
from workbench.gui.dialogs.diff_view import DiffView
from workbench.gui.text import ForeignLabel, one_line
from workbench.gui.theme import Theme
from workbench.gui.views import Strip, label
from workbench.records import Skill, SkillPage


class VersionsPage(QWidget):
    """The newest beside the one before it, until somebody chooses otherwise."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: list[tuple[str, Skill]] = []
        self.before, self.after = CalmCombo(), CalmCombo()
        self.before.setAccessibleName("Earlier version")
        self.after.setAccessibleName("Later version")
        self._words = ForeignLabel(elide=True)
        self.diff = DiffView(theme)
        self.diff.setAccessibleName("What differs between the two versions")
        strip = Strip(theme)
        for part in (self.before, label("→", "muted"), self.after):
            strip.row.addWidget(part)
        strip.row.addSpacing(theme.unit * 2)
        strip.row.addWidget(self._words, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(self.diff, 1)
        self.before.currentIndexChanged.connect(self._draw)
        self.after.currentIndexChanged.connect(self._draw)
        self.setFocusProxy(self.before)

    def show_page(self, page: SkillPage, code: str) -> None:
        now = [(f"version {one.version}", one) for one in (*page.versions, page.skill)]
        if not page.skill.version:
            now[-1] = ("draft", page.skill)
        self._known = [*now, *([("draft", page.draft)] if page.draft is not None else [])]
        for combo, chosen in ((self.before, max(0, len(self._known) - 2)), (self.after, len(self._known) - 1)):
            combo.blockSignals(True)
            combo.clear()
            combo.addItems([word for word, _ in self._known])
            combo.setCurrentIndex(chosen)
            combo.blockSignals(False)
        self._draw()

    def _draw(self) -> None:
        if not self._known:
            return
        one, other = self._known[self.before.currentIndex()][1], self._known[self.after.currentIndex()][1]
        if len(self._known) == 1:
            self.diff.show_diff("", "There is one version. The next Keep puts this one beside the new one.")
        else:
            self.diff.show_change(one.code, other.code)
        facts = (other.sha[:12], other.kept_by and f"kept by {other.kept_by}", other.kept_at[:10])
        self._words.setText(one_line(" · ".join(fact for fact in facts if fact), 200))
