"""Trust of one tool: the rules for programs, and what the user says about it in place of the server's annotations."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFormLayout, QScrollArea, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import label
from workbench.gui.shell.context import Context
from workbench.gui.shell.rules_box import RulesBox
from workbench.records import Fault, Tool, UserAnnotations

_HINTS: Final = {
    "read_only": "Only reads",
    "destructive": "May delete or overwrite",
    "idempotent": "Repeating it has no further effect",
    "open_world": "Reaches other systems",
}
_OWN: Final = {
    "private": "Contains private data",
    "outsiders": "Returns text that outsiders can write",
    "sends": "Can send something out",
}


class AnnotationsForm(QWidget):
    """One choice per annotation. The first entry of each says what applies if the user chooses nothing."""

    changed = Signal(object)
    """Carries UserAnnotations."""

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tool = tool
        self.choices: dict[str, CalmCombo] = {}
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(context.theme.unit)
        for name, text in (_HINTS | _OWN).items():
            choice = self.choices[name] = CalmCombo()
            choice.setMinimumContentsLength(14)
            choice.setAccessibleName(text)
            title = label(text)
            title.setBuddy(choice)
            form.addRow(title, choice)
            choice.activated.connect(self._report)
        self.show_tool(tool)

    def show_tool(self, tool: Tool) -> None:
        self._tool = tool
        for name, choice in self.choices.items():
            choice.clear()
            for text, value in ((self._default_text(name), None), ("Yes", True), ("No", False)):
                choice.addItem(text, value)
            chosen = self._value(name) if name in tool.said else None
            choice.setCurrentIndex({None: 0, True: 1, False: 2}[chosen])

    def _value(self, name: str) -> bool | None:
        value: bool | None = getattr(self._tool.hints if name in _HINTS else self._tool, name)
        return value

    def _default_text(self, name: str) -> str:
        """What applies if the user chooses nothing."""
        if name in _OWN:
            return f"Guess: {_yes_or_no(self._value(name))}" if name in self._tool.guessed else "—"
        claimed = getattr(self._tool.claimed or self._tool.hints, name)
        if claimed is None:
            return "The server does not say"
        if name not in self._tool.said and claimed != getattr(self._tool.hints, name):
            return f"The server says {_yes_or_no(claimed)}, not trusted"
        return f"The server says {_yes_or_no(claimed)}"

    def _report(self, _row: int) -> None:
        values: dict[str, Any] = {name: choice.currentData() for name, choice in self.choices.items()}  # Any: Qt's data
        self.changed.emit(replace(UserAnnotations(), **values))


def _yes_or_no(value: bool | None) -> str:
    return "yes" if value else "no"


class ToolTrustPage(QScrollArea):
    """Each choice applies at once."""

    def __init__(self, context: Context, tool: Tool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._tool = tool
        self.annotations = AnnotationsForm(context, tool)
        self.annotations.changed.connect(self._send)
        self.rules = RulesBox(context, tool.server, tool)
        self._lay_out(context.theme.unit)
        self.setFocusProxy(self.rules.word)
        self.setAccessibleName("Trust")
        context.store.permissions_changed.connect(self._show_rules)
        self._show_rules()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._context.store.load_permissions()  # how often each rule was used has changed

    def show_tool(self, tool: Tool) -> None:
        self._tool = tool
        self.annotations.show_tool(tool)

    def _show_rules(self) -> None:
        if self._context.store.permissions is not None:
            self.rules.show_permissions(self._context.store.permissions)

    def _send(self, annotations: UserAnnotations) -> None:
        self._context.tasks.run("set the annotations of a tool", self._set(annotations))

    async def _set(self, annotations: UserAnnotations) -> None:
        try:
            self.show_tool(await self._context.api.set_annotations(self._tool.server, self._tool.name, annotations))
        except WorkbenchError as fault:
            self.rules.fault.show_fault(Fault(fault.message, fault.hint))

    def _lay_out(self, unit: int) -> None:
        content = QWidget()
        parts: list[QWidget] = []
        for title, text, part in (
            (
                "Rules for programs",
                "A rule for certain arguments applies before a rule for every call, and a denial before both.",
                self.rules,
            ),
            (
                "What it does",
                "Your choice replaces the server's annotations and what its name and description suggest.",
                self.annotations,
            ),
        ):
            explanation = label(text, "muted")
            explanation.setWordWrap(True)
            parts += (label(title, "heading"), explanation, part)
        column(content, *parts, None, margins=(unit * 3,) * 4, spacing=unit * 2)
        self.setWidget(content)
        self.setWidgetResizable(True)
