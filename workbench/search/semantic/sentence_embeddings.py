"""Embeds tools and questions with the sentence model, one text at a time, and caches each embedding on disk.

Thousands of tools take a while the first time, on a thread. Finished embeddings are stored, so an outdated index can
stop at once and start again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from workbench.errors import WorkbenchError
from workbench.search.semantic.embedding_cache import EmbeddingCache
from workbench.search.semantic.sentence_model import NAME, SentenceModel, built_at

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]

_KEPT_AFTER = 200  # number of texts between two writes to the cache, so that an interruption loses little


class OutdatedIndex(Exception):
    """Raised when the index that needs these embeddings is outdated."""


class SentenceEmbeddings:
    """Embedding model for one index. `wanted` is called before each text."""

    name = "the sentence model"
    weight = (0.65, 0.8)

    def __init__(self, model: SentenceModel, shelf: EmbeddingCache, wanted: Callable[[], bool] = lambda: True) -> None:
        self._model = model
        self._shelf = shelf
        self._wanted = wanted

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Return one row per text. Raises OutdatedIndex if `wanted` returns False."""
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
                fresh[key] = self._model.embed(text).astype("float16").tobytes()
                if len(fresh) == _KEPT_AFTER:
                    self._shelf.keep(fresh)
                    rows |= fresh
                    fresh = {}
        finally:
            self._shelf.keep(fresh)
        return rows | fresh


# ── Opening the model if it is built and enabled ────────────────────────────────────────────────────────
log = logging.getLogger(__name__)


class SentenceModelSource:
    """Opens the sentence model. `models`: folder of built models; `file`: the cache; `allowed`: called on every use."""

    def __init__(self, models: Path, file: Path, allowed: Callable[[], bool]) -> None:
        self._folder = models / NAME
        self._file = file
        self._allowed = allowed
        self._model: SentenceModel | None = None
        self._built: float = 0.0  # build time of the last model that was opened, or failed to open
        self.trouble = ""  # why an existing model cannot be used

    def there(self) -> bool:
        """Return whether a usable model exists.

        Fast enough for every question: a model may be built while the core runs."""
        built = built_at(self._folder)
        return bool(built) and self._allowed() and not (self.trouble and built == self._built)

    def built(self) -> bool:
        return bool(built_at(self._folder))

    def open(self, wanted: Callable[[], bool]) -> SentenceEmbeddings | None:
        """Open the model, or return None. The first call reads the model, so call it on a thread."""
        if not self.there():
            return None
        built = built_at(self._folder)
        if self._model is None or built != self._built:
            self._model, self.trouble, self._built = None, "", built
            try:
                self._model = SentenceModel(self._folder)
            except WorkbenchError as fault:
                self.trouble = str(fault)
                log.warning("the sentence model is not used: %s", fault)
                return None
        return SentenceEmbeddings(self._model, EmbeddingCache(self._file, self._model.digest), wanted)
