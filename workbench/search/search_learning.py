"""Learns from use: after which questions a tool ran, and which tools ran in one program.

Lessons are appended as JSON lines, so that nothing is lost when a core is killed. Questions are masked before they are
kept. Only calls that succeeded teach; each tool keeps its newest questions.
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

Name = tuple[str, str]  # server and tool

_QUESTIONS = 30  # kept of one tool; more add nothing to the ranking
_LETTERS = 200  # of one question
_TOOLS = 8  # of one program: longer lists say little about each pair
_LINES = 20_000  # after so many the file is written anew, without what was dropped
_LARGEST = 16 << 20


class SearchLearning:
    """Read once, when first needed; `allowed` is asked each time whether anything is learned or used at all."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._asked: dict[Name, deque[str]] = defaultdict(lambda: deque(maxlen=_QUESTIONS))
        self._together: dict[Name, Counter[Name]] = defaultdict(Counter)
        self._lines = 0
        self._loaded = False

    def ran_after(self, question: str, server: str, tool: str) -> bool:
        """A tool was found by this question and then ran. Answers whether that is news."""
        words = " ".join(question.split())[:_LETTERS]
        self.load()
        if not words or words in self._asked[server, tool]:
            return False
        self._asked[server, tool].append(words)
        self._append({"asked": words, "tool": [server, tool]})
        return True

    def ran_together(self, tools: Iterable[Name]) -> None:
        """The tools that one program called with success."""
        some = sorted(set(tools))
        if 1 < len(some) <= _TOOLS:
            self.load()
            self._pair(some)
            self._append({"together": some})

    def questions(self, server: str, tool: str) -> tuple[str, ...]:
        """The questions a tool answered, for the ranking."""
        self.load()
        return tuple(self._asked.get((server, tool), ()))

    def companions(self, server: str, tool: str, most: int = 3) -> tuple[Name, ...]:
        """The tools that most often ran in the same programs, at least twice."""
        return tuple(name for name, _ in self.often_with(server, tool)[:most])

    def often_with(self, server: str, tool: str) -> list[tuple[Name, int]]:
        """Likewise, each with the number of programs."""
        self.load()
        often = self._together.get((server, tool), Counter())
        return [(name, times) for name, times in sorted(often.items(), key=lambda one: (-one[1], one[0])) if times > 1]

    def forget(self) -> None:
        """Everything that was learned."""
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
        """Lines that are cut or of another format are ignored."""
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
            log.warning("what the search has learned cannot be kept: %s", fault)

    def _write_anew(self) -> None:
        """Every question once more, and every pair as often as it ran together, halved: old habits fade."""
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
