"""Detects names of persons in prose in other scripts than Latin: by lists, titles, endings and greetings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from workbench.privacy.detectors.text_search import DetectedSpan, find_matches

Find = Callable[[str], Iterator[tuple[int, int]]]

_ANY = re.compile("[\u0370-\u1fff\u3041-\ud7a3]")
_WHY = "reads like a name"


def find_names_in_scripts(text: str) -> Iterator[DetectedSpan]:
    """Names in Cyrillic, Greek, Armenian, Georgian, Arabic, Hebrew, Indian, Chinese, Japanese, Korean and Thai."""
    if text.isascii() or next(find_matches(_ANY, text), None) is None:
        return
    for letters, find in _finders():
        if next(find_matches(letters, text), None):
            yield from (DetectedSpan(start, end, "NAME", _WHY) for start, end in find(text))


@lru_cache(maxsize=1)
def _finders() -> tuple[tuple[re.Pattern[str], Find], ...]:
    """The letters and the search of each group of scripts, loaded with the first text that needs them: 25 ms."""
    from workbench.privacy.detectors import (
        names_cased,
        names_cased_prose,
        names_caseless,
        names_caseless_prose,
        names_chinese_prose,
        names_east_asian,
        names_japanese_prose,
        names_korean_prose,
    )

    return (
        (re.compile("[\u0370-\u0587\u1f00-\u1fff]"), names_cased.find_cased_names),
        (re.compile("[\u0370-\u052f\u1f00-\u1fff]"), names_cased_prose.find_cased_prose_names),
        (re.compile("[\u0590-\u06ff\u0900-\u0aff\u10a0-\u10ff]"), names_caseless.find_caseless_names),
        (re.compile("[\u0590-\u06ff\u0900-\u097f]"), names_caseless_prose.find_caseless_prose_names),
        (re.compile("[\u3041-\u30ff\u3400-\u9fff]"), names_east_asian.find_japanese_names),
        (re.compile("[\u3041-\u30ff]"), names_japanese_prose.find_japanese_prose_names),
        (re.compile("[\u3400-\u9fff]"), names_east_asian.find_chinese_names),
        (re.compile("[\u3400-\u9fff]"), names_chinese_prose.find_chinese_prose_names),
        (re.compile("[\uac00-\ud7a3]"), names_east_asian.find_korean_names),
        (re.compile("[\uac00-\ud7a3]"), names_korean_prose.find_korean_prose_names),
        (re.compile("[\u0e01-\u0e4e]"), names_east_asian.find_thai_names),
    )
