"""Log of one server's raw messages, stderr lines and unreadable output: labelled, bounded, exported as JSON lines.

The log outlives the server's process. Known secrets are masked before anything is stored.
"""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.records import Frame, JsonObject
from workbench.secrets.secret_masking import SecretMasks

BUDGET = 16 << 20  # bytes of stored messages, including their overhead
_COST = 400  # bytes of overhead of a stored message
_LONGEST = 4 << 20  # bytes of a message stored completely; of a longer one only the start
_BEGINNING = 1 << 16
_SHOWN = 1000  # characters of a message in a list
_PAGE = 1000  # messages in one answer
_LINES = 400  # stderr lines stored
_LINE_TEXT = 2000  # characters stored of each
_RUBBISH_SHOWN = 3  # invalid lines quoted in warnings; the others are counted


@dataclass(slots=True)
class _LoggedMessage:
    """One message in memory; its label is computed when it is first shown."""

    number: int
    at: float
    direction: str
    data: bytes
    size: int
    cut: bool
    label: MessageLabel | None = None


class MessageLog:
    """The logged messages and stderr lines of one server."""

    def __init__(self, server: str, masks: SecretMasks | None = None) -> None:
        self._server = server
        self._masks = masks or SecretMasks()
        self._kept: deque[_LoggedMessage] = deque()
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

    def add_invalid_line(self, data: bytes, size: int = 0) -> None:
        """Add a line of stdout that is not a JSON-RPC message."""
        self.received_bytes += size or len(data)
        self._keep("!", data, size)
        self._rubbish_count += 1
        if len(self._rubbish) < _RUBBISH_SHOWN:
            self._rubbish.append(self._text(data, 200))

    def mark(self, words: str) -> None:
        """Add an event of the server, such as its start or end, between the messages."""
        self._keep("·", words.encode("utf-8", "replace"))

    def add_error_line(self, line: bytes) -> None:
        """Add a line of stderr."""
        self._stderr.append(self._text(line, _LINE_TEXT).rstrip("\r"))

    def begin(self) -> None:
        """Reset the count of invalid lines for a new process; messages and stderr lines stay."""
        self._rubbish, self._rubbish_count = [], 0

    @property
    def invalid_line_count(self) -> int:
        return self._rubbish_count

    @property
    def message_count(self) -> int:
        """Number of stored messages."""
        return len(self._kept)

    @property
    def dropped(self) -> int:
        """Number of messages dropped to stay within the budget."""
        return self._number - len(self._kept)

    def warnings(self) -> tuple[str, ...]:
        shown = [f"The server printed a line that is not a protocol message: {line!r}" for line in self._rubbish]
        more = self._rubbish_count - len(shown)
        return (*shown, f"More lines that are not protocol messages: {more:,}.") if more else tuple(shown)

    def frames(self, after: float = 0.0) -> tuple[Frame, ...]:
        """Return the next messages after this time, oldest first. Repeat with the last message's time until the result
        is empty."""
        return tuple(self._frame(kept) for kept in self._behind(after)[:_PAGE])

    def message_text(self, at: float) -> str:
        """Return the complete text of one message."""
        for kept in reversed(self._kept):
            if kept.at == at:
                return kept.data.decode("utf-8", "replace")
        raise WorkbenchError(
            "This message is no longer stored.",
            "Up to 16 MB of messages are stored for each server; older ones are dropped.",
        )

    def snapshot(self, after: float = 0.0) -> tuple[tuple[float, str, bytes], ...]:
        """Return time, direction and bytes of the messages, as a copy that a thread may read."""
        return tuple((kept.at, kept.direction, kept.data) for kept in self._behind(after))

    def stderr(self) -> tuple[str, ...]:
        return tuple(self._stderr)

    def tail(self, lines: int = 20) -> str:
        return "\n".join(tuple(self._stderr)[-lines:])

    def _behind(self, after: float) -> list[_LoggedMessage]:
        found = []
        for kept in reversed(self._kept):
            if kept.at <= after:
                break
            found.append(kept)
        found.reverse()
        return found

    def _frame(self, kept: _LoggedMessage) -> Frame:
        if kept.label is None:
            kept.label = label(kept.data) if kept.direction in "<>" else MessageLabel()
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
        # Message times are unique, even within one clock tick: clients identify a message by its time.
        self._last = at = max(time.time(), self._last + 1e-6)
        self._number += 1
        self._kept.append(_LoggedMessage(self._number, at, direction, data, size, cut))
        self._weight += len(data) + _COST
        while self._weight > BUDGET:
            self._weight -= len(self._kept.popleft().data) + _COST

    def _text(self, data: bytes, characters: int) -> str:
        text = self._beginning(data, characters * 4).decode("utf-8", "replace")
        return text if len(text) <= characters and len(data) <= characters * 4 else f"{text[:characters]}…"

    def _beginning(self, data: bytes, size: int) -> bytes:
        """Return the first bytes, masked before the cut: a cut secret would not be recognised."""
        longest = self._masks.longest
        masked = self._masks.mask_bytes(data[: size + longest])
        return masked[: max(0, len(masked) - longest)][:size] if len(data) > size + longest else masked[:size]


def find(messages: Iterable[tuple[float, str, bytes]], words: str) -> tuple[float, ...]:
    """Return the times of the messages that contain all these words, ignoring case."""
    wanted = [word.encode("utf-8", "replace") for word in words.lower().split()]
    return tuple(at for at, _, data in messages if _has(data, wanted))


def _has(data: bytes, wanted: list[bytes]) -> bool:
    lowered = data.decode("utf-8", "replace").lower().encode("utf-8", "replace") if not data.isascii() else data.lower()
    return all(word in lowered for word in wanted)


_PARSED = 1 << 18  # bytes up to which a message is parsed; of a longer one only both ends are read
_END = 600
_ABOUT = 120  # characters
# The fields that say most about a request, in order of preference.
_NAMES = ("name", "uri", "message", "level", "requestId", "progressToken")
_METHOD = re.compile(rb'"method"\s*:\s*"([^"\\]{1,200})"')
_ID = re.compile(rb'"id"\s*:\s*(\d{1,15}|"[^"\\]{1,200}")')


@dataclass(frozen=True, slots=True)
class MessageLabel:
    """The label of one message in a list."""

    kind: str = ""
    method: str = ""
    id: str = ""
    about: str = ""


def label(data: bytes) -> MessageLabel:
    """Return method and tool of a message, as far as they can be read."""
    if len(data) > _PARSED:
        return _glance(data)
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        return _glance(data)  # only the start of the message is stored
    if isinstance(message, list):
        return MessageLabel("batch", about=f"{len(message)} messages")
    return _read(message) if isinstance(message, Mapping) else MessageLabel()


def _read(message: Mapping[str, object]) -> MessageLabel:
    number = json.dumps(message["id"])[:200] if message.get("id") is not None else ""
    if isinstance(method := message.get("method"), str):
        return MessageLabel("request" if number else "notice", method[:200], number, _subject(message.get("params")))
    if (error := message.get("error")) is not None:
        return MessageLabel("error", "", number, _error(error))
    result = message.get("result")
    if isinstance(result, Mapping) and result.get("isError") is True:
        return MessageLabel("error", "", number, _first_text(result.get("content")))
    return MessageLabel("answer", "", number)


def _glance(data: bytes) -> MessageLabel:
    """Label a long message by its ends: it is an answer, or a call with long arguments."""
    head, tail = data[:_END], data[-_END:]
    number = _ID.search(head) or _ID.search(tail)
    shown = number[1].decode("utf-8", "replace") if number else ""
    if b'"result"' in head:
        return MessageLabel("answer", "", shown)
    if b'"error"' in head:
        return MessageLabel("error", "", shown)
    if method := _METHOD.search(head) or _METHOD.search(tail):
        return MessageLabel("request" if shown else "notice", method[1].decode("utf-8", "replace"), shown)
    return MessageLabel()


def _subject(params: object) -> str:
    if not isinstance(params, Mapping):
        return ""
    for name in _NAMES:
        if isinstance(value := params.get(name), str | int) and not isinstance(value, bool):
            return str(value)[:_ABOUT]
    return ""


def _error(error: object) -> str:
    if not isinstance(error, Mapping):
        return ""
    message, code = error.get("message"), error.get("code")
    words = message[:_ABOUT] if isinstance(message, str) else ""
    return f"{code} {words}".strip() if isinstance(code, int) else words


def _first_text(content: object) -> str:
    first = content[0] if isinstance(content, list) and content else None
    words = first.get("text") if isinstance(first, Mapping) else None
    return words[:_ABOUT] if isinstance(words, str) else ""


_WORDS = {">": "sent", "<": "received", "!": "rubbish", "·": "event"}


def transcript(messages: Iterable[tuple[float, str, bytes]]) -> str:
    """Export a snapshot as JSON lines. It parses megabytes: call it on a thread."""
    return "".join(f"{json.dumps(_line(*message), ensure_ascii=True)}\n" for message in messages)


def _line(at: float, direction: str, data: bytes) -> JsonObject:
    """Build one line of an export: JSON messages as JSON, everything else as text."""
    told = {"at": at, "direction": _WORDS.get(direction, direction)}
    if direction in "<>":
        try:
            return {**told, "message": json.loads(data)}
        except (ValueError, RecursionError):
            pass
    return {**told, "text": data.decode("utf-8", "replace")}
