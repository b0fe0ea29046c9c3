"""The base of request handlers: the core's services, audit entries of user actions, and terminal checks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct

from workbench.agent.connected_agents import ConnectedAgents
from workbench.api.peer_credentials import TERMINAL, WINDOW, ApiCaller, current_caller
from workbench.broker.broker import Broker
from workbench.broker.elicitation_audit import ElicitationAudit
from workbench.editor_completion.completion_client import Hints
from workbench.errors import WorkbenchError
from workbench.records import Fault, JsonValue, Note
from workbench.runs.run_manager import RunManager
from workbench.runs.services import Services
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.server_catalog import ServerCatalog
from workbench.settings import OLD_NAMES, Settings, change, is_combined, read, write

BY = "you"  # the author of user actions in the audit; a core has one user


class HandlerContext(Struct, frozen=True):
    """What request handlers work with: the services of the core, and what only the core itself can do."""

    services: Services
    broker: Broker
    askings: ElicitationAudit
    run_manager: RunManager
    entrance: ConnectedAgents
    hints: Hints
    notices: Callable[[], tuple[Fault, ...]]
    set_settings: Callable[[Settings], None]
    shut_down: Callable[[], None]
    start_example: Callable[[], Awaitable[None]]


class RequestHandler:
    """Base class of request handlers."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context
        self._services = context.services

    @property
    def _catalog(self) -> ServerCatalog:
        return self._services.catalog

    def _entry(self, server: str) -> str:
        """The fingerprint of a server's entry; trust is bound to it."""
        return fingerprint(self._catalog.server(server).state.config)

    def _carry_trust(self, server: str, before: str) -> None:
        """Keep the trust in a server whose entry the user changed."""
        self._services.rules.carry(server, before)
        self._catalog.weigh_again(server)

    def _change_setting(self, name: str, value: JsonValue) -> Settings:
        """Write a setting into the user's file, apply it at once and note it in the audit."""
        name = OLD_NAMES.get(name, name)
        changed = change(self._services.settings(), name, value)
        paths = self._services.paths
        write(paths.person_settings, name, value)
        if is_combined(name):
            together = read(paths.project_settings, paths.person_settings).settings
            changed = change(changed, name, getattr(together, name.replace(".", "_", 1)))
        self._context.set_settings(changed)
        self._note("setting.changed", f"{name} is {value!r} now")
        return changed

    def _check_terminal(self, *, of_agent: bool) -> str:
        """The terminal that an answer comes from, for the audit; empty for a window. Refuses one that is none, and one
        that did not give the user's PIN. `of_agent`: it is about something that an agent asked for; about their own
        programs scripts may answer."""
        one = current_caller()
        if one is None or one.role == WINDOW or (one.role != TERMINAL and not of_agent):
            return ""
        self._check_interactive(one)
        if self._services.paths.terminal_pin.exists() and not one.unlocked:
            raise WorkbenchError("Your PIN is needed to answer from a terminal.", "Nothing was decided.")
        return one.words

    def _check_interactive(self, one: ApiCaller) -> None:
        if one.role != TERMINAL or not one.terminal:
            raise WorkbenchError(
                "This is answered in a window or in an interactive terminal, and there is none here.",
                "Run the same command in a terminal of your own.",
            )

    def _note(
        self,
        kind: str,
        summary: str,
        *,
        server: str = "",
        run_id: str = "",
        session: str = "person",
        risk: str = "",
        terminal: str = "",
    ) -> None:
        masked = self._services.sessions.person.mask(summary)
        detail: dict[str, object] = {"terminal": terminal} if terminal else {}
        self._services.journal.append(
            Note(kind, masked, actor=BY, server=server, run_id=run_id, session=session, risk=risk, detail=detail)
        )
