"""What a person asks to find anything a bench has."""

from __future__ import annotations

from typing import Protocol

from workbench.records import Companion, Finds


class FindingQuestions(Protocol):
    """One search over tools, resources, templates, prompts and skills."""

    async def find(self, words: str, kinds: tuple[str, ...], limit: int) -> Finds:
        """The best first, as agents find tools; without words a list. No kinds: all of them."""
        ...

    async def companions(self, server: str, tool: str) -> tuple[Companion, ...]:
        """The tools that most often ran in one program with this one."""
        ...
