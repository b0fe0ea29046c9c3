"""Detects numbers and addresses by words next to them, in several languages, with one search for all words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain

from workbench.privacy.detectors.bank_data import ACCOUNT_WORDS, CARD_WORDS, find_account_after, find_card_after
from workbench.privacy.detectors.country_ids import find_country_id, find_ids_by_title, find_validated_ids, ids_by_word
from workbench.privacy.detectors.keyword_search import KeywordFinder
from workbench.privacy.detectors.personal_details import BIRTH_WORDS, find_birth_date_after
from workbench.privacy.detectors.phone_words import (
    EXTENSION_WORDS,
    PHONE_WORDS,
    find_phone_after,
    find_phone_with_extension,
)
from workbench.privacy.detectors.postal_addresses import (
    POSTCODE_WORDS,
    find_address_near,
    find_addresses_by_place,
    find_postcode_after,
    streets_by_word,
)
from workbench.privacy.detectors.text_search import DetectedSpan
from workbench.privacy.value_index import fold

Find = Callable[[str, str, int, str], Iterator[tuple[int, int]]]

TITLED = "title above it and check digits"
_FEWEST = 6  # characters of a text with a word and a number


@lru_cache(maxsize=1)
def _finders() -> tuple[KeywordFinder, dict[str, list[tuple[str, Find]]]]:
    """The search for all words, and what each word announces."""
    by_word: dict[str, list[tuple[str, Find]]] = defaultdict(list)
    for kind, words, find in (
        ("PHONE", PHONE_WORDS, find_phone_after),
        ("PHONE", EXTENSION_WORDS, find_phone_with_extension),
        ("CARD", CARD_WORDS, find_card_after),
        ("NATIONAL_ID", ids_by_word(), find_country_id),
        ("BANK", ACCOUNT_WORDS, find_account_after),
        ("DOB", BIRTH_WORDS, find_birth_date_after),
        ("ADDRESS", streets_by_word(), find_address_near),
        ("ADDRESS", POSTCODE_WORDS, find_postcode_after),
    ):
        for word in words:
            by_word[word].append((kind, find))
    return KeywordFinder(by_word), by_word


def find_announced_numbers(text: str) -> Iterator[DetectedSpan]:
    """Numbers and addresses whose kind a word next to them tells."""
    if len(text) < _FEWEST or not any(map(str.isdigit, text)):
        return
    small = fold(text)
    words, finders = _finders()
    for at, word in words.find(small):
        for kind, find in finders[word]:
            for start, end in find(text, small, at, word):
                yield DetectedSpan(start, end, kind, "word next to it")
    yield from (
        DetectedSpan(*span, "NATIONAL_ID", TITLED) for span in chain(find_ids_by_title(text), find_validated_ids(text))
    )
    yield from (DetectedSpan(*span, "ADDRESS", "form of an address") for span in _addresses_by_form(text))


def _addresses_by_form(text: str) -> Iterator[tuple[int, int]]:
    yield from find_addresses_by_place(text)
    if not text.isascii():
        from workbench.privacy.detectors.cyrillic_addresses import find_cyrillic_addresses
        from workbench.privacy.detectors.eastern_addresses import find_eastern_addresses  # takes 12 ms

        yield from find_cyrillic_addresses(text)
        yield from find_eastern_addresses(text)
