"""What a skill may be called and how it is described, checked while one types; the rules are those of Agent Skills."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import GrowingText, exact_text
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.records import Fault, Skill

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_NAME: Final = 64
_LONGEST_DESCRIPTION: Final = 1024


def name_fault(name: str, taken: Collection[str] = ()) -> str:
    """Why the name cannot be used; "" when it can."""
    if not name:
        return "Give it a name."
    if len(name) > _LONGEST_NAME:
        return f"At most {_LONGEST_NAME} characters; it has {len(name)}."
    if not _NAME.fullmatch(name):
        return "Small letters, digits and single hyphens between them, such as weekly-report."
    if name in taken:
        return "There is a skill of this name already."
    return ""


def description_fault(description: str) -> str:
    """The same of what is said of it."""
    words = description.strip()
    if not words:
        return "Say what it does and when to use it: agents choose by these words."
    if len(words) > _LONGEST_DESCRIPTION:
        return f"At most {_LONGEST_DESCRIPTION} characters; it has {len(words)}."
    return ""


class NewSkillDialog(QDialog):
    """Names that are taken are told before one presses the button."""

    made = Signal(object)
    """Carries the Skill, a draft."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._taken: frozenset[str] = frozenset()
        self._busy = False
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("New skill")
        self.name, self.description = QLineEdit(), GrowingText(least=2, most=5)
        self._name_fault, self._words_fault = ForeignLabel(), ForeignLabel()
        self._fault = FaultCard(context.theme)
        self._build()
        self._check()
        context.tasks.run("names of skills", context.api.skills(), self._know)

    def make(self) -> None:
        """Draft it; the dialog stays with the reason when that fails."""
        if not self._obstacle() and not self._busy:
            self._busy = True
            self._check()
            self._context.tasks.run("begin a skill", self._make(self.name.text(), exact_text(self.description)))

    async def _make(self, name: str, words: str) -> None:
        try:
            skill = await self._context.api.new_skill(name, words.strip())
        except WorkbenchError as fault:
            self._fault.show_fault(Fault(fault.message, fault.hint))
            return
        finally:
            self._busy = False
            self._check()
        self.made.emit(skill)
        self.done(QDialog.DialogCode.Accepted)

    def _know(self, skills: tuple[Skill, ...]) -> None:
        self._taken = frozenset(skill.name for skill in skills)
        self._check()

    def _obstacle(self) -> str:
        return name_fault(self.name.text(), self._taken) or description_fault(exact_text(self.description))

    def _check(self) -> None:
        """What is empty is not yet wrong."""
        name, words = self.name.text(), exact_text(self.description)
        wrong = (
            (self._name_fault, name_fault(name, self._taken) if name else ""),
            (self._words_fault, description_fault(words) if words.strip() else ""),
        )
        for line, fault in wrong:
            line.setText(fault)
            line.setVisible(bool(fault))
        self.resize(self.width(), max(self.height(), self._column.totalHeightForWidth(self.width())))
        self.button.setEnabled(not self._obstacle() and not self._busy)
        self.button.setToolTip(self._obstacle())

    def _build(self) -> None:
        unit = self._context.theme.unit
        words = label(
            (
                "A draft with a function that runs as it stands opens in the editor. Agents do not see it until you"
                " have pressed Keep."
            ),
            "muted",
        )
        words.setWordWrap(True)
        self.name.setPlaceholderText("weekly-report")
        self.name.setAccessibleName("Name of the skill")
        self.name.setFont(self._context.theme.mono())
        self.name.textChanged.connect(self._check)
        self.name.returnPressed.connect(self.description.setFocus)
        self.description.setPlaceholderText("What it does, and when an agent should use it.")
        self.description.setAccessibleName("Description of the skill")
        self.description.textChanged.connect(self._check)
        form = QFormLayout()
        form.setHorizontalSpacing(unit * 3)
        form.setVerticalSpacing(unit * 2)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("Name", with_fault(self.name, self._name_fault))
        form.addRow("Description", with_fault(self.description, self._words_fault))
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 5,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(label("Begin a skill", "heading"))
        column.addWidget(words)
        column.addLayout(form)
        column.addWidget(self._fault)
        column.addLayout(self._make_foot())
        self.setMinimumWidth(unit * 150)
        self.name.setFocus()

    def _make_foot(self) -> QHBoxLayout:
        cancel = QPushButton("Cancel")
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        self.button = QPushButton(icon("plus", "on_accent"), "Begin")
        self.button.setAutoDefault(False)
        self.button.clicked.connect(self.make)
        mark(self.button, kind="primary")
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self.button)
        return foot


def with_fault(field: QWidget, fault: ForeignLabel) -> QWidget:
    """A field, and below it what is wrong with it."""
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(2)
    mark(fault, role="error")
    column.addWidget(field)
    column.addWidget(fault)
    return box
