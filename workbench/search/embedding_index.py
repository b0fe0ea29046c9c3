"""Semantic similarity of each tool to a question, from embeddings of its description and of its past questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]


_ANSWERED = 0.9  # weight of a past question compared with the tool's own description


class EmbeddingIndex:
    """Matrix with the embeddings of all tools, followed by those of their past questions."""

    def __init__(self, reader: EmbeddingModel, told: Sequence[str], asked: Sequence[Sequence[str]]) -> None:
        import numpy

        self.reader = reader
        self._count = len(told)
        self._rows = reader.vectors([*told, *(question for questions in asked for question in questions)])
        self._owners = numpy.repeat(numpy.arange(len(asked)), [len(questions) for questions in asked])

    def similarities(self, question: str) -> Floats:
        """Return the cosine similarity of every entry."""
        import numpy

        found = self._rows @ self.reader.vector(question)
        near: Floats = found[: self._count]
        if len(self._owners):
            numpy.maximum.at(near, self._owners, _ANSWERED * found[self._count :])
        return near


_TOLD = 300  # maximum number of characters of a tool that are embedded
_MARKS = re.compile(r"[-_./:]+")


class EmbeddingModel(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """The name of the model for the user."""
        ...

    @property
    def weight(self) -> tuple[float, float]:
        """Weight of semantic similarity compared with words: minimum (short questions) and maximum."""
        ...

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Return one row of length one for each text of an index. A text without known words gives zeros."""
        ...

    def vector(self, question: str) -> Floats:
        """Return the vector of one question."""
        ...


def embedded_text(server: str, name: str, words: str) -> str:
    """Return the text of a tool that is embedded."""
    server, name = (_MARKS.sub(" ", one) for one in (server, name))
    return f"{server} {name}: {words}"[:_TOLD]
