"""Finds for each answer the request it belongs to, in both directions, whatever a server does with its ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.records import Frame

_OPEN = 10_000  # unanswered requests that are remembered
_SEARCHED = 400  # characters
_OTHER = {">": "<", "<": ">"}


@dataclass(slots=True, eq=False)
class Exchange:
    """One message as a row, with what is known of it from its other half."""

    frame: Frame
    method: str  # its own, or that of the request it answers
    about: str
    error: bool = False
    partner: Exchange | None = None
    ms: float = -1.0  # between the two; below zero: there is no other half
    search: str = ""  # what it can be found by at once, in small letters; the core looks through the rest

    @property
    def request(self) -> Exchange | None:
        """The request of the pair."""
        return self if self.frame.kind == "request" else self.partner

    @property
    def noise(self) -> bool:
        """What passes without anybody's doing: pings and notifications."""
        return self.frame.kind == "notice" or self.method == "ping"


class Pairs:
    """Sees the messages in the order they passed."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Exchange] = {}

    def take(self, frames: Iterable[Frame]) -> list[Exchange]:
        rows = [self._take(frame) for frame in frames]
        for row in rows:
            row.search = f"{row.method} {row.about} {row.frame.text[:_SEARCHED]}".lower()
        return rows

    def _take(self, frame: Frame) -> Exchange:
        made = Exchange(frame, frame.method, frame.about, frame.kind == "error" or frame.direction == "!")
        if frame.direction == "·":
            self._open.clear()  # another life of the server: its ids begin anew
        elif frame.kind == "request":
            self._open[frame.direction, frame.id] = made
            if len(self._open) > _OPEN:
                del self._open[next(iter(self._open))]
        elif frame.kind in ("answer", "error") and frame.direction in _OTHER:
            self._join(made, self._open.pop((_OTHER[frame.direction], frame.id), None))
        return made

    def _join(self, answer: Exchange, request: Exchange | None) -> None:
        if request is None:
            return
        answer.partner, request.partner = request, answer
        answer.method, request.error = request.method, answer.error
        answer.about = answer.about or request.about
        answer.ms = request.ms = max(0.0, (answer.frame.at - request.frame.at) * 1000)
