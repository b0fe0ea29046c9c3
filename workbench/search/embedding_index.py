"""Semantic similarity of each tool to a question: embeddings of its description and of questions it answered before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]


_ANSWERED = 0.9  # how much a question that a tool answered counts beside what the tool says of itself


class EmbeddingIndex:
    """The rows of all tools, then those of the questions they answered."""

    def __init__(self, reader: EmbeddingModel, told: Sequence[str], asked: Sequence[Sequence[str]]) -> None:
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


_TOLD = 300  # characters of a tool that its meaning is taken from
_MARKS = re.compile(r"[-_./:]+")


class EmbeddingModel(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """The name of the model for the user."""
        ...

    @property
    def weight(self) -> tuple[float, float]:
        """How much meaning counts beside words: in a short question, and at most."""
        ...

    def vectors(self, texts: Sequence[str]) -> Floats:
        """One row of length one for each text of an index; a text that says nothing to the reader is all zeros."""
        ...

    def vector(self, question: str) -> Floats:
        """The vector of one question."""
        ...


def embedded_text(server: str, name: str, words: str) -> str:
    """What a tool's meaning is read from."""
    server, name = (_MARKS.sub(" ", one) for one in (server, name))
    return f"{server} {name}: {words}"[:_TOLD]
