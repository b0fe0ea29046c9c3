"""What the editor asks of a program that is being written."""

from __future__ import annotations

from typing import Protocol

from workbench.records import CallShape, Candidate, Explanation, Finding


class HintQuestions(Protocol):
    """Completion, signatures and explanations; programs are read for them, never run."""

    async def complete_code(self, code: str, line: int, column: int) -> tuple[Candidate, ...]:
        """What may stand at this place of a program in Python, the likeliest first; lines from 1, columns from 0 in
        Python code points."""
        ...

    async def call_shapes(self, code: str, line: int, column: int) -> tuple[CallShape, ...]:
        """The parameters of the call that is being written at this place."""
        ...

    async def check_code(self, code: str) -> tuple[Finding, ...]:
        """The calls of a program in Python that cannot work, by the definitions that are known."""
        ...

    async def explain_code(self, code: str, line: int, column: int) -> Explanation:
        """What the name at this place stands for."""
        ...
