"""The finders of many languages on hostile text: no errors, spans inside the text, linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.detectors.announced_numbers import find_announced_numbers
from workbench.privacy.detectors.greetings import find_greeted_names, find_small_names
from workbench.privacy.detectors.names_in_scripts import find_names_in_scripts
from workbench.privacy.detectors.script_borders import with_borders
from workbench.privacy.detectors.text_search import DetectedSpan

PIECES = [
    "12 Aa St, ", "12 Aa Bb Cc Dd Rd, Ee Ff ", "1 rue de la ", "Calle de A ", "Rua A A A, ", "A weg 1, 12345 A A ",
    "ul. А 1 ", "po box 1 ", "zip code ", "postcode A1 ", "Aa Bb 12/3, 130 00 Cc ", "tel 1-1", "phone 12345678 ",
    " ext 12", "card 1234 1234 ", "cpf 1 ", "steuer-id 12 345 ", "passeport A1", "PAN ", "İ", "ſ", "²", "٣", "ß",
    "С уважением,\n", "г-н ", "Анна ", "А. ", "κ. ", "Ελένη ", "السيد ", "محمد ", "ל", "דוד ", "श्री ", "राम ",
    "王伟", "先生", "联系人", "東京都", "〒100-0001", "市", "区1", "丁目", "路1号", "田中",
    "さん", "サ ", "担当は", "김민수", "님 ", "서울 ", "로 1", "คุณ", "นางสาว",
    "Hi ", "thanks,\n", "cc ", "rosa lund ", "emily ", "\n", "1", " ",
    ", ",
]  # fmt: skip


def found(text: str) -> list[DetectedSpan]:
    finders = (find_announced_numbers, find_names_in_scripts, find_greeted_names, find_small_names)
    return [span for find in finders for span in find(text)]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_spans_are_not_empty_and_inside_the_text(text: str) -> None:
    assert all(0 <= span.start < span.end <= len(text) for span in found(text))
    assert len(with_borders(text)) == len(text)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    found(text)


@pytest.mark.parametrize("piece", PIECES)
def test_four_times_the_text_takes_about_four_times_as_long(piece: str) -> None:
    def took(size: int) -> float:
        text = piece * (size // len(piece))
        times = []
        for _ in range(3):
            began = time.thread_time()
            found(text)
            times.append(time.thread_time() - began)
        return min(times)

    assert took(40_000) < 12 * max(took(10_000), 0.004)
