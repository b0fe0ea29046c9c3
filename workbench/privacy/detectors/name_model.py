"""Linear-chain CRF (conditional random field): how likely each word is part of a name or an address, by word features.

`tools/train_names.py` trains the model, which is stored as a file of integers. The weights of a word are computed once
and then looked up, so reading a text costs little more than splitting it into words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from workbench.numpy_loading import load_numpy
from workbench.paths import resources
from workbench.privacy.detectors.word_filter import KINDS as FILTER_KINDS
from workbench.privacy.detectors.word_filter import word_filter
from workbench.thread_cancellation import check_cancelled

EDGE = "\1"  # before the first and after the last word of a stretch
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|\n+|\0+|[^\w\s]|_")

_STREET_WORDS = """
street st avenue ave road rd lane ln drive dr boulevard blvd court ct square sq way place pl highway hwy parkway pkwy
terrace suite ste apt apartment unit flat floor box strasse straße gasse weg platz allee rue via viale piazza calle
avenida rua ulica ul laan straat plein gracht gatan vägen vej plaza route chemin quai paseo carrer close crescent grove
gardens mews row walk hill circle trail loop pike po b.p
"""
_STREET = frozenset(_STREET_WORDS.split())
_STREET_END = re.compile(
    r"..(?:stra(?:ß|ss)e|str|gasse|weg|allee|platz|ufer|damm|laan|straat|gracht|plein|kade|dijk|gatan|gata|vägen|vägen"
    r"|veien|vej|gade|katu|tie|utca)\Z"
)
_TITLES_WORDS = """
mr mrs ms miss mx dr prof professor sir lady doctor herr herrn frau mme mlle monsieur madame docteur sr sra señor señora
signor signora signore dott dottor dottoressa meneer mevrouw mevr pan pani państwo senhor senhora dona
"""
_TITLES = frozenset(_TITLES_WORDS.split())
_LONGEST = 30  # characters of a word that are used
_MARKS = {"\n": "newline", "\0": "token", EDGE: "edge"}


@dataclass(frozen=True, slots=True)
class WordLists:
    """Lists of first names, last names and ordinary words, folded."""

    first: AbstractSet[str]
    last: AbstractSet[str]
    common: AbstractSet[str]

    def of(self, word: str) -> str:
        """One letter for each list that contains the word, or a part of it between hyphens. Endings of English words
        that are no names do not count."""
        word = _SHORTENED.sub("", word) if "'" in word or "’" in word else word
        parts = word.split("-") if "-" in word else (word,)
        found = "".join(
            letter
            for letter, known in (("F", self.first), ("L", self.last), ("C", self.common))
            if word in known or any(part in known for part in parts)
        )
        return found or ("C" if any(map(self._is_derived, parts)) else "")

    def _is_derived(self, word: str) -> bool:
        """Whether a word is formed from an ordinary one: `copies`, or a German compound such as `Schlüsselübergabe`,
        whose last part is listed as `-ubergabe`."""
        if not self.common.isdisjoint(stems(word)):
            return True
        return any(f"-{word[at:]}" in self.common for at in range(_FEWEST_OF_PART, len(word) - 2))


_SHORTENED = re.compile(r"['’](?:s|re|ll|ve|d|m|t)\Z")
_CASE_ENDINGS = ("ului", "owi", "ovi", "ego", "iem", "em", "om", "ei", "a", "e", "i", "u", "y", "o", "s", "n", "t")
_FEWEST_OF_NAME: Final = 4  # letters of a name before such an ending


def is_in_case(word: str, lists: WordLists) -> bool:
    """Whether a word without the ending of a case is a name: `zvonimira`, `duda` for "Dudą"."""
    for ending in _CASE_ENDINGS:
        if word.endswith(ending) and len(stem := word[: -len(ending)]) >= _FEWEST_OF_NAME:
            forms = (stem, f"{stem}a", f"{stem}o")
            if any(form in lists.first or form in lists.last for form in forms):
                return True
    return False


@lru_cache(maxsize=16_384)
def evidence(word: str) -> str:
    """One letter for each kind of words in the filter that contains a folded word, or a part of it between hyphens."""
    known = word_filter()
    if "'" in word or "’" in word:
        word = _SHORTENED.sub("", word)
    forms = (word, *word.split("-")) if "-" in word else (word,)
    return "".join(kind for kind in FILTER_KINDS if any(known.has(kind, form) for form in forms))


_ENDINGS = (
    ("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("ing", ("", "e")), ("ed", ("", "e")), ("ly", ("",)),
    ("ers", ("", "e")), ("er", ("", "e")), ("ors", ("", "e")), ("or", ("", "e")), ("ness", ("",)), ("able", ("", "e")),
)  # fmt: skip
_FEWEST_OF_STEM: Final = 3  # letters
_FEWEST_OF_PART: Final = 3  # letters before the last part of a compound
_PREFIX = re.compile(r"(?:un|re|sub|co|pre|non|multi|micro|over|under|mis|dis|de|inter|super|auto)(?=[a-z]{5})")


def stems(word: str) -> set[str]:
    """The English words from which a word may be derived: of `copies`, `copy`; of `reloaded`, `reload` and `load`."""
    found: set[str] = set()
    for ending, others in _ENDINGS:
        if word.endswith(ending) and len(stem := word[: -len(ending)]) >= _FEWEST_OF_STEM:
            found.update(stem + other for other in others)
            if stem[-1] == stem[-2] and ending in ("ing", "ed", "er", "ers"):
                found.add(stem[:-1])
    if prefix := _PREFIX.match(word):
        found |= {word[prefix.end() :], *(stem[prefix.end() :] for stem in found)}
    return found


@lru_cache(maxsize=16_384)
def folded(word: str) -> str:
    """A word as in the lists: lower case without accents."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def shape(word: str) -> str:
    """The shape of a word: its case, the length of a number, or the sign itself."""
    if word.isdigit():
        return f"d{min(len(word), 7)}"
    if not word[0].isalnum():
        return _MARKS.get(word[0], word[0])
    if any(map(str.isdigit, word)):
        return "xd" if word[0].isalpha() else "dx"
    if word.isupper():
        return "X" if len(word) == 1 else "XX"
    if word[0].isupper():
        return "Xx" if word[1:].islower() else "X-x" if "-" in word or word[1] in "'’cao" else "XxX"
    return "x" if word.islower() else "xX"


def is_title(word: str) -> bool:
    """Whether a word is a form of address: `Mrs`, `Herr`."""
    return word.lower() in _TITLES


def names_street(word: str) -> bool:
    """Whether a word occurs in names of streets: `Avenue`, `Lindenstraße`."""
    small = word.lower()
    return small in _STREET or _STREET_END.search(small) is not None


def word_class(word: str, lists: WordLists) -> str:
    """The feature that is combined with those of the neighbouring words."""
    kind = "S" if names_street(word) else "T" if is_title(word) else ""
    return f"{shape(word)}{_known(folded(word), lists) or '-'}{kind}"


def _known(small: str, lists: WordLists) -> str:
    """One letter for each list with a folded word, and for what the filter of words says of it."""
    if not small[:1].isalpha():
        return ""
    found = lists.of(small)
    if not found and is_in_case(small, lists):
        found = "k"
    return found + evidence(small)


def word_features(word: str, lists: WordLists) -> tuple[str, ...]:
    """The features of a word for itself and for its neighbours."""
    small = folded(word[:_LONGEST])
    form, known = shape(word), _known(small, lists)
    found = [
        "bias",
        f"w{small if form[0] in 'Xx' and word[0].isalpha() else form}",
        f"s{form}",
        f"g{known}",
        f"sg{form}{known}",
    ]
    if word.lower() in _STREET:
        found.append("street")
    elif _STREET_END.search(word.lower()):
        found.append("streetend")
    if is_title(word):
        found.append("title")
    if form[0] in "Xx" and len(small) > 2:
        found += [f"e{small[-4:]}", f"e{small[-3:]}", f"e{small[-2:]}", f"b{small[:3]}", f"l{min(len(small), 9)}"]
    return tuple(found)


def features_at_distance(found: tuple[str, ...], distance: int) -> tuple[str, ...]:
    """The features of a word for a word at this distance."""
    if distance == 0:
        return found
    kept = found[1:4] if abs(distance) == 2 else tuple(one for one in found[1:] if one[0] not in "ebl")
    return tuple(f"{distance}{one}" for one in kept)


if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]  # Any: numpy's own parameters

LABELS: Final = ("O", "B-N", "I-N", "B-A", "I-A", "E")  # E: other entities, such as organisations
DISTANCES: Final = (-2, -1, 0, 1, 2)  # distances of the words whose features count for a word
SCALE: Final = 32.0  # factor of the rounded weights
_MOST_WORDS: Final = 20_000  # words whose weights are cached
_LISTS: Final = 3  # lines of the model file with word lists


class NameModel:
    """The model; one per process, as it never changes. Its weights are parsed when they are first needed, because most
    texts need only its word lists."""

    def __init__(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").split("\n")
        self.lists = WordLists(*(frozenset(line.split(" ")) for line in lines[:_LISTS]))
        self._steps: Array | None = None
        self._transitions = lines[_LISTS : _LISTS + len(LABELS)]
        # Weights of a feature stay text until they are needed; most never are.
        self._weights: dict[str, str | tuple[int, ...]] = {}
        for line in lines[_LISTS + len(LABELS) :]:
            trait, _, weights = line.partition("\t")
            self._weights[trait] = weights
        self._rows: dict[str, tuple[Array, str]] = {}
        self._pairs: dict[tuple[str, str], Array] = {}
        self._adding = Lock()

    def read(self, stretches: Sequence[Sequence[str]]) -> list[Array]:
        """The probabilities that each word of each stretch is part of a name, of an address, and of another entity such
        as an organisation, as three columns."""
        if not stretches:
            return []
        load_numpy()  # takes 0.1 s, needed for prose only
        import numpy as np

        words = [EDGE, EDGE]
        starts = []
        for stretch in stretches:
            starts.append(len(words))
            words += [*stretch, EDGE, EDGE]
        scores = self._scores(words)
        sizes = [len(stretch) for stretch in stretches]
        local = np.ones((len(sizes), max(sizes), len(LABELS)))  # neutral after the end of shorter stretches
        for place, (start, size) in enumerate(zip(starts, sizes, strict=True)):
            local[place, :size] = scores[start : start + size]
        both = self._marginals(local, np.array(sizes))
        found = np.stack((both[..., 1] + both[..., 2], both[..., 3] + both[..., 4], both[..., 5]), axis=-1)
        return [found[place, :size] for place, size in enumerate(sizes)]

    def _scores(self, words: Sequence[str]) -> Array:
        """The score of each label for each word, by the word and its neighbours."""
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
        """The forward-backward algorithm, for all stretches at once."""
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
            state[sizes <= at + 1] = 1.0  # the stretch ends here or before
            behind[:, at] = state
        both = ahead * behind
        both /= both.sum(axis=2, keepdims=True)
        return both

    def _known(self, word: str) -> tuple[Array, str]:
        found = self._rows.get(word)
        if found is None:
            check_cancelled()
            found = (self._row(word), word_class(word, self.lists))
            with self._adding:
                if len(self._rows) >= _MOST_WORDS:
                    self._rows.clear()
                self._rows[word] = found
        return found

    def _row(self, word: str) -> Array:
        """The weights that a word contributes to itself and to each neighbour."""
        import numpy as np

        row = np.zeros((len(DISTANCES), len(LABELS)))
        shown = word_features(word, self.lists)
        for place, distance in enumerate(DISTANCES):
            for trait in features_at_distance(shown, distance):
                if weights := self._weight(trait):
                    row[place] += weights
        return row

    def _weight(self, trait: str) -> tuple[int, ...]:
        """The weight of each label; empty if the feature has none."""
        found = self._weights.get(trait, ())
        if isinstance(found, str):
            found = self._weights[trait] = tuple(map(int, found.split(" "))) if found else ()
        return found

    def _pair(self, before: str, after: str) -> Array:
        """The weights of two neighbouring features for the second and for the first word."""
        import numpy as np

        found = self._pairs.get((before, after))
        if found is None:
            none = (0,) * len(LABELS)
            pair = (self._weight(f"<{before} {after}") or none, self._weight(f">{before} {after}") or none)
            found = self._pairs[before, after] = np.array(pair)
        return found


@lru_cache(maxsize=1)
def name_model() -> NameModel:
    """The installed model, loaded when the first text needs it."""
    return NameModel(resources() / "privacy" / "names.txt")


@lru_cache(maxsize=16_384)
def listed(word: str) -> str:
    """One letter for each list of the installed model that contains a word: F, L, C."""
    return name_model().lists.of(folded(word))
