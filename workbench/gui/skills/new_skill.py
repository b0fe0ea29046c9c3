"""The dialog that creates a skill, and the fields for name and description that it shares with the Keep dialog."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QLineEdit, QWidget

from workbench.gui.kit.dialogs import Dialog, FormDialog
from workbench.gui.kit.layouts import column
from workbench.gui.kit.plain_edit import GrowingText, exact_text
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_NAME: Final = 64
_LONGEST_DESCRIPTION: Final = 1024


def name_problem(name: str, taken: Collection[str] = ()) -> str:
    """Why a skill cannot have this name under the rules of Agent Skills; empty when it can."""
    if not name:
        return "Enter a name."
    if len(name) > _LONGEST_NAME:
        return f"At most {_LONGEST_NAME} characters; this has {len(name):,}."
    if not _NAME.fullmatch(name):
        return "Use lowercase letters, digits and single hyphens, such as weekly-report."
    if name in taken:
        return "A skill with this name already exists."
    return ""


def description_problem(description: str) -> str:
    """Why a skill cannot have this description; empty when it can."""
    length = len(description.strip())
    if not length:
        return "Describe what the skill does and when to use it. Agents choose skills by their description."
    if length > _LONGEST_DESCRIPTION:
        return f"At most {_LONGEST_DESCRIPTION:,} characters; this has {length:,}."
    return ""


class SkillFields(QWidget):
    """Name and description of a skill. What is wrong with them is shown below each field while the user types."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken: frozenset[str] = frozenset()
        self.name, self.description = QLineEdit(), GrowingText(least=2, most=5)
        self.name_problem, self.description_problem = ForeignLabel(), ForeignLabel()
        self.name.setPlaceholderText("weekly-report")
        self.name.setFont(theme.mono())
        self.description.setPlaceholderText("What it does, and when an agent should use it.")
        self.form = QFormLayout(self)
        self.form.setContentsMargins(0, 0, 0, 0)
        self.form.setHorizontalSpacing(theme.unit * 3)
        self.form.setVerticalSpacing(theme.unit * 2)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for text, field, problem in (
            ("Name", self.name, self.name_problem),
            ("Description", self.description, self.description_problem),
        ):
            field.setAccessibleName(f"{text} of the skill")
            mark(problem, role="error")
            self.form.addRow(text, column(None, field, problem, spacing=2))
        self.name.textChanged.connect(self._check)
        self.description.textChanged.connect(self._check)
        self._check()
        self.setFocusProxy(self.name)

    def set_taken(self, names: frozenset[str]) -> None:
        """Refuse the names of these skills."""
        self._taken = names
        self._check()

    def texts(self) -> tuple[str, str]:
        """Name and description as they are typed."""
        return self.name.text(), self.description_text()

    def show_texts(self, name: str, description: str) -> None:
        self.name.setText(name)
        self.description.setPlainText(description)

    def description_text(self) -> str:
        return exact_text(self.description)

    def problem(self) -> str:
        """Why the fields cannot be submitted; empty when they can."""
        return name_problem(self.name.text(), self._taken) or description_problem(self.description_text())

    def _check(self) -> None:
        """Show problems. An empty field is not reported until the user submits."""
        name, description = self.name.text(), self.description_text()
        problems = (
            (self.name_problem, name_problem(name, self._taken) if name else ""),
            (self.description_problem, description_problem(description) if description.strip() else ""),
        )
        for line, problem in problems:
            line.setText(problem)
            line.setVisible(bool(problem))
        self.changed.emit()


class UnsavedSkills(QObject):
    """Names and descriptions from dialogs of a window that were closed without saving, by the subject of the dialog."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.texts: dict[str, tuple[str, str]] = {}


def keep_unsaved(context: Context, dialog: Dialog, fields: SkillFields, subject: str, intro: str) -> None:
    """Show what was typed about this subject in a dialog that was closed without saving, and keep what is typed now."""
    held = context.messages.findChild(UnsavedSkills) or UnsavedSkills(context.messages)
    initial = fields.texts()
    if subject in held.texts:
        fields.show_texts(*held.texts[subject])
        dialog.set_intro(f"This is what you typed before you closed the form. {intro}")

    def keep(code: int) -> None:
        held.texts.pop(subject, None)
        if code != QDialog.DialogCode.Accepted and fields.texts() != initial:
            held.texts[subject] = fields.texts()

    dialog.finished.connect(keep)


class NewSkillDialog(FormDialog):
    """Creates a draft by name and description."""

    created = Signal(object)
    """Carries the Skill, a draft."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        intro = "A draft with a function that already runs opens in the editor. Agents do not see it until you keep it."
        super().__init__(context.theme, "New skill", intro, parent)
        self._context = context
        self._creating = False
        self.fields = SkillFields(context.theme)
        self.body.addWidget(self.fields)
        self._create_button = self.add_submit("Create draft", self._create)
        self.setMinimumWidth(context.theme.unit * 150)
        self.fields.changed.connect(self._check)
        self.fields.name.returnPressed.connect(self.fields.description.setFocus)
        context.store.skills_changed.connect(self._take_names)
        self._take_names()
        keep_unsaved(context, self, self.fields, "new", intro)
        self.fields.setFocus()

    def _take_names(self) -> None:
        self.fields.set_taken(frozenset(skill.name for skill in self._context.store.skills))

    def _check(self) -> None:
        problem = self.fields.problem()
        self._create_button.setEnabled(not problem and not self._creating)
        self._create_button.setToolTip(problem)

    def _create(self) -> None:
        self._creating = True
        self.run(self._context.tasks, "create a skill", self._send(), closes=True)

    async def _send(self) -> None:
        try:
            name, description = self.fields.name.text(), self.fields.description_text().strip()
            self.created.emit(await self._context.api.new_skill(name, description))
        finally:
            self._creating = False
