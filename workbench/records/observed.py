"""What a run really did, beside what reading its program foretold."""

from __future__ import annotations

from msgspec import Struct


class Observation(Struct, frozen=True):
    """One effect: foretold, seen, or both."""

    kind: str  # tool, host, written, deleted
    subject: str  # `demo.send_email`, `api.example.org:443`, `workspace/report.csv`
    predicted: bool | None  # None: nobody could tell from the text
    times: int = 0  # how often it was seen
    refused: int = 0  # tries that were refused
    line: int = 0  # where the text foretold it

    @property
    def unforeseen(self) -> bool:
        """It happened, or was tried, and the text did not say so."""
        return self.predicted is False and bool(self.times or self.refused)
