"""What the editor asks of a program, answered on paper."""

from __future__ import annotations

from workbench.records import CallShape, Candidate, Explanation, Finding


class PaperHints:
    """Answers from lists that a test may change."""

    candidates: tuple[Candidate, ...] = ()
    shapes: tuple[CallShape, ...] = ()
    explanation = Explanation("", "")
    checked: tuple[Finding, ...] = ()
    completions = 0  # how often somebody asked

    async def complete_code(self, code: str, line: int, column: int) -> tuple[Candidate, ...]:
        self.completions += 1
        return self.candidates

    async def call_shapes(self, code: str, line: int, column: int) -> tuple[CallShape, ...]:
        return self.shapes

    async def explain_code(self, code: str, line: int, column: int) -> Explanation:
        return self.explanation

    async def check_code(self, code: str) -> tuple[Finding, ...]:
        return self.checked
