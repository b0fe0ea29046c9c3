"""What reads meaning: it turns texts into rows of numbers whose products say how near they are.

There are two: the word vectors that come with the app, and the sentence model that a person may build.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]

_TOLD = 300  # characters of a tool that its meaning is taken from
_MARKS = re.compile(r"[-_./:]+")


class Reader(Protocol):
    """One way to read."""

    @property
    def name(self) -> str:
        """As a person is told of it."""
        ...

    @property
    def weight(self) -> tuple[float, float]:
        """How much meaning counts beside words: in a short question, and at most."""
        ...

    def vectors(self, texts: Sequence[str]) -> Floats:
        """One row of length one for each text of an index; a text that says nothing to the reader is all zeros."""
        ...

    def vector(self, question: str) -> Floats:
        """The row of one question."""
        ...


def told_of(server: str, name: str, words: str) -> str:
    """What a tool's meaning is read from."""
    server, name = (_MARKS.sub(" ", one) for one in (server, name))
    return f"{server} {name}: {words}"[:_TOLD]
