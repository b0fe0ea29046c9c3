"""Makes a server ready for a command: a person's earlier yes counts, `--allow` is a yes, all else is a sentence."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from workbench.cli.printing import narrate
from workbench.errors import WorkbenchError
from workbench.records import ServerConfig, ServerState, ServerStatus

if TYPE_CHECKING:
    from workbench.wire.questions import Questions


class NotAllowed(WorkbenchError):
    """A server would have to start for the first time, and nobody has said yes."""


async def reach(questions: Questions, name: str, allow: bool) -> ServerState:
    """The server, connected; its full command is shown before it runs for the first time."""
    state = await find_server(questions, name)
    if state.status is ServerStatus.READY:
        return state
    if not (state.allowed or state.config.builtin or state.config.remote):
        _ask_leave(state.config, allow)
    narrate(f"Connecting {name} …")
    return await questions.connect(name)


async def find_server(questions: Questions, name: str) -> ServerState:
    """By its name; an unknown one is a sentence that names those there are."""
    states = {state.config.name: state for state in await questions.servers()}
    if name in states:
        return states[name]
    raise WorkbenchError(f"There is no server {name!r:.100}.", f"The bench has: {', '.join(states)}.")


def command_line(config: ServerConfig) -> str:
    """The whole command as a shell would take it, environment names included; or the address."""
    if config.remote:
        return config.url
    names = [f"{name}=…" for name in config.env]
    return " ".join((*names, shlex.join((config.command, *config.args))))


def _ask_leave(config: ServerConfig, allow: bool) -> None:
    where = f" in the folder {config.cwd}" if config.cwd else ""
    if not allow:
        raise NotAllowed(
            f"{config.name} has not been allowed to start{where}: {command_line(config)}",
            "Connect it once in the window, or add --allow if this command may run with your rights.",
        )
    narrate(f"Allowed by --allow{where}: {command_line(config)}")
