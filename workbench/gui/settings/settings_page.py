"""The page Settings: every setting with its value and where it comes from, and an editor for the selected one."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import SettingsChanged
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.controls import CalmCombo, TickBox
from workbench.gui.kit.facts import FactsGrid
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState, label
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.settings.setting_editors import SettingEditor, make_editor
from workbench.gui.shell.context import Context, Pane
from workbench.records import Fault, SettingSource, SettingValue
from workbench.settings import DEFINITIONS, Definition, Settings, project_maximum

GROUPS: Mapping[str, str] = {
    "window": "Window",
    "approval": "Approvals",
    "isolation": "Isolation",
    "run": "Runs",
    "workspace": "Workspace",
    "cache": "Cached answers",
    "repl": "REPL sessions",
    "tokens": "Model tokens",
    "search": "Search",
    "server": "Servers",
    "elicitation": "Requests of servers",
    "signin": "Sign-in",
    "privacy": "Personal data",
    "history": "Call history",
    "network": "Network",
    "agent": "Agents",
    "telemetry": "Telemetry",
    "core": "Core",
}
USER, PROJECT = "user", "project"
_BESIDE = 95  # letters of width that list and detail need beside each other


def setting_rows(values: Iterable[SettingValue], text: str = "", *, changed_only: bool = False) -> list[Row]:
    """Settings by group. `text` keeps those that contain all of its words in name, group, description or value."""
    words, rows, group = text.casefold().split(), list[Row](), ""
    for value in values:
        definition = DEFINITIONS[value.name]
        prefix = value.name.partition(".")[0]
        title = GROUPS.get(prefix, prefix.capitalize())
        shown = value_text(definition, value.value)
        searched = f"{value.name} {title} {definition.description} {shown}".casefold()
        if not all(word in searched for word in words) or (changed_only and not _is_set(value)):
            continue
        if prefix != group:
            rows.append(Row(f"section:{prefix}", title, section=True))
            group = prefix
        rows.append(_setting_row(value, definition, shown))
    return rows


def value_text(definition: Definition, value: object) -> str:
    """A value as the page shows it: `On`, `1,024 MB`, `empty`."""
    if isinstance(value, bool):
        return "On" if value else "Off"
    if type(value) is int:
        return f"{value:,} {definition.unit}".strip()
    return str(value) if value != "" else "empty"


def source_text(value: SettingValue) -> str:
    """Where the value in force comes from."""
    return {
        SettingSource.DEFAULT: "Default",
        SettingSource.USER: f"Your settings ({value.file})",
        SettingSource.PROJECT: f"This project ({value.file})",
        SettingSource.BOTH: "Your settings and this project",
    }[value.source]


def _is_set(value: SettingValue) -> bool:
    return value.source is not SettingSource.DEFAULT or value.user is not None or value.project is not None


def _is_limit(value: SettingValue) -> bool:
    return DEFINITIONS[value.name].limit


def _setting_row(value: SettingValue, definition: Definition, shown: str) -> Row:
    badges = {SettingSource.USER: ("yours", "accent"), SettingSource.PROJECT: ("project", "info")}
    badge = badges.get(value.source) or (("yours and project", "accent") if _is_set(value) and value.value else None)
    return Row(
        key=value.name,
        title=value.name,
        detail=definition.description,
        aside=one_line(shown, 24),
        icon="warning" if value.notice else "",
        tone="warning",
        badges=(badge,) if badge and value.source is not SettingSource.DEFAULT else (),
        mono=True,
        tip=value.notice or definition.description,
    )


class SettingsPane(Pane):
    """Changes apply when an editor is left or Return is pressed, and show in every window."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._values: dict[str, SettingValue] = {}
        self._wanted = ""  # the setting to show once the values are loaded
        empty = EmptyState(context.theme, "search", "No setting found", "Search for a name or a description.")
        self.list = ListPane(context.theme, "Settings", empty, search="Search settings")
        self.changed_only = TickBox(context.theme, "Changed only")
        self.changed_only.setToolTip("Show only settings that a file sets")
        self.list.strip.row.addWidget(self.changed_only)
        self.detail = SettingDetail(context, self)
        self.split = AdaptiveSplit(_BESIDE, (3, 4), self.list, self.detail)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.split)
        self.setFocusProxy(self.list.finder or self.list)
        self.list.searched.connect(self._show_rows)
        self.changed_only.toggled.connect(self._show_rows)
        self.list.selection_changed.connect(self._show_detail)
        self.list.chosen.connect(self._edit)
        self.list.set_menu(self._menu)
        self._scroll_soon = QTimer(self, singleShot=True, interval=0)
        self._scroll_soon.timeout.connect(self._scroll_to_selected)
        context.store.on(SettingsChanged, self._settings_changed)
        context.store.linked.connect(self._load)
        self._load()

    def show_setting(self, name: str = "") -> None:
        """Select a setting and put the keyboard into its editor; without a name, into the search."""
        finder = self.list.finder
        assert finder is not None
        if not name:
            finder.setFocus(Qt.FocusReason.ShortcutFocusReason)
            finder.selectAll()
            return
        finder.clear()
        self.changed_only.setChecked(False)
        self._wanted = name if name in DEFINITIONS else ""
        self._show_rows()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The selected row stays visible where the parts change places, also before the page is first shown."""
        super().resizeEvent(event)
        self._scroll_soon.start()

    def _scroll_to_selected(self) -> None:
        self.list.select(self.list.key())

    def _settings_changed(self, _event: SettingsChanged) -> None:
        self._load()

    def _load(self) -> None:
        self.context.tasks.run("read settings", self.context.api.setting_values(), self._show_values)

    def _show_values(self, values: tuple[SettingValue, ...]) -> None:
        self._values = {value.name: value for value in values if value.name in DEFINITIONS}
        self._show_rows()
        self._show_detail()

    def _show_rows(self) -> None:
        rows = setting_rows(self._values.values(), self.list.search_text(), changed_only=self.changed_only.isChecked())
        self.list.show_rows(rows)
        if self._wanted and self.list.select(self._wanted):
            self._wanted = ""
            self._edit(self.list.key())
        elif not self.list.key():
            self.list.view.choose_first(opened=False)

    def _show_detail(self) -> None:
        if (value := self._values.get(self.list.key())) is not None:
            factor = self._values["run.project_limit_factor"].value
            self.detail.show_value(value, project_maximum(DEFINITIONS[value.name], factor) if _is_limit(value) else 0)

    def _edit(self, name: str) -> None:
        """Put the keyboard into the editor of a setting."""
        if name in self._values:
            self._show_detail()
            self.detail.setFocus(Qt.FocusReason.OtherFocusReason)

    def _menu(self, name: str) -> list[QAction | None]:
        value = self._values.get(name)
        if value is None:
            return []
        edit, copy = QAction("Edit", self), QAction("Copy name", self)
        edit.triggered.connect(partial(self._edit, name))
        copy.triggered.connect(partial(QGuiApplication.clipboard().setText, name))
        actions: list[QAction | None] = [edit]
        if isinstance(value.value, bool):
            switch = QAction("Turn off" if value.value else "Turn on", self)
            switch.triggered.connect(partial(self.detail.change, name, not value.value, USER))
            actions.append(switch)
        for scope, written in ((USER, value.user), (PROJECT, value.project)):
            if written is not None:
                reset = QAction("Reset your value" if scope == USER else "Reset the project's value", self)
                reset.triggered.connect(partial(self.detail.reset, name, scope))
                actions.append(reset)
        return [*actions, None, copy]


class SettingDetail(QScrollArea):
    """One setting: description, editor, scope, and facts about its value."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._value: SettingValue | None = None
        self._project_limit = 0
        self._shown = ("", "")  # name and scope that the editor is for
        self._name = label("", "title")
        self._name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._description, self._limits, self._problem = label(""), label("", "muted"), label("", "error")
        for text in (self._description, self._limits, self._problem):
            text.setWordWrap(True)
        self.scope = CalmCombo()
        self.scope.setAccessibleName("Who the value is for")
        self.scope.addItem("For you, in all projects", USER)
        self.scope.addItem("For this project, for everyone who opens it", PROJECT)
        self.scope.setMinimumContentsLength(28)
        self.editor: SettingEditor | None = None
        self._editor_row = QVBoxLayout()
        self.reset_button = QPushButton("Reset")
        self.open_button = QPushButton(icon("external", "muted"), "Open file")
        self.facts = FactsGrid(context.theme)
        self._notice = ForeignLabel()
        mark(self._notice, role="warning")
        self.fault = FaultCard(context.theme)
        self._body = QWidget()
        self._lay_out(context.theme.unit)
        self._body.hide()
        self.scope.activated.connect(self._show)
        self.reset_button.clicked.connect(self._reset_shown)
        self.open_button.clicked.connect(self._open_file)

    def show_value(self, value: SettingValue, project_limit: int = 0) -> None:
        """Show a setting; the same one again keeps what the user is typing. `project_limit`: the highest value that a
        project can set, 0 if there is no such limit."""
        if self._value is None or value.name != self._value.name:
            only_project = value.user is None and value.project is not None
            self.scope.setCurrentIndex(int(only_project and not DEFINITIONS[value.name].user_only))
            self.fault.show_fault(None)
        self._value, self._project_limit = value, project_limit
        self._show()

    def change(self, name: str, value: object, scope: str) -> None:
        """Write a value into the file of a scope."""
        where = "this project" if scope == PROJECT else "you"
        said = f"Set {name} to {one_line(value_text(DEFINITIONS[name], value), 60)} for {where}."
        self._run(name, self._context.api.change_setting(name, value, scope), said)

    def reset(self, name: str, scope: str) -> None:
        """Remove a value from the file of a scope."""
        where = "the project's file" if scope == PROJECT else "your settings"
        self._run(name, self._context.api.reset_setting(name, scope), f"Removed {name} from {where}.")

    def file(self) -> Path:
        """The settings file of the scope that is shown."""
        paths = self._context.paths
        return paths.project_settings if self._scope() == PROJECT else paths.user_settings

    # inside

    def _lay_out(self, unit: int) -> None:
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Selected setting")
        self.setWidget(self._body)
        scopes, buttons = QHBoxLayout(), QHBoxLayout()
        scopes.addWidget(self.scope)
        for button in (self.reset_button, self.open_button):
            buttons.addWidget(button)
        for row in (scopes, buttons):
            row.setSpacing(unit * 2)
            row.addStretch(1)
        column = QVBoxLayout(self._body)
        column.setContentsMargins(*(unit * 6,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(self._name)
        column.addWidget(self._description)
        column.addLayout(scopes)
        column.addLayout(self._editor_row)
        for widget in (self._problem, self._limits, self._notice, self.fault):
            column.addWidget(widget)
        column.addLayout(buttons)
        column.addSpacing(unit * 2)
        column.addWidget(self.facts)
        column.addStretch(1)

    def _scope(self) -> str:
        return USER if self.scope.isHidden() else str(self.scope.currentData())

    def _show(self) -> None:
        value = self._value
        if value is None:
            return
        definition = DEFINITIONS[value.name]
        self._body.show()
        self.scope.setHidden(definition.user_only)
        scope = self._scope()
        written = value.project if scope == PROJECT else value.user
        self._name.setText(value.name)
        self._description.setText(definition.description)
        self._show_editor(value, definition, scope, written)
        self._limits.setText(self._limit_text(definition, scope))
        self._limits.setVisible(bool(self._limits.text()))
        self._notice.setText(value.notice)
        self._notice.setVisible(bool(value.notice))
        self.reset_button.setEnabled(written is not None)
        self.reset_button.setToolTip(f"Remove {value.name} from {self.file().name}")
        self.open_button.setEnabled(self.file().exists())
        self.open_button.setText(f"Open {self.file().name}")
        self.facts.show_facts(self._facts(value, definition))

    def _show_editor(self, value: SettingValue, definition: Definition, scope: str, written: object) -> None:
        if self._shown != (value.name, scope):
            had_keyboard = self.editor is not None and self.editor.hasFocus()
            self._shown = (value.name, scope)
            self._remove_editor()
            self.editor = make_editor(self._context.theme, definition)
            self.editor.committed.connect(partial(self._commit, self.editor, value.name, scope))
            self.editor.edited.connect(self._show_problem)
            self._editor_row.addWidget(self.editor)
            self.setFocusProxy(self.editor)
            if had_keyboard:
                self.editor.setFocus()
        assert self.editor is not None
        usual = "" if definition.combined else value.value
        usable = type(written) is type(definition.default)
        self.editor.show_value(written if usable else usual)
        self._show_problem()

    def _remove_editor(self) -> None:
        if self.editor is not None:
            self._editor_row.removeWidget(self.editor)
            self.editor.hide()
            self.editor.deleteLater()

    def _show_problem(self) -> None:
        problem = self.editor.problem() if self.editor is not None else ""
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))

    def _limit_text(self, definition: Definition, scope: str) -> str:
        """What restricts who can set it."""
        if definition.user_only:
            return "Only your own settings can set this; a project cannot."
        if definition.combined:
            return "Your entries and those of the project are joined."
        if self._project_limit and scope == PROJECT:
            return f"A project can set at most {value_text(definition, self._project_limit)}."
        return ""

    def _facts(self, value: SettingValue, definition: Definition) -> dict[str, str]:
        allowed = ", ".join(definition.choices)
        if definition.type == "int":
            allowed = f"{definition.bounds} {definition.unit}".strip()
        shown = partial(value_text, definition)
        return {
            "In use": shown(value.value),
            "Comes from": source_text(value),
            "Your value": "" if value.user is None else shown(value.user),
            "Project's value": "" if value.project is None else shown(value.project),
            "Default": shown(definition.default),
            "Allowed": allowed,
            "Takes effect": definition.takes_effect.capitalize() or "At once",
        }

    def _commit(self, editor: SettingEditor, name: str, scope: str) -> None:
        self.change(name, editor.value(), scope)

    def _reset_shown(self) -> None:
        if self._value is not None:
            if self.editor is not None:
                self.editor.discard()
            self.reset(self._value.name, self._scope())

    def _open_file(self) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.file()))):
            self.fault.show_fault(Fault("No program opened the file.", f"Its path is {self.file()}."))

    def _run(self, name: str, change: Coroutine[Any, Any, Settings], said: str) -> None:  # Any: as in Tasks.run
        self._context.tasks.run("change a setting", self._change(name, change, said))

    async def _change(self, name: str, change: Coroutine[Any, Any, Settings], said: str) -> None:  # Any: as above
        try:
            await change
        except WorkbenchError as fault:
            if self._value is not None and self._value.name == name:
                self.fault.show_fault(Fault(fault.message, fault.hint))
            else:
                self._context.say(f"{fault.message} {fault.hint}".strip())
            return
        self.fault.show_fault(None)
        self._context.say(said)
