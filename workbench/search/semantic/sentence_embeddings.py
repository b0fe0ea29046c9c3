"""Embeds tools and questions with the sentence model, one text at a time, and caches each on disk.

Thousands of tools take a while the first time, on a thread. Finished embeddings are kept, so an index that is outdated
meanwhile can stop at once and begin anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from workbench.search.semantic.embedding_cache import EmbeddingCache
from workbench.search.semantic.sentence_model import SentenceModel

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]

_KEPT_AFTER = 200  # texts read, so that an end in the middle loses little


class OutdatedIndex(Exception):
    """Nobody waits for these rows any more."""


class SentenceEmbeddings:
    """A reader for one index; `wanted` is asked before each text."""

    name = "the sentence model"
    weight = (0.65, 0.8)

    def __init__(self, model: SentenceModel, shelf: EmbeddingCache, wanted: Callable[[], bool] = lambda: True) -> None:
        self._model = model
        self._shelf = shelf
        self._wanted = wanted

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Raises `Outdated` when they are not wanted any more."""
        import numpy

        keys = [self._shelf.key(text) for text in texts]
        rows = self._shelf.rows(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        rows |= self._read(missing)
        if not keys:
            return numpy.zeros((0, 0), numpy.float32)
        return numpy.stack([numpy.frombuffer(rows[key], numpy.float16) for key in keys]).astype(numpy.float32)

    def vector(self, question: str) -> Floats:
        return self._model.question(question)

    def _read(self, missing: dict[bytes, str]) -> dict[bytes, bytes]:
        rows: dict[bytes, bytes] = {}
        fresh: dict[bytes, bytes] = {}
        try:
            for key, text in missing.items():
                if not self._wanted():
                    raise OutdatedIndex
                fresh[key] = self._model.told(text).astype("float16").tobytes()
                if len(fresh) == _KEPT_AFTER:
                    self._shelf.keep(fresh)
                    rows |= fresh
                    fresh = {}
        finally:
            self._shelf.keep(fresh)
        return rows | fresh
