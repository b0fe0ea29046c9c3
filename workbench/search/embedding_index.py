"""How near each tool is to a question in meaning: what it says of itself, or the nearest question that it answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.search.embedding_model import Reader

if TYPE_CHECKING:
    from workbench.search.embedding_model import Floats

_ANSWERED = 0.9  # how much a question that a tool answered counts beside what the tool says of itself


class Meant:
    """The rows of all tools, then those of the questions they answered."""

    def __init__(self, reader: Reader, told: Sequence[str], asked: Sequence[Sequence[str]]) -> None:
        import numpy

        self.reader = reader
        self._count = len(told)
        self._rows = reader.vectors([*told, *(question for questions in asked for question in questions)])
        self._owners = numpy.repeat(numpy.arange(len(asked)), [len(questions) for questions in asked])

    def near(self, question: str) -> Floats:
        """The cosine of every entry."""
        import numpy

        found = self._rows @ self.reader.vector(question)
        near: Floats = found[: self._count]
        if len(self._owners):
            numpy.maximum.at(near, self._owners, _ANSWERED * found[self._count :])
        return near
