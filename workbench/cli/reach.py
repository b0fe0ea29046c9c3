"""Makes a server ready for a command: a person's earlier yes counts, `--allow` is a yes, all else is a sentence."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from workbench.cli.printing import narrate, visible
from workbench.errors import WorkbenchError
from workbench.records import Consent, ServerConfig, ServerState, ServerStatus

if TYPE_CHECKING:
    from workbench.api.client_stub import ApiMethods


class NotAllowed(WorkbenchError):
    """A server would have to start for the first time, and nobody has said yes."""


async def reach(questions: ApiMethods, name: str, allow: bool) -> ServerState:
    """The server, connected; its full command is shown before it runs for the first time."""
    state = await find_server(questions, name)
    if state.status is ServerStatus.READY:
        return state
    sha = ""
    if not (state.allowed or state.config.builtin):
        consent = await questions.consent(name)
        _ask_leave(consent, allow)
        sha = consent.sha
    narrate(f"Connecting {name} …")
    return await questions.connect(name, sha)


async def find_server(questions: ApiMethods, name: str) -> ServerState:
    """By its name; an unknown one is a sentence that names those there are."""
    states = {state.config.name: state for state in await questions.servers()}
    if name in states:
        return states[name]
    raise WorkbenchError(
        f"There is no server {name!r:.100}.",
        f"The bench has: {', '.join(states)}. Another project is named with --bench FOLDER.",
    )


def command_line(config: ServerConfig) -> str:
    """The whole command as a shell would take it, environment names included; or the address."""
    if config.remote:
        return config.url
    names = [f"{name}=…" for name in config.env]
    return " ".join((*names, shlex.join((config.command, *config.args))))


def _ask_leave(consent: Consent, allow: bool) -> None:
    words = " ".join((visible(consent.told.replace("\n", ", ")), *map(visible, (*consent.notes, *consent.warnings))))
    if allow:
        narrate(f"Allowed by --allow: {words}")
        return
    deed = "be reached with this" if consent.remote else "start"
    hint = "Connect it once in the window, or add --allow if this command may run with your rights."
    if consent.remote:
        hint = "Connect it once in the window, or add --allow if it may be sent this."
    raise NotAllowed(f"{consent.server} has not been allowed to {deed}: {words}", hint)
