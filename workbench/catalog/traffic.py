"""What crossed one server's pipes: raw frames, stderr lines and rubbish; bounded, kept beyond the server's death."""

from __future__ import annotations

import time
from collections import deque

from workbench.records import Frame

_FRAMES = 1000  # messages remembered
_FRAME_TEXT = 4096  # characters kept of each
_LINES = 400  # stderr lines remembered
_LINE_TEXT = 2000  # characters kept of each
_RUBBISH_SHOWN = 3  # lines quoted in warnings; the rest is counted


class Traffic:
    """The memory of one server's pipes."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._frames: deque[Frame] = deque(maxlen=_FRAMES)
        self._stderr: deque[str] = deque(maxlen=_LINES)
        self._rubbish: list[str] = []
        self._rubbish_count = 0

    def sent(self, data: bytes) -> None:
        self._keep(">", data)

    def received(self, data: bytes) -> None:
        self._keep("<", data)

    def rubbish(self, data: bytes, size: int = 0) -> None:
        """A line of stdout that is no JSON-RPC message."""
        self._keep("!", data, size)
        self._rubbish_count += 1
        if len(self._rubbish) < _RUBBISH_SHOWN:
            self._rubbish.append(data[:200].decode("utf-8", "replace"))

    def said(self, line: bytes) -> None:
        """A line of stderr."""
        text = line[: _LINE_TEXT * 4].decode("utf-8", "replace").rstrip("\r")
        self._stderr.append(text if len(text) <= _LINE_TEXT else f"{text[:_LINE_TEXT]}…")

    def begin(self) -> None:
        """A new process: its rubbish is counted afresh, frames and stderr run on."""
        self._rubbish, self._rubbish_count = [], 0

    @property
    def rubbish_count(self) -> int:
        return self._rubbish_count

    def warnings(self) -> tuple[str, ...]:
        shown = [f"It printed a line that is no protocol message: {line!r}" for line in self._rubbish]
        more = self._rubbish_count - len(shown)
        return (*shown, f"… and {more} more such lines.") if more else tuple(shown)

    def frames(self, after: float = 0.0) -> tuple[Frame, ...]:
        return tuple(frame for frame in self._frames if frame.at > after)

    def stderr(self) -> tuple[str, ...]:
        return tuple(self._stderr)

    def tail(self, lines: int = 20) -> str:
        return "\n".join(tuple(self._stderr)[-lines:])

    def _keep(self, direction: str, data: bytes, size: int = 0) -> None:
        text = data[: _FRAME_TEXT * 4].decode("utf-8", "replace")
        if len(text) > _FRAME_TEXT or len(data) > _FRAME_TEXT * 4:
            text = f"{text[:_FRAME_TEXT]}…"
        # Two frames within one tick of the clock must not share a time: doors ask for "after".
        at = time.time()
        if self._frames and at <= self._frames[-1].at:
            at = self._frames[-1].at + 1e-6
        self._frames.append(Frame(self._server, at, direction, text, size or len(data)))
