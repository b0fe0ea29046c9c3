"""Reads words one after the other and says how likely each is part of a name or of an address.

A linear-chain CRF that `tools/train_names.py` fitted; here it is a file of whole numbers and some sums. A word's own
weights are worked out once and then looked up, so a text costs little more than finding its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from workbench.cancellation import check_cancelled
from workbench.numbers import load_numpy
from workbench.paths import resources
from workbench.privacy.traits import EDGE, Lists, at_distance, sort_of, traits

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]  # Any: numpy's own parameters

LABELS: Final = ("O", "B-N", "I-N", "B-A", "I-A")
DISTANCES: Final = (-2, -1, 0, 1, 2)  # of the words that are looked at for one
SCALE: Final = 32.0  # by which the weights were multiplied before they were rounded
_MOST_WORDS: Final = 20_000  # whose weights are remembered
_LISTS: Final = 3  # lines of the file that are lists of words


class Reader:
    """The model; one for the process, for it never changes. Its weights are taken apart when a text is read with it for
    the first time: most texts need no more than its lists."""

    def __init__(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").split("\n")
        self.lists = Lists(*(frozenset(line.split(" ")) for line in lines[:_LISTS]))
        self._steps: Array | None = None
        self._transitions = lines[_LISTS : _LISTS + len(LABELS)]
        # A trait's weights are a text until they are asked for; few of them ever are.
        self._weights: dict[str, str | tuple[int, ...]] = {}
        for line in lines[_LISTS + len(LABELS) :]:
            trait, _, weights = line.partition("\t")
            self._weights[trait] = weights
        self._rows: dict[str, tuple[Array, str]] = {}
        self._pairs: dict[tuple[str, str], Array] = {}
        self._adding = Lock()

    def read(self, stretches: Sequence[Sequence[str]]) -> list[Array]:
        """For each word of each stretch how likely it is part of a name, and of an address: two columns."""
        if not stretches:
            return []
        load_numpy()  # a tenth of a second, and only where prose is read
        import numpy as np

        words = [EDGE, EDGE]
        starts = []
        for stretch in stretches:
            starts.append(len(words))
            words += [*stretch, EDGE, EDGE]
        scores = self._scores(words)
        sizes = [len(stretch) for stretch in stretches]
        local = np.ones((len(sizes), max(sizes), len(LABELS)))  # of a shorter stretch the rest says nothing
        for place, (start, size) in enumerate(zip(starts, sizes, strict=True)):
            local[place, :size] = scores[start : start + size]
        both = self._marginals(local, np.array(sizes))
        found = np.stack((both[..., 1] + both[..., 2], both[..., 3] + both[..., 4]), axis=-1)
        return [found[place, :size] for place, size in enumerate(sizes)]

    def _scores(self, words: Sequence[str]) -> Array:
        """How well each label fits to each word, by the word and those beside it."""
        import numpy as np

        known = [self._known(word) for word in words]
        rows = np.array([row for row, _ in known])  # word, distance, label
        sorts = [sort for _, sort in known]
        pairs = np.array([self._pair(*pair) for pair in pairwise(sorts)])
        scores = np.zeros((len(words), len(LABELS)))
        inner = slice(2, len(words) - 2)
        for place, distance in enumerate(DISTANCES):
            scores[inner] += rows[2 + distance : len(words) - 2 + distance, place]
        scores[1:] += pairs[:, 0]
        scores[:-1] += pairs[:, 1]
        scores -= scores.max(axis=1, keepdims=True)
        scores /= SCALE
        return np.exp(scores)

    def _marginals(self, local: Array, sizes: Array) -> Array:
        """Forward and backward through the words, all stretches at once."""
        import numpy as np

        if self._steps is None:
            told = [[int(weight) for weight in line.split(" ")] for line in self._transitions]
            self._steps = np.exp(np.array(told) / SCALE)
        steps, back, longest = self._steps, self._steps.T, local.shape[1]
        ahead, behind = np.empty_like(local), np.ones_like(local)
        state = ahead[:, 0] = local[:, 0]
        for at in range(1, longest):
            state = (state @ steps) * local[:, at]
            state /= state.sum(axis=1, keepdims=True)
            ahead[:, at] = state
        for at in range(longest - 2, -1, -1):
            state = (behind[:, at + 1] * local[:, at + 1]) @ back
            state /= state.sum(axis=1, keepdims=True)
            state[sizes <= at + 1] = 1.0  # it ends here, or before
            behind[:, at] = state
        both = ahead * behind
        both /= both.sum(axis=2, keepdims=True)
        return both

    def _known(self, word: str) -> tuple[Array, str]:
        found = self._rows.get(word)
        if found is None:
            check_cancelled()
            found = (self._row(word), sort_of(word, self.lists))
            with self._adding:
                if len(self._rows) >= _MOST_WORDS:
                    self._rows.clear()
                self._rows[word] = found
        return found

    def _row(self, word: str) -> Array:
        """What a word says about itself and about each of its neighbours."""
        import numpy as np

        row = np.zeros((len(DISTANCES), len(LABELS)))
        shown = traits(word, self.lists)
        for place, distance in enumerate(DISTANCES):
            for trait in at_distance(shown, distance):
                if weights := self._weight(trait):
                    row[place] += weights
        return row

    def _weight(self, trait: str) -> tuple[int, ...]:
        """A number for each label; none where the trait says nothing."""
        found = self._weights.get(trait, ())
        if isinstance(found, str):
            found = self._weights[trait] = tuple(map(int, found.split(" "))) if found else ()
        return found

    def _pair(self, before: str, after: str) -> Array:
        """What two sorts beside each other say about the second, and about the first."""
        import numpy as np

        found = self._pairs.get((before, after))
        if found is None:
            none = (0,) * len(LABELS)
            pair = (self._weight(f"<{before} {after}") or none, self._weight(f">{before} {after}") or none)
            found = self._pairs[before, after] = np.array(pair)
        return found


@lru_cache(maxsize=1)
def reader() -> Reader:
    """The model that comes with the program, read when a capital letter is met for the first time."""
    return Reader(resources() / "privacy" / "names.txt")
