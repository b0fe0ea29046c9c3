"""Stores the text of each editor tab on disk while it is typed, so that a crash or a restart loses nothing."""

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

from msgspec import Struct, convert, to_builtins

from workbench.errors import WorkbenchError
from workbench.files import write_file

MAX_CLOSED = 20  # closed tabs that can be reopened


class Draft(Struct, frozen=True):
    """A program or text in a tab of the editor, as it is stored."""

    key: str
    title: str
    code: str
    skill: str = ""  # the skill that the program belongs to
    place: int = 0  # position of the cursor
    language: str = "python"
    file: str = ""  # where it was opened from or saved to
    saved: str = ""  # digest of the text as it was opened or saved last; empty: not known
    line_ends: str = "\n"  # of its file


class Drafts:
    """One small file per tab, replaced atomically."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._closed = folder / "closed"
        self._lock = Lock()
        self._numbers = count()
        self._newest: dict[str, int] = {}  # number of the last write, by key

    def all(self) -> tuple[Draft, ...]:
        """The open tabs in their order. Files that cannot be read are skipped and stay where they are."""
        order = {key: place for place, key in enumerate(self._order().get("keys", ()))}
        drafts = sorted(_read_all(self._folder), key=lambda entry: (order.get(entry[1].key, len(order)), entry[0]))
        return tuple(draft for _, draft in drafts)

    def front(self) -> str:
        """The key of the tab that was in front."""
        return str(self._order().get("front", ""))

    def keep(self, draft: Draft) -> None:
        """Write a draft. Raises WorkbenchError if the folder cannot be written."""
        self.writer(draft)()

    def writer(self, draft: Draft) -> Callable[[], None]:
        """A function that writes this draft, for any thread. It does nothing after a newer write or `forget`."""
        text, number = json.dumps(to_builtins(draft)), next(self._numbers)

        def write() -> None:
            with self._lock:
                if number > self._newest.get(draft.key, -1):
                    write_file(self._folder / f"{draft.key}.json", text, durable=False)
                    self._newest[draft.key] = number

        return write

    def keep_order(self, keys: Sequence[str], front: str) -> None:
        """Store the order of the tabs; a failure is ignored."""
        with contextlib.suppress(WorkbenchError):
            write_file(self._folder / "order", json.dumps({"keys": list(keys), "front": front}), durable=False)

    def forget(self, key: str) -> None:
        with self._lock:
            self._newest[key] = next(self._numbers)
            (self._folder / f"{key}.json").unlink(missing_ok=True)

    def put_away(self, key: str) -> None:
        """Move the draft of a closed tab aside; the last MAX_CLOSED can be reopened."""
        with contextlib.suppress(OSError), self._lock:
            self._newest[key] = next(self._numbers)
            self._closed.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.replace(self._folder / f"{key}.json", self._closed / f"{key}.json")
            os.utime(self._closed / f"{key}.json")
            closed = sorted(self._closed.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
            for file in closed[:-MAX_CLOSED]:
                file.unlink(missing_ok=True)

    def reopen(self) -> Draft | None:
        """Bring back the tab that was closed last."""
        newest = max(_read_all(self._closed), key=lambda entry: entry[0], default=None)
        if newest is None:
            return None
        with contextlib.suppress(OSError):
            os.replace(self._closed / f"{newest[1].key}.json", self._folder / f"{newest[1].key}.json")
        return newest[1]

    def _order(self) -> dict[str, Any]:  # Any: JSON
        with contextlib.suppress(OSError, ValueError):
            order = json.loads((self._folder / "order").read_text(encoding="utf-8"))
            if isinstance(order, dict) and isinstance(order.get("keys", []), list):
                return order
        return {}


def new_key() -> str:
    return uuid.uuid4().hex


def digest_of(text: str) -> str:
    """A hash of a text, to see later whether the text has changed."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read_all(folder: Path) -> Iterator[tuple[int, Draft]]:
    """The readable drafts of a folder with the times of their files."""
    for file in folder.glob("*.json"):
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            stored = json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))
            stored.setdefault("line_ends", stored.get("ends", "\n"))  # "ends": until version 0.1
            yield file.stat().st_mtime_ns, convert({**stored, "key": file.stem}, Draft)
