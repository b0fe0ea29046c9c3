"""Finds places in a program: plain words here, regular expressions in a process of their own that can be ended.

Python's regular expressions cannot be interrupted, and some take longer than the sun will shine. Those that a person
types run beside the window, for a second or two at most, so the window never waits for one.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, replace
from typing import TypeAlias

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

SECONDS = 2.0
MOST = 50_000  # hits of one search
Hit: TypeAlias = tuple[int, int, str]
"""From, to, and what would stand there instead; in Python's counting."""

_PROGRAM = """
import json, re, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
wish = json.loads(sys.stdin.buffer.read())
flags = re.MULTILINE | (0 if wish["case"] else re.IGNORECASE)
try:
    words = "\\\\b(?:" + wish["words"] + ")\\\\b" if wish["whole"] else wish["words"]
    re.compile(wish["words"])
    sought = re.compile(words, flags)
    found, instead = [], wish["instead"]
    for match in sought.finditer(wish["text"], wish["start"], wish["end"]):
        if len(found) >= wish["most"]:
            break
        found.append((match.start(), match.end(), match.expand(instead)))
    told = {"hits": found}
except (re.error, IndexError, OverflowError, RecursionError, MemoryError) as fault:
    told = {"fault": str(fault) or "it needs too much memory"}
sys.stdout.buffer.write(json.dumps(told).encode())
"""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is looked for, and what would stand there instead."""

    words: str
    instead: str = ""
    regex: bool = False
    case: bool = False
    whole: bool = False
    start: int = 0
    end: int = -1  # -1: to the end of the text


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to; with a fault there are no hits."""

    wish: Wish
    text: str
    hits: tuple[Hit, ...] = ()
    fault: str = ""


def plain_hits(text: str, wish: Wish) -> tuple[Hit, ...]:
    """Where words stand as they are; no text can make this slow."""
    if not wish.words:
        return ()
    words = re.escape(wish.words)
    if wish.whole:
        words = rf"(?<!\w){words}(?!\w)"
    end = len(text) if wish.end < 0 else wish.end
    found: list[Hit] = []
    for match in re.compile(words, 0 if wish.case else re.IGNORECASE).finditer(text, wish.start, end):
        found.append((match.start(), match.end(), wish.instead))
        if len(found) >= MOST:
            break
    return tuple(found)


class Search(QObject):
    """Only the answer to the latest wish is told."""

    found = Signal(object)
    """Carries a Found."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._asked: Found | None = None
        self._late = QTimer(self, singleShot=True, interval=round(SECONDS * 1000))
        self._late.timeout.connect(self._too_late)

    def seek(self, text: str, wish: Wish) -> None:
        self.stop()
        if not wish.regex or not wish.words:
            self.found.emit(Found(wish, text, plain_hits(text, wish)))
            return
        self._asked = Found(wish, text)
        process = self._process = QProcess(self)
        process.finished.connect(self._ended)
        process.errorOccurred.connect(self._broken)
        process.start(sys.executable, ["-I", "-S", "-c", _PROGRAM])
        told = {name: getattr(wish, name) for name in ("words", "instead", "case", "whole", "start")}
        told |= {"text": text, "end": len(text) if wish.end < 0 else wish.end, "most": MOST}
        process.write(json.dumps(told).encode())
        process.closeWriteChannel()
        self._late.start()

    def stop(self) -> None:
        """Nothing is sought any more; its process is gone when this returns."""
        self._late.stop()
        process, self._process = self._process, None
        self._asked = None
        if process is not None:
            process.finished.disconnect(self._ended)
            process.errorOccurred.disconnect(self._broken)
            process.kill()
            process.waitForFinished(1000)
            process.deleteLater()

    def _ended(self) -> None:
        process, asked = self._process, self._asked
        if process is None or asked is None:
            return
        told = bytes(process.readAllStandardOutput().data())
        self.stop()
        try:
            answer = json.loads(told)
        except ValueError:
            answer = {"fault": "it ended without an answer"}
        if "fault" in answer:
            self.found.emit(replace(asked, fault=f"No regular expression: {answer['fault']}."))
        else:
            self.found.emit(replace(asked, hits=tuple((a, b, words) for a, b, words in answer["hits"])))

    def _broken(self) -> None:
        if self._asked is not None:
            asked = self._asked
            self.stop()
            self.found.emit(replace(asked, fault="The search could not be started."))

    def _too_late(self) -> None:
        if self._asked is not None:
            asked = self._asked
            self.stop()
            words = "This regular expression takes too long; it was stopped after {0:g} seconds."
            self.found.emit(replace(asked, fault=words.format(SECONDS)))
