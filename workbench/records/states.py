"""A kept sandbox as a person's door shows it."""

from __future__ import annotations

from msgspec import Struct


class KeptState(Struct, frozen=True):
    """Variables, imports and open files that the next program under the same name goes on with."""

    session: str
    name: str
    author: str  # the agent's name as it gave it, or "you"
    began: float
    used: float  # when its last program ended, or now while one is at work
    expires: float = 0.0  # when it ends if nobody uses it; 0 while a program is at work
    programs: int = 0  # how many ran in it
    busy: bool = False
    memory_mb: float = 0.0
    level: str = ""
    backend: str = ""
