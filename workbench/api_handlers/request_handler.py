"""The base of request handlers: the core's services, audit entries of user actions, and terminal checks."""

from __future__ import annotations

from workbench.api.peer_credentials import TERMINAL, WINDOW, ApiCaller, current_caller
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.records import Note
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.server_catalog import ServerCatalog

BY = "you"  # the author of user actions in the audit; a core has one user


class RequestHandler:
    """Base class of request handlers."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @property
    def _catalog(self) -> ServerCatalog:
        return self._services.catalog

    def _entry(self, server: str) -> str:
        """Return the fingerprint of a server's entry, which trust is bound to."""
        return fingerprint(self._catalog.server(server).state.config)

    def _carry_trust(self, server: str, before: str) -> None:
        """Keep the trust in a server whose entry the user changed."""
        self._services.rules.keep_for_changed_entry(server, before)
        self._catalog.weigh_again(server)

    def _check_terminal(self, *, of_agent: bool) -> str:
        """Return the terminal that an answer comes from, for the audit; empty for a window. Refuses an answer that
        does not come from a terminal, or from one where the user's PIN was not entered. `of_agent`: the request
        comes from an agent; scripts may answer requests about the user's own programs."""
        one = current_caller()
        if one is None or one.role == WINDOW or (one.role != TERMINAL and not of_agent):
            return ""
        self._check_interactive(one)
        if self._services.paths.terminal_pin.exists() and not one.unlocked:
            raise WorkbenchError("Your PIN is needed to answer from a terminal.", "Nothing was decided.")
        return one.description

    def _decided_by(self) -> str:
        """Return who decides and where, for the audit and for other clients that show the same request."""
        one = current_caller()
        where = {WINDOW: "in the window", TERMINAL: "at a terminal"}
        return f"{BY}, {where.get(one.role, 'in a script')}" if one is not None else BY

    def _check_interactive(self, one: ApiCaller) -> None:
        if one.role != TERMINAL or not one.terminal:
            raise WorkbenchError(
                "This can be answered only in a window or an interactive terminal, and this is neither.",
                "Run the same command in your own terminal.",
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
