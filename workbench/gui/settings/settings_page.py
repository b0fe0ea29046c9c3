"""The page Settings: every setting with its value and where it comes from, and an editor for the selected one."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QWidget

from workbench.errors import WorkbenchError
from workbench.events import SettingsChanged
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.controls import CalmCombo, TickBox
from workbench.gui.kit.facts import FactsGrid
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row, scroll_area
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState, label, paragraph
from workbench.gui.kit.notice import Notice
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
    "review": "Review page",
    "hooks": "Hooks of other clients",
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
    "notify": "Notifications",
    "telemetry": "Telemetry",
    "core": "Core",
}
USER, PROJECT = "user", "project"
_BESIDE = 95  # letters of width that list and detail need beside each other


def setting_rows(values: Iterable[SettingValue], text: str = "", *, changed_only: bool = False) -> list[Row]:
    """Settings by group. `text` keeps those that contain all of its words in name, group, description or value."""
    words, rows, group = text.casefold().split(), list[Row](), ""
    order = list(dict.fromkeys(name.partition(".")[0] for name in DEFINITIONS))
    for value in sorted(values, key=lambda value: order.index(value.name.partition(".")[0])):
        definition = DEFINITIONS[value.name]
        prefix = value.name.partition(".")[0]
        shown = value_text(definition, value.value)
        searched = f"{value.name} {GROUPS[prefix]} {definition.description} {shown}".casefold()
        if not all(word in searched for word in words) or (changed_only and not _is_set(value)):
            continue
        if prefix != group:
            rows.append(Row(f"section:{prefix}", GROUPS[prefix], section=True))
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


_SOURCES: Mapping[SettingSource, tuple[str, tuple[str, str] | None]] = {
    SettingSource.DEFAULT: ("Default", None),
    SettingSource.USER: ("Your settings ({})", ("yours", "accent")),
    SettingSource.PROJECT: ("This project ({})", ("project", "info")),
    SettingSource.BOTH: ("Your settings and this project", ("yours and project", "accent")),
}
"""Where the value in force comes from: as a sentence with the name of the file, and as a badge."""


def _is_set(value: SettingValue) -> bool:
    return value.source is not SettingSource.DEFAULT or value.user is not None or value.project is not None


def _setting_row(value: SettingValue, definition: Definition, shown: str) -> Row:
    badge = _SOURCES[value.source][1]
    return Row(
        key=value.name,
        title=value.name,
        detail=definition.description,
        aside=one_line(shown, 24),
        icon="warning" if value.notice else "",
        tone="warning",
        badges=(badge,) if badge else (),
        mono=True,
        tip=value.notice or definition.description,
    )


class SettingsPane(Pane):
    """Changes apply when an editor is left or Return is pressed, and show in every window."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._values: dict[str, SettingValue] = {}
        self._profiles: dict[str, str] = {}  # what each profile allows that can be the default
        self._wanted = ""  # the setting to show once the values are loaded
        empty = EmptyState(context.theme, "search", "No setting found", "Search for a name or a description.")
        self.list = ListPane(context.theme, "Settings", empty, search="Search settings")
        self.changed_only = TickBox(context.theme, "Changed only")
        self.changed_only.setToolTip("Show only settings that a file sets")
        self.list.strip.row.addWidget(self.changed_only)
        self.detail = SettingDetail(context, self)
        self.split = AdaptiveSplit(_BESIDE, (3, 4), self.list, self.detail)
        column(self, self.split)
        self.setFocusProxy(self.list.finder or self.list)
        self.list.searched.connect(self._show_rows)
        self.changed_only.toggled.connect(self._show_rows)
        self.list.selection_changed.connect(self._show_detail)
        self.list.chosen.connect(self._edit)
        self.list.set_menu(self._menu)
        self._scroll_soon = QTimer(self, singleShot=True, interval=0)
        self._scroll_soon.timeout.connect(self._scroll_to_selected)
        context.store.on(SettingsChanged, self._load)
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

    def _load(self, _event: SettingsChanged | None = None) -> None:
        self.context.tasks.run("read settings", self._read())

    async def _read(self) -> None:
        profiles = (await self.context.api.profiles()).all
        self._profiles = {profile.name: profile.sentence for profile in profiles if profile.source != "project"}
        values = await self.context.api.setting_values()
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
            definition = DEFINITIONS[value.name]
            factor = self._values["run.project_limit_factor"].value
            limit = project_maximum(definition, factor) if definition.limit else 0
            self.detail.show_value(value, limit, self._profiles if value.name == "approval.profile" else {})

    def _edit(self, name: str) -> None:
        """Put the keyboard into the editor of a setting."""
        if name in self._values:
            self._show_detail()
            self.detail.setFocus(Qt.FocusReason.OtherFocusReason)

    def _menu(self, name: str) -> list[QAction | None]:
        value = self._values.get(name)
        if value is None:
            return []
        add = partial(menu_action, self)
        actions: list[QAction | None] = [add("Edit", partial(self._edit, name))]
        if isinstance(value.value, bool):
            switch = partial(self.detail.change, name, not value.value, USER)
            actions.append(add("Turn off" if value.value else "Turn on", switch))
        if value.user is not None:
            actions.append(add("Reset your value", partial(self.detail.reset, name, USER)))
        if value.project is not None:
            actions.append(add("Reset the project's value", partial(self.detail.reset, name, PROJECT)))
        return [*actions, None, add("Copy name", partial(self._copy_name, name))]

    def _copy_name(self, name: str) -> None:
        QGuiApplication.clipboard().setText(name)
        self.context.say(f"Copied {name}.")


class SettingDetail(QScrollArea):
    """One setting: description, editor, scope, and facts about its value."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._value: SettingValue | None = None
        self._project_limit = 0
        self._choices: Mapping[str, str] = {}
        self._shown: tuple[object, ...] = ()  # name, scope and choices that the editor is for
        self._name = label("", "title")
        self._name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._description, self.limits = paragraph(""), paragraph("", "muted")
        self.meaning, self.problem = paragraph("", "muted"), paragraph("", "error")
        self.scope = CalmCombo()
        self.scope.setAccessibleName("Who the value is for")
        self.scope.show_choices(
            {USER: "For you, in all projects", PROJECT: "For this project, for everyone who opens it"}
        )
        self.scope.setMinimumContentsLength(28)
        self.editor: SettingEditor | None = None
        self._editor_row = QHBoxLayout()
        self.reset_button = QPushButton("Reset")
        self.open_button = QPushButton(icon("external", "muted"), "Open file")
        self.facts = FactsGrid(context.theme)
        self.notice = ForeignLabel()
        mark(self.notice, role="warning")
        self.fault = Notice(context.theme)
        self._body = QWidget()
        self._lay_out(context.theme.unit)
        self._body.hide()
        self.scope.activated.connect(self._show)
        self.reset_button.clicked.connect(self._reset_shown)
        self.open_button.clicked.connect(self._open_file)

    def show_value(self, value: SettingValue, project_limit: int, choices: Mapping[str, str]) -> None:
        """Show a setting; the same one again keeps what the user is typing. `project_limit`: the highest value that a
        project can set, 0 if there is no such limit. `choices`: values to choose from, with what each means."""
        if self._value is None or value.name != self._value.name:
            only_project = value.user is None and value.project is not None
            self.scope.setCurrentIndex(int(only_project and not DEFINITIONS[value.name].user_only))
            self.fault.show_fault(None)
        self._value, self._project_limit, self._choices = value, project_limit, choices
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
        self.setAccessibleName("Selected setting")
        scroll_area(self._body, self)
        scopes = row(None, self.scope, None, spacing=unit * 2)
        buttons = row(None, self.reset_button, self.open_button, None, spacing=unit * 2)
        facts = row(None, self.facts, margins=(0, unit * 2, 0, 0))
        column(
            self._body, self._name, self._description, scopes, self._editor_row, self.meaning, self.problem,
            self.limits, self.notice, self.fault, buttons, facts, None,
            margins=(unit * 6,) * 4, spacing=unit * 3,
        )  # fmt: skip

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
        _show_text(self.limits, self._limit_text(definition, scope))
        _show_text(self.notice, value.notice)
        self.reset_button.setEnabled(written is not None)
        self.reset_button.setToolTip(f"Remove {value.name} from {self.file().name}")
        self.open_button.setEnabled(self.file().exists())
        self.open_button.setText(f"Open {self.file().name}")
        self.facts.show_facts(self._facts(value, definition))

    def _show_editor(self, value: SettingValue, definition: Definition, scope: str, written: object) -> None:
        shown = (value.name, scope, *self._choices.items())
        if self.editor is None or self._shown != shown:
            old, self._shown = self.editor, shown
            self.editor = make_editor(self._context.theme, definition, self._choices)
            self.editor.committed.connect(partial(self._commit, self.editor, value.name, scope))
            self.editor.edited.connect(self._check)
            self._editor_row.addWidget(self.editor)
            self.setFocusProxy(self.editor)
            if old is not None:
                if old.hasFocus():
                    self.editor.setFocus()
                old.hide()
                old.deleteLater()
        usable = type(written) is type(definition.default)
        self.editor.show_value(written if usable else "" if definition.combined else value.value)
        self._check()

    def _check(self) -> None:
        """Show what is wrong with what is typed, or what it would do."""
        if self.editor is not None:
            problem = self.editor.problem()
            _show_text(self.problem, problem)
            _show_text(self.meaning, "" if problem else self.editor.meaning())

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
            "Comes from": _SOURCES[value.source][0].format(value.file),
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


def _show_text(widget: QLabel, text: str) -> None:
    widget.setText(text)
    widget.setVisible(bool(text))
