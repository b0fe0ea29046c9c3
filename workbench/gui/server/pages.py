"""The table of pages a server has, in their order; a new topic is one line here."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.server.page import ServerPage
from workbench.records import ServerState

Make = Callable[[Context, Commands, ServerState], ServerPage]


class Page(Struct, frozen=True):
    """One page; what draws it is imported when a person first looks at it."""

    id: str
    title: str
    make: Make
    needs: str = ""  # a capability without which there is nothing to show


def _overview(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.overview import OverviewPage

    return OverviewPage(context, commands, state)


def _sign_in(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.sign_in import SignInPage

    return SignInPage(context, commands, state)


def _resources(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.resources import ResourcesPage

    return ResourcesPage(context, commands, state)


def _prompts(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.prompts import PromptsPage

    return PromptsPage(context, commands, state)


def _log(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.log import LogPage

    return LogPage(context, commands, state)


def _doctor(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.doctor import DoctorPage

    return DoctorPage(context, commands, state)


def _protocol(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.protocol import ProtocolPage

    return ProtocolPage(context, commands, state)


def _changes(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.changes import ChangesPage

    return ChangesPage(context, commands, state)


def _tasks(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.tasks import TasksPage

    return TasksPage(context, commands, state)


def _roots(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.roots import RootsPage

    return RootsPage(context, commands, state)


def _trust(context: Context, commands: Commands, state: ServerState) -> ServerPage:
    from workbench.gui.server.trust import TrustPage

    return TrustPage(context, commands, state)


PAGES: tuple[Page, ...] = (
    Page("overview", "Overview", _overview),
    Page("resources", "Resources", _resources),
    Page("prompts", "Prompts", _prompts),
    Page("tasks", "Tasks", _tasks, needs="tasks"),
    Page("log", "Log", _log),
    Page("protocol", "Protocol", _protocol),
    Page("trust", "Trust", _trust),
    Page("changes", "Changes", _changes),
    Page("sign_in", "Sign-in", _sign_in),
    Page("doctor", "Doctor", _doctor),
    Page("roots", "Roots", _roots),
)
