"""Elicitation and sampling requests: what a server asks of the user during a call."""

from __future__ import annotations

from msgspec import Struct


class Ask(Struct, frozen=True):
    """An elicitation or sampling request of a server.

    The server wrote all text fields except `id`, `server`, the times and the caller.
    """

    id: str
    server: str
    kind: str  # form: fill in fields; url: visit a page; sampling: write the answer of a model
    message: str = ""
    schema: str = ""  # for a form: JSON text of an object schema with primitive fields
    url: str = ""  # with its host in the ASCII form that a browser sends
    host: str = ""  # in the ASCII form that a browser sends
    host_shown: str = ""  # the Unicode form of the host, if it differs
    warnings: tuple[str, ...] = ()  # why the address may be misleading
    request: str = ""  # for sampling: JSON text
    opened: bool = False  # the page was opened; the workbench does not see what happens on it
    repeats: bool = False  # the call failed because of this request and is repeated after it
    call_id: str = ""  # the waiting call; empty if unknown
    tool: str = ""
    session: str = ""
    run_id: str = ""  # the program that made the call
    by: str = ""  # who made the call; empty if unknown
    asked_at: float = 0.0
    deadline: float = 0.0  # Unix time; 0: as long as the server waits
