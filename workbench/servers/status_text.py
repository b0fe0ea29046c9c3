"""The steps of a server's life as words among its messages."""

from __future__ import annotations

from workbench.records import ServerState, ServerStatus


def words(state: ServerState) -> str:
    """What just happened to it."""
    match state.status:
        case ServerStatus.STARTING:
            return "The server starts."
        case ServerStatus.READY:
            process = f", process {state.pid}" if state.pid else ""
            return f"The server is ready: protocol {state.protocol or 'unknown'}{process}."
        case ServerStatus.FAILED:
            return f"The server failed: {state.fault.message}" if state.fault else "The server failed."
    return "The server was stopped."
