"""One server found in another app: off until it is ticked, with its full command in view."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from workbench.gui.calm_combo import CalmCombo
from workbench.gui.context import Context
from workbench.gui.docks.server_card import command_line
from workbench.gui.text import ForeignLabel, one_line
from workbench.gui.theme import mark
from workbench.gui.tick_box import TickBox
from workbench.gui.views import label
from workbench.records import FoundServer, ImportChoice, ImportConflict

RENAME, REPLACE = range(2)


class FoundRow(QFrame):
    """Says what it would run; where its name is taken, a person says what becomes of that."""

    changed = Signal()
    """Ticked, unticked, or another name."""

    def __init__(self, context: Context, found: FoundServer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.found = found
        self.box = TickBox(context.theme, one_line(found.config.name, 60))
        self.box.setAccessibleName(f"Import {found.config.name} from {found.client}")
        self.name = QLineEdit(found.config.name)
        self.name.setAccessibleName("Name in this project")
        self.way = CalmCombo()
        self.way.addItems(["Import it under the name", "Replace the one here"])
        self.way.setMinimumContentsLength(24)
        self.way.setAccessibleName(f"What becomes of the name {found.config.name}")
        self.reveal = QPushButton("Show secrets")
        self.reveal.setCheckable(True)
        self.reveal.setAccessibleName(f"Show the secrets of {found.config.name}")
        mark(self.reveal, kind="link")
        self._secrets = ForeignLabel()
        self._clash = QWidget()
        self._taken = False
        self._lay_out(context.theme.unit)
        self._bind()

    def ticked(self) -> bool:
        return self.box.isChecked()

    def chosen_name(self) -> str:
        """The name it would get."""
        replaces = self._taken and self.way.currentIndex() == REPLACE
        return self.found.config.name if replaces or not self._taken else self.name.text().strip()

    def replaces(self) -> bool:
        return self._taken and self.way.currentIndex() == REPLACE

    def choice(self, *, keep_secrets: bool) -> ImportChoice:
        found = self.found
        keep = keep_secrets and bool(found.masked)
        return ImportChoice(found.key, found.sha, self.chosen_name(), replace=self.replaces(), keep_secrets=keep)

    def review(self, here: frozenset[str], before: frozenset[str]) -> None:
        """`here`: names of the project; `before`: those that servers ticked above will have."""
        own = self.found.config.name
        taken = own in here or own in before
        if taken and not self._taken:
            self.name.setText(_free(own, here | before))
        self._taken = taken
        self.way.setEnabled(own in here and own not in before)
        if own in before:
            self.way.setCurrentIndex(RENAME)
        self._clash.setVisible(taken and self.ticked())
        self.name.setVisible(self.way.currentIndex() == RENAME)

    def _bind(self) -> None:
        self.box.toggled.connect(self.changed)
        self.name.textEdited.connect(self.changed)
        self.way.currentIndexChanged.connect(self.changed)
        self.reveal.toggled.connect(self._show_secrets)

    def _lay_out(self, unit: int) -> None:
        head = QHBoxLayout()
        head.setSpacing(unit * 2)
        head.addWidget(self.box)
        for words, tone in self._badges():
            badge = label(words, "badge")
            mark(badge, tone=tone)
            head.addWidget(badge)
        head.addStretch()
        if self.found.masked:
            head.addWidget(self.reveal)
        inner = QVBoxLayout()
        inner.setContentsMargins(unit * 6, 0, 0, 0)
        inner.setSpacing(unit)
        inner.addWidget(self._words(command_line(self.found.config), "mono"))
        if self.found.config.cwd:
            inner.addWidget(self._words(f"In the folder {self.found.config.cwd}", "muted"))
        for note in self.found.notes:
            inner.addWidget(self._words(note, "warning"))
        mark(self._secrets, role="mono")
        self._secrets.hide()
        inner.addWidget(self._secrets)
        self._lay_out_clash(unit)
        inner.addWidget(self._clash)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, unit, 0, unit)
        column.setSpacing(unit)
        column.addLayout(head)
        column.addLayout(inner)

    def _lay_out_clash(self, unit: int) -> None:
        row = QHBoxLayout(self._clash)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(unit * 2)
        row.addWidget(self.way)
        row.addWidget(self.name, 1)
        self._clash.hide()

    def _badges(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        if self.found.standing is ImportConflict.HERE:
            found.append(("already here", "success"))
        if self.found.standing is ImportConflict.CLASH:
            found.append(("name is taken", "warning"))
        if self.found.config.disabled:
            found.append(("off there", "info"))
        return found

    def _words(self, text: str, role: str) -> QLabel:
        words = ForeignLabel(text)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        mark(words, role=role)
        return words

    def _show_secrets(self, shown: bool) -> None:
        self.reveal.setText("Hide secrets" if shown else "Show secrets")
        if not shown:
            self._secrets.setText("")
            self._secrets.hide()
            return
        self._context.tasks.run("secrets", self._context.api.reveal_found_server(self.found.key), self._revealed)

    def _revealed(self, values: Mapping[str, str]) -> None:
        if self.reveal.isChecked():
            self._secrets.setText("\n".join(f"{place}: {value}" for place, value in values.items()))
            self._secrets.show()


def _free(name: str, taken: frozenset[str]) -> str:
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    return f"{name}-{number}"
