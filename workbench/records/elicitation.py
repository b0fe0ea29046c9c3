"""Elicitation and sampling requests: what a server asks of the user during a call."""

from __future__ import annotations

from msgspec import Struct


class Ask(Struct, frozen=True):
    """One question of a server. Everything but `id`, `server`, the times and who waits are the server's own words."""

    id: str
    server: str
    kind: str  # form: fill in fields; url: visit a page; sampling: write what a model would
    message: str = ""
    schema: str = ""  # of a form, JSON text: an object of plain fields
    url: str = ""  # with its host in the letters that a browser sends
    host: str = ""  # in the letters that a browser sends
    host_shown: str = ""  # as people would read it, where that is something else
    warnings: tuple[str, ...] = ()  # why the address deserves a second look
    request: str = ""  # of sampling, JSON text
    opened: bool = False  # the page was opened; what happens there is between the person and the page
    repeats: bool = False  # the call failed for want of this page and is made again afterwards
    call_id: str = ""  # the call that waits; empty when nobody knows which one does
    tool: str = ""
    session: str = ""
    run_id: str = ""  # the program that made the call
    by: str = ""  # whose wish the call was; empty when nobody knows
    asked_at: float = 0.0
    deadline: float = 0.0  # Unix time; 0: as long as the server waits
