"""What crossed one server's pipes: raw messages, stderr lines and rubbish; bounded, kept beyond the server's death.

Known secrets are masked before anything is kept.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.records import Frame
from workbench.secrets.masks import Masks
from workbench.servers.monitoring.message_labels import Label, label

BUDGET = 16 << 20  # bytes of messages remembered, what it costs to keep each of them included
_COST = 400  # bytes it takes to keep a message, beside its text
_LONGEST = 4 << 20  # bytes of a message that is kept whole; of longer ones the beginning is
_BEGINNING = 1 << 16
_SHOWN = 1000  # characters of a message in a list
_PAGE = 1000  # messages in one answer
_LINES = 400  # stderr lines remembered
_LINE_TEXT = 2000  # characters kept of each
_RUBBISH_SHOWN = 3  # lines quoted in warnings; the rest is counted


@dataclass(slots=True)
class _Kept:
    """One message in memory; what it is, is found out when somebody looks."""

    number: int
    at: float
    direction: str
    data: bytes
    size: int
    cut: bool
    label: Label | None = None


class Traffic:
    """The memory of one server's pipes."""

    def __init__(self, server: str, masks: Masks | None = None) -> None:
        self._server = server
        self._masks = masks or Masks()
        self._kept: deque[_Kept] = deque()
        self._weight = 0
        self._number = 0
        self._last = 0.0
        self._stderr: deque[str] = deque(maxlen=_LINES)
        self._rubbish: list[str] = []
        self._rubbish_count = 0
        self.sent_bytes = 0
        self.received_bytes = 0

    def sent(self, data: bytes) -> None:
        self.sent_bytes += len(data)
        self._keep(">", data)

    def received(self, data: bytes) -> None:
        self.received_bytes += len(data)
        self._keep("<", data)

    def rubbish(self, data: bytes, size: int = 0) -> None:
        """A line of stdout that is no JSON-RPC message."""
        self.received_bytes += size or len(data)
        self._keep("!", data, size)
        self._rubbish_count += 1
        if len(self._rubbish) < _RUBBISH_SHOWN:
            self._rubbish.append(self._text(data, 200))

    def mark(self, words: str) -> None:
        """Something happened to the server between two messages: it started, it ended."""
        self._keep("·", words.encode("utf-8", "replace"))

    def said(self, line: bytes) -> None:
        """A line of stderr."""
        self._stderr.append(self._text(line, _LINE_TEXT).rstrip("\r"))

    def begin(self) -> None:
        """A new process: its rubbish is counted afresh, messages and stderr run on."""
        self._rubbish, self._rubbish_count = [], 0

    @property
    def rubbish_count(self) -> int:
        return self._rubbish_count

    @property
    def kept(self) -> int:
        """How many messages can be looked at."""
        return len(self._kept)

    @property
    def dropped(self) -> int:
        """How many older ones made room."""
        return self._number - len(self._kept)

    def warnings(self) -> tuple[str, ...]:
        shown = [f"It printed a line that is no protocol message: {line!r}" for line in self._rubbish]
        more = self._rubbish_count - len(shown)
        return (*shown, f"… and {more} more such lines.") if more else tuple(shown)

    def frames(self, after: float = 0.0) -> tuple[Frame, ...]:
        """The next messages behind that moment, oldest first; ask again from the last one until none comes."""
        return tuple(self._frame(kept) for kept in self._behind(after)[:_PAGE])

    def whole(self, at: float) -> str:
        """The whole text of one message."""
        for kept in reversed(self._kept):
            if kept.at == at:
                return kept.data.decode("utf-8", "replace")
        raise WorkbenchError(
            "This message is not kept any more.", "Each server's messages are kept up to 16 MB; the oldest go first."
        )

    def snapshot(self, after: float = 0.0) -> tuple[tuple[float, str, bytes], ...]:
        """Time, direction and bytes of the messages: what a thread may read."""
        return tuple((kept.at, kept.direction, kept.data) for kept in self._behind(after))

    def stderr(self) -> tuple[str, ...]:
        return tuple(self._stderr)

    def tail(self, lines: int = 20) -> str:
        return "\n".join(tuple(self._stderr)[-lines:])

    def _behind(self, after: float) -> list[_Kept]:
        found = []
        for kept in reversed(self._kept):
            if kept.at <= after:
                break
            found.append(kept)
        found.reverse()
        return found

    def _frame(self, kept: _Kept) -> Frame:
        if kept.label is None:
            kept.label = label(kept.data) if kept.direction in "<>" else Label()
        text = kept.data[: _SHOWN * 4].decode("utf-8", "replace")
        if len(text) > _SHOWN or len(kept.data) > _SHOWN * 4:
            text = f"{text[:_SHOWN]}…"
        told = kept.label
        return Frame(
            self._server, kept.at, kept.direction, text, kept.size, kept.number, told.kind, told.method, told.id,
            told.about, cut=kept.cut,
        )  # fmt: skip

    def _keep(self, direction: str, data: bytes, size: int = 0) -> None:
        size = size or len(data)
        cut = size > len(data) or len(data) > _LONGEST
        data = self._beginning(data, _BEGINNING) if len(data) > _LONGEST else self._masks.mask_bytes(data)
        # Two messages within one tick of the clock must not share a time: doors ask by it.
        self._last = at = max(time.time(), self._last + 1e-6)
        self._number += 1
        self._kept.append(_Kept(self._number, at, direction, data, size, cut))
        self._weight += len(data) + _COST
        while self._weight > BUDGET:
            self._weight -= len(self._kept.popleft().data) + _COST

    def _text(self, data: bytes, characters: int) -> str:
        text = self._beginning(data, characters * 4).decode("utf-8", "replace")
        return text if len(text) <= characters and len(data) <= characters * 4 else f"{text[:characters]}…"

    def _beginning(self, data: bytes, size: int) -> bytes:
        """The first bytes, masked before they are cut: half a secret would not be found any more."""
        longest = self._masks.longest
        masked = self._masks.mask_bytes(data[: size + longest])
        return masked[: max(0, len(masked) - longest)][:size] if len(data) > size + longest else masked[:size]


def find(messages: Iterable[tuple[float, str, bytes]], words: str) -> tuple[float, ...]:
    """When the messages of a snapshot passed that have all these words, small and capital letters alike."""
    wanted = [word.encode("utf-8", "replace") for word in words.lower().split()]
    return tuple(at for at, _, data in messages if _has(data, wanted))


def _has(data: bytes, wanted: list[bytes]) -> bool:
    lowered = data.decode("utf-8", "replace").lower().encode("utf-8", "replace") if not data.isascii() else data.lower()
    return all(word in lowered for word in wanted)
