"""One line of the table of what a person can do; apart from the table, so that its parts can be files of their own."""

from __future__ import annotations

from dataclasses import dataclass

LINKED = "linked"  # the core is connected
EDITOR = "editor"  # the editor is in front
SERVER = "server"  # a server is chosen
SERVER_REMOVABLE = "server-removable"
SERVER_REMOVED = "server-removed"  # one can be put back


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do."""

    id: str
    text: str
    help: str  # one sentence
    category: str
    icon: str = ""
    keys: str = ""
    when: tuple[str, ...] = ()  # all of these must hold
    checkable: bool = False
    group: str = ""  # the submenu it stands in
