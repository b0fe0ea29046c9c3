"""The menu bar: which action of the table is in which menu, in which order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from PySide6.QtWidgets import QMenu, QMenuBar

from workbench.gui.shell.commands import Commands

SEPARATOR: Final = "-"


@dataclass(frozen=True, slots=True)
class Submenu:
    """A menu inside a menu."""

    title: str
    entries: tuple[str, ...]


Entries: TypeAlias = tuple[str | Submenu, ...]

MENUS: Final[tuple[tuple[str, Entries], ...]] = (
    (
        "File",
        (
            "project.open",
            SEPARATOR,
            "editor.new",
            "editor.open",
            "editor.example",
            "editor.save",
            "editor.save_as",
            "editor.rename",
            "editor.close",
            "editor.reopen",
            SEPARATOR,
            "tool.save",
            "result.save",
            Submenu(
                "Workspace",
                (
                    "files.find",
                    "files.open",
                    "files.new",
                    "files.folder",
                    "files.rename",
                    "files.remove",
                    SEPARATOR,
                    "files.bring",
                    "files.take",
                    "files.copy_path",
                    "files.outside",
                    SEPARATOR,
                    "files.changes",
                    "files.undo",
                    "files.forget",
                    "cache.clear",
                ),
            ),
            SEPARATOR,
            "settings.open",
            "secrets.open",
            SEPARATOR,
            "window.close",
        ),
    ),
    (
        "Edit",
        (
            "edit.undo",
            "edit.redo",
            SEPARATOR,
            "edit.cut",
            "edit.copy",
            "edit.paste",
            "edit.select_all",
            SEPARATOR,
            "result.find",
            "editor.replace",
            "editor.find_next",
            "editor.find_previous",
            "editor.line",
            SEPARATOR,
            Submenu("Arguments", ("tool.json", "tool.paste", "tool.back", "tool.reset", "tool.copy")),
            Submenu(
                "Program",
                (
                    "editor.comment",
                    "editor.complete",
                    "editor.call",
                    "editor.explain",
                    SEPARATOR,
                    "editor.problem",
                    "editor.problem_before",
                    "editor.problems",
                    SEPARATOR,
                    "editor.compare",
                    "editor.history",
                ),
            ),
        ),
    ),
    (
        "View",
        (
            "palette.open",
            "welcome.show",
            "editor.show",
            "servers.all",
            "privacy.open",
            SEPARATOR,
            Submenu(
                "Panes",
                (
                    "pane.servers",
                    "pane.centre",
                    "pane.runs",
                    "pane.output",
                    "pane.audit",
                    "pane.skills",
                    "pane.calls",
                    "pane.files",
                    SEPARATOR,
                    "pane.next",
                    "pane.previous",
                ),
            ),
            Submenu(
                "Tabs",
                ("editor.next_tab", "editor.previous_tab", SEPARATOR, "editor.move_right", "editor.move_left"),
            ),
            SEPARATOR,
            "layout.room",
            "layout.reset",
            SEPARATOR,
            "theme.switch",
            "theme.system",
            Submenu("Code", ("editor.larger", "editor.smaller", "editor.usual", "editor.scheme")),
        ),
    ),
    (
        "Servers",
        (
            "server.add",
            "servers.import",
            "servers.export",
            "demo.connect",
            SEPARATOR,
            "server.connect",
            "server.disconnect",
            "server.restart",
            "server.open",
            "server.doctor",
            "server.sign_in",
            "server.trust",
            SEPARATOR,
            "server.edit",
            "server.duplicate",
            "server.switch",
            "server.up",
            "server.down",
            "server.move_secrets",
            "server.remove",
            "server.restore",
            SEPARATOR,
            "servers.find",
            "servers.reload",
            "ask.answer",
        ),
    ),
    (
        "Run",
        (
            "front.start",
            "editor.go_on",
            "editor.dry_run",
            "run.stop",
            SEPARATOR,
            "run.keep",
            "run.record",
            "run.sarif",
            "states.open",
            SEPARATOR,
            Submenu(
                "Saved calls",
                (
                    "calls.open",
                    "calls.again",
                    "calls.keep",
                    "calls.remove",
                    "calls.undo",
                    SEPARATOR,
                    "calls.check",
                    "history.clear",
                ),
            ),
            "tool.trust",
        ),
    ),
    (
        "Agents",
        (
            "agent.connect",
            "agent.example",
            SEPARATOR,
            "run.review",
            "run.dry_run",
            "held_call.decide",
            SEPARATOR,
            "permissions.open",
            "network.open",
            "core.sandbox",
            "core.tokens",
            SEPARATOR,
            Submenu("Personal data", ("privacy.try", "privacy.marks", "privacy.kinds")),
            Submenu(
                "Audit",
                (
                    "audit.dashboard",
                    "audit.timeline",
                    "audit.find",
                    "audit.filter",
                    "audit.export",
                    "audit.verify",
                ),
            ),
        ),
    ),
    (
        "Skills",
        (
            "skill.new",
            "skill.import",
            SEPARATOR,
            "skill.show",
            "skill.open",
            "skill.run",
            "skill.test",
            "skill.keep",
            SEPARATOR,
            "skill.rename",
            "skill.tags",
            "skill.export",
            "skill.retire",
            "skill.back",
            SEPARATOR,
            "skills.retired",
        ),
    ),
    (
        "Help",
        (
            "help.open",
            "help.docs",
            SEPARATOR,
            "help.machine",
            "core.again",
            "help.report",
            SEPARATOR,
            "help.about",
        ),
    ),
)


def fill_menu_bar(bar: QMenuBar, commands: Commands) -> None:
    """Make the menus of the window."""
    for title, entries in MENUS:
        _fill(bar.addMenu(title), entries, commands)


def actions_in(menu: str) -> list[str]:
    """The ids of the actions of a menu and its submenus, in their order."""
    return [name for title, entries in MENUS if title == menu for name in _flat(entries)]


@cache
def menu_of(action: str) -> str:
    """The menu that an action is in."""
    return next(title for title, entries in MENUS if action in _flat(entries))


def _fill(menu: QMenu, entries: Entries, commands: Commands) -> None:
    for entry in entries:
        if isinstance(entry, Submenu):
            _fill(menu.addMenu(entry.title), entry.entries, commands)
        elif entry == SEPARATOR:
            menu.addSeparator()
        else:
            menu.addAction(commands[entry])


def _flat(entries: Entries) -> list[str]:
    names = (name for entry in entries for name in (entry.entries if isinstance(entry, Submenu) else (entry,)))
    return [name for name in names if name != SEPARATOR]
