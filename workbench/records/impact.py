"""What a program touches in all, as far as reading it tells: the effects by kind, each name once."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class Impact(Struct, frozen=True):
    """Names as a person knows them; what is only known at run time is no name and stands among the effects."""

    read: tuple[str, ...] = ()  # files and folders
    changed: tuple[str, ...] = ()  # files and folders, databases among them
    networks: tuple[str, ...] = ()  # hosts
    commands: tuple[str, ...] = ()
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # reads, adds, changes, sends → "server.tool"
    lasting: int = 0  # effects that cannot be taken back
    unnamed: int = 0  # effects on something that is only known at run time
