"""Caches answers of read-only tools for a limited time, so that repeated calls do not reach the server.

Each answer is a file in the cache folder that only the user can read and that can be deleted at any time. The file name
is a hash over the tool's definition, its server's entry and the arguments.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.records import Content, JsonObject, Outcome
from workbench.settings import Settings

LARGEST: Final = 2_000_000  # bytes of one answer
_TIDY: Final = 20  # stored answers between two cleanups
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class _CachedAnswer(Struct, frozen=True):
    content: tuple[Content, ...]
    structured: str
    schema_fault: str
    bytes: int
    tokens: int


class AnswerCache:
    """The cached answers of one project. Call it on a thread, because it reads and writes files. A file that cannot be
    read or written counts as no answer."""

    def __init__(self, folder: Path, settings: Callable[[], Settings]) -> None:
        self._folder, self._settings = folder, settings
        self._puts = 0

    def find(self, server: str, key: str) -> Outcome | None:
        """The cached answer with its age in seconds; None if there is none that is new enough."""
        place = self._home(server) / key
        try:
            age = time.time() - place.stat().st_mtime
            if not 0 <= age < self._settings().cache_minutes * 60:
                return None
            answer = msgspec.convert(json.loads(place.read_bytes()), _CachedAnswer)
        except (OSError, ValueError, RecursionError):
            return None
        fields = {name: getattr(answer, name) for name in answer.__struct_fields__}
        return Outcome(call_id="", ok=True, cached=max(age, 0.001), **fields)

    def keep(self, server: str, key: str, outcome: Outcome) -> None:
        """Store an answer, unless it is an error, too large, from a dry run or from the cache."""
        if not outcome.ok or outcome.bytes > LARGEST or outcome.held or outcome.cached:
            return
        answer = _CachedAnswer(outcome.content, outcome.structured, outcome.schema_fault, outcome.bytes, outcome.tokens)
        with suppress(WorkbenchError):
            write_file(self._home(server) / key, json.dumps(msgspec.to_builtins(answer)), durable=False)
        self._puts += 1
        if self._puts % _TIDY == 1:
            self.tidy()

    def forget(self, server: str = "") -> int:
        """Delete the answers of one server, or all; returns how many."""
        gone = 0
        for place in self._files(self._home(server) if server else None):
            with suppress(OSError):
                place.unlink()
                gone += 1
        return gone

    def tidy(self) -> None:
        """Delete expired answers, and the oldest ones beyond the size limit."""
        settings, size = self._settings(), 0
        oldest = time.time() - settings.cache_minutes * 60
        found = []
        for place in self._files():
            with suppress(OSError):
                found.append((place.stat().st_mtime, place.stat().st_size, place))
        for when, length, place in sorted(found, reverse=True):
            size += length
            if when < oldest or size > settings.cache_mb * 1_000_000:
                place.unlink(missing_ok=True)

    def size(self) -> tuple[int, int]:
        """The number of answers and their bytes."""
        sizes = []
        for place in self._files():
            with suppress(OSError):
                sizes.append(place.stat().st_size)
        return len(sizes), sum(sizes)

    def _files(self, folder: Path | None = None) -> Iterator[Path]:
        with suppress(OSError):
            yield from list(folder.iterdir() if folder is not None else self._folder.glob("*/*"))

    def _home(self, server: str) -> Path:
        return self._folder / hashlib.sha256(server.encode()).hexdigest()[:16]


def key_of(definition: str, entry: str, tool: str, arguments: JsonObject) -> str:
    """The cache key of a call: equal only for the same arguments, definition, server entry and tool."""
    said = json.dumps([definition, entry, tool, arguments], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(said.encode()).hexdigest()
