"""Learns from use: the questions that found a tool before it ran, and the tools that ran in one program.

Lessons are appended as JSON lines, so that nothing is lost if a core is killed. Questions are masked before they are
stored. Only successful calls count. Each tool keeps its newest questions.
"""

from __future__ import annotations

import json
import logging
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workbench.files import read_plain

log = logging.getLogger(__name__)

Name = tuple[str, str]  # (server, tool)

_QUESTIONS = 30  # maximum number of questions per tool; more do not improve the ranking
_LETTERS = 200  # maximum number of characters per question
_TOOLS = 8  # maximum number of tools per program; longer lists say little about each pair
_LINES = 20_000  # number of lines after which the file is rewritten without dropped entries
_LARGEST = 16 << 20


class SearchLearning:
    """Stores and returns lessons. The file is read once, on first use."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._asked: dict[Name, deque[str]] = defaultdict(lambda: deque(maxlen=_QUESTIONS))
        self._together: dict[Name, Counter[Name]] = defaultdict(Counter)
        self._lines = 0
        self._loaded = False

    def ran_after(self, question: str, server: str, tool: str) -> bool:
        """Record that a question found a tool that then ran. Returns whether this is new."""
        words = " ".join(question.split())[:_LETTERS]
        self.load()
        if not words or words in self._asked[server, tool]:
            return False
        self._asked[server, tool].append(words)
        self._append({"asked": words, "tool": [server, tool]})
        return True

    def ran_together(self, tools: Iterable[Name]) -> None:
        """Record the tools that one program called successfully."""
        some = sorted(set(tools))
        if 1 < len(some) <= _TOOLS:
            self.load()
            self._pair(some)
            self._append({"together": some})

    def questions(self, server: str, tool: str) -> tuple[str, ...]:
        """Return the past questions of a tool, for the ranking."""
        self.load()
        return tuple(self._asked.get((server, tool), ()))

    def companions(self, server: str, tool: str, most: int = 3) -> tuple[Name, ...]:
        """Return the tools that most often ran in the same programs, at least twice."""
        return tuple(name for name, _ in self.often_with(server, tool)[:most])

    def often_with(self, server: str, tool: str) -> list[tuple[Name, int]]:
        """Return the tools that ran in the same programs at least twice, each with the number of programs."""
        self.load()
        often = self._together.get((server, tool), Counter())
        return [(name, times) for name, times in sorted(often.items(), key=lambda one: (-one[1], one[0])) if times > 1]

    def forget(self) -> None:
        """Delete everything that was learned."""
        self._asked.clear()
        self._together.clear()
        self._lines, self._loaded = 0, True
        self._file.unlink(missing_ok=True)

    def load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        try:
            text = read_plain(self._file, largest=_LARGEST)
        except FileNotFoundError:
            return
        except (OSError, UnicodeDecodeError) as fault:
            log.warning("what the search has learned cannot be read: %s", fault)
            return
        for line in text.splitlines():
            self._lines += 1
            self._learn_line(line)

    def _learn_line(self, line: str) -> None:
        """Read one lesson. Truncated lines and lines of a different format are ignored."""
        try:
            lesson = json.loads(line)
            if "asked" in lesson:
                server, tool = lesson["tool"]
                self._asked[str(server), str(tool)].append(str(lesson["asked"])[:_LETTERS])
            else:
                self._pair([(str(server), str(tool)) for server, tool in lesson["together"]][:_TOOLS])
        except (ValueError, TypeError, KeyError):
            return

    def _pair(self, tools: list[Name]) -> None:
        for one in tools:
            self._together[one].update(other for other in tools if other != one)

    def _append(self, lesson: dict[str, Any]) -> None:  # Any: JSON
        self._lines += 1
        try:
            if self._lines > _LINES:
                self._write_anew()
                return
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(lesson, ensure_ascii=False) + "\n")
        except OSError as fault:
            log.warning("what the search has learned cannot be saved: %s", fault)

    def _write_anew(self) -> None:
        """Rewrite the file with every question once, and half the runs of each pair, so that old use fades."""
        lines = [{"asked": words, "tool": name} for name, all_words in self._asked.items() for words in all_words]
        pairs = [
            {"together": [one, other]}
            for one, often in self._together.items()
            for other, times in often.items()
            if one < other
            for _ in range(min(times // 2, 50))
        ]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [*lines, *pairs])
        fresh = self._file.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self._file)
        self._lines = len(lines) + len(pairs)
