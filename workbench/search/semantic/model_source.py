"""Opens the sentence model for the search, where it was built and is switched on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.search.semantic.embedding_cache import EmbeddingCache
from workbench.search.semantic.sentence_embeddings import SentenceEmbeddings
from workbench.search.semantic.sentence_model import NAME, SentenceModel, built_at

log = logging.getLogger(__name__)


class SentenceModelSource:
    """`models` is the folder of what was built, `file` where its rows are kept; `allowed` is asked each time."""

    def __init__(self, models: Path, file: Path, allowed: Callable[[], bool]) -> None:
        self._folder = models / NAME
        self._file = file
        self._allowed = allowed
        self._model: SentenceModel | None = None
        self._built: float = 0.0  # when the model that was opened last, or that could not be, was built
        self.trouble = ""  # why one that is there cannot be used

    def there(self) -> bool:
        """Cheap enough for every question: a model may be built while the core runs."""
        built = built_at(self._folder)
        return bool(built) and self._allowed() and not (self.trouble and built == self._built)

    def built(self) -> bool:
        return bool(built_at(self._folder))

    def open(self, wanted: Callable[[], bool]) -> SentenceEmbeddings | None:
        """Beside the loop: the first time this reads the model."""
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
