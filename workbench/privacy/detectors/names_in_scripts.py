"""Detects names of persons in prose in other scripts than Latin: by lists, titles, endings and greetings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from workbench.privacy.detectors.names_cased import find_cased_names
from workbench.privacy.detectors.names_caseless import find_caseless_names
from workbench.privacy.detectors.names_east_asian import (
    find_chinese_names,
    find_japanese_names,
    find_korean_names,
    find_thai_names,
)
from workbench.privacy.detectors.text_search import DetectedSpan

_SCRIPTS: tuple[tuple[re.Pattern[str], Callable[[str], Iterator[tuple[int, int]]]], ...] = (
    (re.compile("[\u0370-\u0587\u1f00-\u1fff]"), find_cased_names),
    (re.compile("[\u0590-\u06ff\u0900-\u0aff\u10a0-\u10ff]"), find_caseless_names),
    (re.compile("[\u3041-\u30ff\u3400-\u9fff]"), find_japanese_names),
    (re.compile("[\u3400-\u9fff]"), find_chinese_names),
    (re.compile("[\uac00-\ud7a3]"), find_korean_names),
    (re.compile("[\u0e01-\u0e4e]"), find_thai_names),
)
_ANY = re.compile("[\u0370-\u1fff\u3041-\ud7a3]")
_WHY = "reads like a name"


def find_names_in_scripts(text: str) -> Iterator[DetectedSpan]:
    """Names in Cyrillic, Greek, Armenian, Georgian, Arabic, Hebrew, Indian, Chinese, Japanese, Korean and Thai."""
    if text.isascii() or (first := _ANY.search(text)) is None:
        return
    for letters, find in _SCRIPTS:
        if letters.search(text, first.start()):
            yield from (DetectedSpan(start, end, "NAME", _WHY) for start, end in find(text))
