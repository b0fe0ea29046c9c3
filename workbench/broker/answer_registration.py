"""Registers the personal data in answers, for long answers of the user's own calls after they are shown. The call is
added to history and audit after that.

Searching a long answer takes seconds. No model reads the user's own session, so its answers need not wait for that.
Everything that is masked with the values of the session does wait: the audit of later calls, previews of what a model
would see of a program, recordings.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from workbench.broker.picture_metadata import split_picture
from workbench.events import spawn
from workbench.privacy.value_store import Source
from workbench.records import Content, JsonValue, Outcome

if TYPE_CHECKING:
    from workbench.broker.agent_sessions import Session

log = logging.getLogger(__name__)

Register: TypeAlias = Callable[[], Awaitable[object]]


class AnswerRegistrations:
    """The registrations of one session, executed one after the other in the order of their answers."""

    def __init__(self) -> None:
        self._queue: deque[tuple[Register, Callable[[], None]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._is_closing = False  # the core is closing: queued answers are noted without being searched

    @property
    def busy(self) -> bool:
        """Whether an answer that was shown is not registered yet."""
        return self._task is not None

    def add(self, register: Register, note: Callable[[], None]) -> None:
        """Queue the registration of an answer; `note` is called after it."""
        self._queue.append((register, note))
        if self._task is None:
            self._task = spawn("registration of answers", self._work())

    async def wait_until_done(self) -> None:
        """Wait until every answer that was shown is registered."""
        while self._task is not None:
            await asyncio.wait([self._task])

    async def close(self, seconds: float) -> None:
        """Wait up to this many seconds for the queue; then note the rest, masked as well as possible without
        registration."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=seconds)
        if self._task is not None:
            self._is_closing = True
            self._task.cancel()
            await self.wait_until_done()

    async def _work(self) -> None:
        try:
            while self._queue:
                register, note = self._queue.popleft()
                try:
                    if not self._is_closing:
                        await register()
                except asyncio.CancelledError:
                    if not self._is_closing:
                        raise
                except Exception:  # its note is masked with the values known so far
                    log.exception("an answer could not be searched for personal data")
                try:
                    note()
                except Exception:  # the other answers are still registered
                    log.exception("an answer could not be added to history and audit")
        finally:
            self._task = None


_MOST_WAITING = 64_000  # characters of answers that are indexed together
_LONGEST_BLOB = 4_000_000  # characters; larger files in an answer are not searched
_LONGEST_PICTURE = 20_000_000  # characters; of a picture only the metadata is searched


def keep_outcome(session: Session, source: Source, outcome: Outcome) -> None:
    """Keep the texts of an answer: structured content, else text."""
    for text in _outcome_texts(outcome):
        session.keep(text, source)
    if session.vault.answers.waiting > _MOST_WAITING:
        session.vault.answers.index()


def register_outcome(session: Session, source: Source, outcome: Outcome) -> None:
    """Search an answer for personal data at once, for sealed values."""
    for text in _outcome_texts(outcome):
        session.vault.register(_parsed(text), source)


def _outcome_texts(outcome: Outcome) -> Iterator[str]:
    if outcome.structured:
        yield outcome.structured
    alone = bool(outcome.structured) and all(block.kind == "text" for block in outcome.content)
    for block in () if alone else outcome.content:  # text besides structured content repeats it, and no program gets it
        yield from _texts(block)
    if (fault := outcome.fault) is not None:
        yield from filter(None, (fault.message, fault.hint, fault.detail))


def _texts(block: Content) -> Iterator[str]:
    """Yield everything readable in one part of an answer."""
    yield from (text for text in (block.text, block.uri, block.name, block.note, _query_parameters(block.uri)) if text)
    if block.kind == "resource" and 0 < len(block.data) <= _LONGEST_BLOB and (data := _bytes(block.data)):
        try:
            yield data.decode()
        except UnicodeDecodeError:
            yield from split_picture(data).notes  # the file is a picture or another binary file
    elif block.kind == "image" and 0 < len(block.data) <= _LONGEST_PICTURE:
        yield from split_picture(_bytes(block.data)).notes


def _query_parameters(uri: str) -> str:
    """Return the query parameters of a URL as JSON."""
    if "?" not in uri:
        return ""
    try:
        asked = parse_qsl(urlsplit(uri).query, max_num_fields=200)
    except ValueError:
        return ""
    return json.dumps(dict(asked), ensure_ascii=False) if asked else ""


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except ValueError:
        return b""


def _parsed(text: str) -> JsonValue:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
