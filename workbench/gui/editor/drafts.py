"""Keeps what stands in the editor on disk while it is typed, so that a crash or a restart loses nothing."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec import Struct, to_builtins

from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.gui.code.program_editor import Told

CLOSED = 20  # closed tabs that can be opened again


class Draft(Struct, frozen=True):
    """The text of one tab."""

    key: str
    title: str
    code: str
    skill: str = ""
    place: int = 0  # where the cursor stood
    language: str = "python"
    file: str = ""  # where it was opened from or saved to
    saved: str = ""  # the print of the text as it was opened or saved last; empty: not known
    steps: Told = ()  # what was changed, so that undo lives on
    ends: str = "\n"  # the line ends of its file
    ahead: Told = ()  # what was undone, so that redo lives on; the next one is the last


class Drafts:
    """One small file per tab, replaced in one step so that none is ever half written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._closed = folder / "closed"
        self._lock = Lock()
        self._numbers = count()
        self._newest: dict[str, int] = {}

    def all(self) -> tuple[Draft, ...]:
        """What was open last, in the order of its tabs; a file that cannot be read is left where it is."""
        order = {key: place for place, key in enumerate(self._order().get("keys", ()))}
        found = [*_read_all(self._folder)]
        return tuple(draft for _, draft in sorted(found, key=lambda one: (order.get(one[1].key, len(order)), one[0])))

    def front(self) -> str:
        """The key of the tab that was in front."""
        return str(self._order().get("front", ""))

    def keep(self, draft: Draft) -> None:
        """Raises a `WorkbenchError` where the folder cannot be written."""
        self.keeper(draft)()

    def keeper(self, draft: Draft) -> Callable[[], None]:
        """Keeps this draft when called, on whatever thread; after a newer one, or after the end, it does nothing."""
        text, number = json.dumps(to_builtins(draft)), next(self._numbers)

        def keep() -> None:
            with self._lock:
                if number > self._newest.get(draft.key, -1):
                    write_file(self._folder / f"{draft.key}.json", text, durable=False)
                    self._newest[draft.key] = number

        return keep

    def keep_order(self, keys: Sequence[str], front: str) -> None:
        """How the tabs stand; not worth a word where it cannot be kept."""
        with contextlib.suppress(WorkbenchError):
            write_file(self._folder / "order", json.dumps({"keys": list(keys), "front": front}), durable=False)

    def forget(self, key: str) -> None:
        with self._lock:
            self._newest[key] = next(self._numbers)
            (self._folder / f"{key}.json").unlink(missing_ok=True)

    def put_away(self, key: str) -> None:
        """A tab was closed: its text can be opened again for a while."""
        with contextlib.suppress(OSError), self._lock:
            self._newest[key] = next(self._numbers)
            self._closed.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.replace(self._folder / f"{key}.json", self._closed / f"{key}.json")
            os.utime(self._closed / f"{key}.json")
            old = sorted(self._closed.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
            for file in old[:-CLOSED]:
                file.unlink(missing_ok=True)

    def fetch_back(self) -> Draft | None:
        """The tab that was closed last; it is no closed one any more."""
        newest = max(_read_all(self._closed), key=lambda one: one[0], default=None)
        if newest is None:
            return None
        with contextlib.suppress(OSError):
            os.replace(self._closed / f"{newest[1].key}.json", self._folder / f"{newest[1].key}.json")
        return newest[1]

    def _order(self) -> dict[str, Any]:  # Any: JSON
        with contextlib.suppress(OSError, ValueError):
            told = json.loads((self._folder / "order").read_text(encoding="utf-8"))
            if isinstance(told, dict) and isinstance(told.get("keys", []), list):
                return told
        return {}


def new_key() -> str:
    return uuid.uuid4().hex


def print_of(text: str) -> str:
    """A short stand-in for a text, to see later whether it is still the same."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read_all(folder: Path) -> Iterator[tuple[int, Draft]]:
    for file in folder.glob("*.json"):
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            told = json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))
            title, code, skill = (str(told[name]) for name in ("title", "code", "skill"))
            more = {name: str(told[name]) for name in ("language", "file", "saved", "ends") if name in told}
            steps, ahead = (
                tuple((int(place), str(old), str(new)) for place, old, new in told.get(name, ()))
                for name in ("steps", "ahead")
            )
            draft = Draft(file.stem, title, code, skill, int(told["place"]), **more, steps=steps, ahead=ahead)
            yield file.stat().st_mtime_ns, draft
