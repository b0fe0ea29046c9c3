"""What an agent has read stays with its name for a while, so that connecting anew does not wash it off.

Within one core a new connection of a name goes on with what the last one had read, values and all. Across cores only
the kinds are known (that strangers' text was read, that private data was), because values are never written down. It is
the name that a client gives itself: the model inside it cannot change that, another program can.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from workbench.broker.provenance_index import PRIVATE, UNTRUSTED, ProvenanceIndex
from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file

MOST_NAMES: Final = 200  # names of agents that are remembered; the longest silent one goes first
MOST_LETTERS: Final = 40_000_000  # of answers that are held by all names; of who goes, the kinds stay known
_LATE: Final = 60.0  # seconds by which the time that is written may be late
_NOTHING: Final = (frozenset[str](), 0.0)
_KINDS: Final = frozenset({UNTRUSTED, PRIVATE})


class SessionMemory:
    """By the agent's name; a bench and its core have one."""

    def __init__(self, file: Path | None, minutes: Callable[[], int], clock: Callable[[], float] = time.time) -> None:
        """`file`: without one nothing outlives the core. `minutes`: how long; 0 is not at all."""
        self._file = file
        self._minutes = minutes
        self._clock = clock
        self._known: dict[str, ProvenanceIndex] = {}
        self._kept = self._read()

    def of(self, name: str, fresh: ProvenanceIndex) -> ProvenanceIndex:
        """What a connection of this name has read as it begins; `fresh` where that is nothing."""
        key, since = _key(name), self._clock() - self._minutes() * 60
        before = self._known.get(key)
        if before is not None and (not before.at or before.at >= since):
            before.kinds |= fresh.kinds
            before.private_from |= fresh.private_from
            return before
        kinds, at = self._kept.get(key, _NOTHING)
        if at >= since:
            fresh.kinds |= kinds
            if PRIVATE in kinds:
                fresh.private_from |= {""}
            fresh.at = max(fresh.at, at)
        self._know(key, fresh)
        return fresh

    def keep(self, name: str, read: ProvenanceIndex) -> None:
        """Write down what kinds this name has read, and when. Not after each program: a time that is late by less than
        that changes nothing."""
        key, since = _key(name), self._clock() - self._minutes() * 60
        if (newest := self._known.get(key)) is None or newest.at < read.at:
            self._know(key, read)  # of several connections, the one that read last
        kinds, at = self._kept.get(key, _NOTHING)
        kinds = kinds if at >= since else frozenset()
        if read.at < since or (read.kinds <= kinds and read.at < at + _LATE):
            return
        self._kept[key] = (read.kinds | kinds, read.at)
        for old in sorted(self._kept, key=lambda one: self._kept[one][1])[: max(0, len(self._kept) - MOST_NAMES)]:
            del self._kept[old]
        self._write()

    def _know(self, key: str, read: ProvenanceIndex) -> None:
        self._known.pop(key, None)
        self._known[key] = read
        since = self._clock() - self._minutes() * 60
        for old in [one for one, found in self._known.items() if found.at and found.at < since and one != key]:
            del self._known[old]
        letters = sum(found.letters for found in self._known.values())
        while len(self._known) > 1 and (len(self._known) > MOST_NAMES or letters > MOST_LETTERS):
            letters -= self._known.pop(next(iter(self._known))).letters

    def _read(self) -> dict[str, tuple[frozenset[str], float]]:
        """What cannot be read says nothing of anybody."""
        try:
            found = json.loads(read_plain(self._file, "ascii")) if self._file is not None else {}
            return {str(key): (frozenset(map(str, kinds)) & _KINDS, float(at)) for key, (kinds, at) in found.items()}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return {}

    def _write(self) -> None:
        """A core must not fail for it: then a new core knows less, as if the time were over."""
        if self._file is None:
            return
        told: Mapping[str, object] = {key: (sorted(kinds), at) for key, (kinds, at) in self._kept.items()}
        with suppress(WorkbenchError):
            write_file(self._file, json.dumps(told), durable=False)


def _key(name: str) -> str:
    """The name itself may say who works on what."""
    return hashlib.sha256(" ".join(name.split()).casefold().encode("utf-8", "surrogatepass")).hexdigest()[:32]
