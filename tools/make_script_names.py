"""Makes `resources/privacy/script_names.txt`: names of persons in other scripts than Latin, for `names_in_scripts.py`.

The lists are those of Faker's locales (MIT) and those in `tools/script_names/own.txt`. Names that are also ordinary
words are marked: words in the translations of the package home_assistant_frontend (Apache License 2.0), which are
several hundred kilobytes of text in each language, and words of WordNet 3.0 for Latin letters. The same versions write
the same file:

    pip install Faker==40.54.0
    pip download --no-deps home_assistant_frontend==20250109.2
    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb wordnet
    python tools/make_script_names.py home_assistant_frontend-20250109.2-py3-none-any.whl wordnet/usr/share/wordnet
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from script_word_sources import json_strings

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "resources" / "privacy" / "script_names.txt"
OWN = ROOT / "tools" / "script_names" / "own.txt"

# Script: locales of Faker, languages of the translations, letters of the script.
SCRIPTS = {
    "cyrillic": ("ru_RU uk_UA bg_BG mk_MK", "ru uk bg mk", "\u0400-\u052f"),
    "greek": ("el_GR", "el", "\u0370-\u03ff\u1f00-\u1fff"),
    "arabic": ("ar_AA ar_SA ar_PS ar_DZ fa_IR", "ar fa", "\u0621-\u064a\u066e-\u06d3"),
    "hebrew": ("he_IL", "he", "\u05d0-\u05ea'"),
    "devanagari": ("hi_IN mr_IN ne_NP", "hi ne", "\u0900-\u0963\u0970-\u097f"),
    "bengali": ("bn_BD", "bn", "\u0980-\u09ff"),
    "gujarati": ("gu_IN", "gu", "\u0a80-\u0aff"),
    "georgian": ("ka_GE", "ka", "\u10d0-\u10ff"),
    "armenian": ("hy_AM", "hy", "\u0531-\u0587"),
    "japanese": ("ja_JP", "ja", "\u3041-\u30ff\u3400-\u9fff\u3005"),
    "hangul": ("ko_KR", "ko", "\uac00-\ud7a3"),
    "thai": ("th_TH", "th", "\u0e01-\u0e4e"),
}
LISTS = (("given", ("first_names",)), ("last", ("last_names",)), ("middle", ("middle_names",)))
LATIN = "en de fr es it pt pt-BR nl pl cs sv da nb nn fi hu ro tr sk sl hr et lt lv ca gl eu id vi af is"
NAMES = ROOT / "resources" / "privacy" / "names.txt"
CASED = ("cyrillic", "greek", "armenian")
FEWEST = 2  # letters of a name
_TEXT = re.compile(r"hass_frontend/static/translations/(?:[a-z_/-]+/)?([A-Za-z-]+)-[0-9a-f]+\.json")


def main(wheel: str, wordnet: str) -> None:
    """Write the lists."""
    names = _own()
    for script, (locales, _, letters) in SCRIPTS.items():
        for title, attributes in LISTS:
            for locale in locales.split():
                for attribute in attributes:
                    names[script, title].update(_words(_faker(locale, attribute), letters))
    texts = _texts(wheel)
    lines = []
    for (script, title), found in sorted(names.items()):
        if title == "drop":
            lines.append(f"{script} drop {' '.join(sorted(found))}")
        if title in ("ordinary", "drop") or script == "chinese":
            continue
        names_of_list = {word for word in found if len(word) >= FEWEST or script in ("japanese", "hangul")}
        names_of_list -= names.get((script, "drop"), set())
        ordinary = _ordinary(script, texts)
        words = names_of_list & ordinary
        lines.append(f"{script} {title} {' '.join(sorted(names_of_list - words))}")
        lines.append(f"{script} {title}_words {' '.join(sorted(words))}")
    lines += _chinese(names, texts)
    lines.append(f"latin ordinary {' '.join(sorted(_latin(texts, Path(wordnet))))}")
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _own() -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for line in OWN.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            script, title, *words = line.split()
            found[script, title].update(words)
    return found


def _faker(locale: str, attribute: str) -> Iterator[str]:
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    yield from getattr(provider, attribute, ())


def _words(names: Iterator[str], letters: str) -> Iterator[str]:
    """The words of names, without marks of vowels."""
    for name in names:
        yield from re.findall(f"[{letters}]{{{FEWEST},}}", re.sub("[\u064b-\u0652\u200d]", "", name))


def _texts(wheel: str) -> dict[str, str]:
    """The translations of each language."""
    found: dict[str, list[str]] = defaultdict(list)
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if match := _TEXT.fullmatch(name):
                found[match[1]] += json_strings(json.loads(archive.read(name)))
    return {language: "\n".join(texts) for language, texts in found.items()}


def _ordinary(script: str, texts: dict[str, str]) -> set[str]:
    """The words of the translations; with capitals only if they also occur without."""
    _, languages, letters = SCRIPTS[script]
    text = "\n".join(texts.get(language, "") for language in languages.split())
    words = set(re.findall(f"[{letters}]+", text))
    if script in ("japanese", "hangul", "thai"):  # parts of longer runs
        parts = {run[at : at + size] for run in words for size in (1, 2, 3, 4) for at in range(len(run))}
        return words | parts
    if script in CASED:
        return {word.capitalize() for word in words if word[0].islower()}
    return words


def _latin(texts: dict[str, str], wordnet: Path) -> set[str]:
    """Names of the lists of the model that are ordinary words of some language, folded."""
    names, last, common = (set(line.split()) for line in NAMES.read_text(encoding="utf-8").split("\n")[:3])
    text = "\n".join(texts.get(language, "") for language in LATIN.split())
    words = set(re.findall(r"(?<![\w'])[^\W\d_A-Z]{2,24}(?![\w'])", text))
    for part in ("noun", "verb", "adj", "adv"):
        lines = (wordnet / f"data.{part}").read_text(encoding="ascii").splitlines()
        words.update(
            word
            for line in lines
            if line[0] != " "
            for word in re.findall(r"(?<= )([a-z]{3,24}) [0-9a-f](?= )", line.partition("|")[0])
        )
    folded = {"".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c)) for word in words}
    return (folded & (names | last)) - common


def _chinese(names: dict[tuple[str, str], set[str]], texts: dict[str, str]) -> Iterator[str]:
    """Last names, letters of given names, and pairs of letters that begin like a name and are ordinary."""
    last = names["chinese", "last"]
    for locale in ("zh_CN", "zh_TW"):
        last.update(name for name in _faker(locale, "last_names") if len(name) == FEWEST)
    letters = set("".join(names["chinese", "letters"]))
    for locale in ("zh_CN", "zh_TW"):
        letters.update("".join(_faker(locale, "first_names")))
    letters = {letter for letter in letters if letter >= "\u3400"}
    text = texts["zh-Hans"] + "\n" + texts["zh-Hant"]
    pairs = {text[at : at + 2] for at in range(len(text) - 1)}
    known = {pair for pair in pairs if pair[:1] in last | letters and pair[1:] in letters}
    known |= names["chinese", "ordinary"]
    yield f"chinese last {' '.join(sorted(last))}"
    yield f"chinese letters {' '.join(sorted(letters))}"
    yield f"chinese ordinary {' '.join(sorted(known))}"


if __name__ == "__main__":
    main(*sys.argv[1:])
