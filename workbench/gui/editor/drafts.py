"""Keeps what stands in the editor on disk while it is typed, so that a crash or a restart loses nothing."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of one tab."""

    key: str
    title: str
    code: str
    skill: str = ""
    place: int = 0  # where the cursor stood
    language: str = "python"


class Drafts:
    """One small file per tab, replaced in one step so that none is ever half written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> tuple[Draft, ...]:
        """What was open last, oldest first; a file that cannot be read is left where it is."""
        found: list[tuple[float, Draft]] = []
        for file in self._folder.glob("*.json"):
            with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
                told = json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))
                title, code, skill = (str(told[name]) for name in ("title", "code", "skill"))
                language = str(told.get("language", "python"))
                draft = Draft(file.stem, title, code, skill, int(told["place"]), language)
                found.append((file.stat().st_ctime, draft))
        return tuple(draft for _, draft in sorted(found, key=lambda pair: pair[0]))

    def keep(self, draft: Draft) -> None:
        """Raises OSError where the folder cannot be written."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        target = self._folder / f"{draft.key}.json"
        fresh = target.with_suffix(".new")
        fresh.write_text(json.dumps(asdict(draft)), encoding="utf-8")
        os.replace(fresh, target)

    def forget(self, key: str) -> None:
        (self._folder / f"{key}.json").unlink(missing_ok=True)


def new_key() -> str:
    return uuid.uuid4().hex
