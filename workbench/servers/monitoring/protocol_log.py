"""Log messages that one server sends through the protocol (`notifications/message`): the last 2,000.

A server may send a hundred thousand at once. Each costs one short record; clients are notified five times a second at
most, and fetch the lines that they have not seen.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable

from workbench.events import Event, ServerLogged
from workbench.records import JsonObject, LogLine, ServerLog
from workbench.secrets.secret_masking import SecretMasks

LINES = 2_000  # log lines stored
TEXT = 2_000  # characters stored of each
_WORD = 200  # characters stored of a logger's name
_PAUSE = 0.2  # seconds between two events


class ProtocolLog:
    """The last log lines of one server. The log outlives the server's process."""

    def __init__(self, server: str, tell: Callable[[Event], None], masks: SecretMasks | None = None) -> None:
        self._server = server
        self._tell = tell
        self._masks = masks or SecretMasks()
        self._lines: deque[LogLine] = deque(maxlen=LINES)
        self._written = 0
        self._telling: asyncio.TimerHandle | None = None

    def heard(self, params: JsonObject) -> None:
        """Add a `notifications/message`. Called where the server's messages are read, so it never waits."""
        self._written += 1
        level, logger = params.get("level"), params.get("logger")
        self._lines.append(
            LogLine(
                self._written,
                time.time(),
                level[:_WORD] if isinstance(level, str) else "",
                logger[:_WORD] if isinstance(logger, str) else "",
                self._text(params.get("data")),
            )
        )
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(_PAUSE, self._say)

    def after(self, number: int) -> ServerLog:
        """Return the stored lines with a higher number."""
        new = min(self._written - max(0, number), len(self._lines))
        lines = tuple(self._lines)[len(self._lines) - new :] if new > 0 else ()
        return ServerLog(lines, self._written - len(self._lines))

    def close(self) -> None:
        """Report pending lines at once."""
        if self._telling is not None:
            self._telling.cancel()
            self._say()

    def _text(self, data: object) -> str:
        """Return a text unchanged, anything else as JSON; secrets are masked, and long texts are cut."""
        try:
            text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
        except RecursionError:
            text = "(nested too deeply to be shown)"
        # The final cut follows masking: a cut secret would not be recognised.
        text = self._masks.mask(text[: TEXT + 1 + self._masks.longest])
        return text if len(text) <= TEXT else f"{text[:TEXT]}…"

    def _say(self) -> None:
        self._telling = None
        self._tell(ServerLogged(self._server, self._written))
