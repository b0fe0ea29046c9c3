"""Interface of the files of one child that are copied in before a program and out after it."""

from __future__ import annotations

from typing import Protocol


class ChildFiles(Protocol):
    """One cell's files on their way; where the project's folders can be mounted, none of this is needed."""

    async def bring(self) -> None:
        """Everything in, before the program begins."""
        ...

    async def collect(self) -> tuple[str, str]:
        """The program's changes out, after it ended by itself; answers what was wrong with them: reason, sentence."""
        ...

    def notes(self) -> str:
        """What stayed behind, as lines for the program's author."""
        ...

    def close(self) -> None:
        """Whatever is still under way is let go."""
        ...
