"""One text is analyzed, hashed, shown and run; what could read otherwise than it runs is refused."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.canonical_text import MAX_BYTES, canonicalize, clean_text
from workbench.records import Span


def test_line_ends_byte_order_mark_and_last_line_are_made_one() -> None:
    assert canonicalize("\ufeffa = 1\r\nb = 2\r\n\r\n").text == "a = 1\nb = 2\n"
    assert canonicalize("a = 1").text == "a = 1\n"
    assert canonicalize("").text == ""


def test_the_hash_is_of_exactly_this_text() -> None:
    found = canonicalize("print('é')\r\n")
    assert found.sha == hashlib.sha256("print('é')\n".encode()).hexdigest()
    assert canonicalize("print('é')").sha == found.sha


@pytest.mark.parametrize(
    ("character", "rule"),
    [
        ("\u202e", "text.bidi"),
        ("\u2066", "text.bidi"),
        ("\u200f", "text.bidi"),
        ("\u061c", "text.bidi"),
        ("\u200b", "text.invisible"),
        ("\u2060", "text.invisible"),
        ("\ufeff", "text.invisible"),
        ("\u00ad", "text.invisible"),
        ("\u3164", "text.invisible"),
        ("\ufe0f", "text.invisible"),
        ("\U000e0041", "text.invisible"),
        ("\U000e0101", "text.invisible"),
        ("\ufdd0", "text.invisible"),
        ("\ufdd1", "text.invisible"),
        ("\uffff", "text.invisible"),
        ("\0", "text.control"),
        ("\x1b", "text.control"),
        ("\x7f", "text.control"),
        ("\x9b", "text.control"),
        ("\r", "text.control"),
        ("\x0c", "text.break"),
        ("\x0b", "text.break"),
        ("\x85", "text.break"),
        ("\u2028", "text.break"),
        ("\u2029", "text.break"),
        ("\ud800", "text.surrogate"),
    ],
)
def test_a_character_that_hides_something_is_refused_where_it_stands(character: str, rule: str) -> None:
    found = canonicalize(f"x = 1\ny = 'é{character}z'\n")
    assert [(fault.rule, fault.span) for fault in found.faults] == [(rule, Span(2, 6, 2, 7))]
    assert f"U+{ord(character):04X}" in found.faults[0].message


@pytest.mark.parametrize("text", ["# ⚠️ done ❤️ 1️⃣", "print('👩‍💻 👨‍👩‍👧')", "x = 'می‌خواهم'", "\tx = 1", "α = 'ß日本'"])
def test_writing_that_needs_its_marks_passes(text: str) -> None:
    assert canonicalize(text).faults == ()


@pytest.mark.parametrize(
    "cookie", ["# -*- coding: utf-7 -*-", "#!x\n# coding=raw_unicode_escape", "# vim: fileencoding=latin-1"]
)
def test_a_foreign_encoding_cookie_is_refused(cookie: str) -> None:
    assert [fault.rule for fault in canonicalize(f"{cookie}\nx = 1").faults] == ["text.cookie"]


@pytest.mark.parametrize("cookie", ["# -*- coding: utf-8 -*-", "# coding: UTF_8", "x = 1\ny = 2\n# coding: latin-1"])
def test_a_harmless_cookie_passes(cookie: str) -> None:
    assert canonicalize(cookie).faults == ()


def test_a_text_over_the_limit_is_refused_once() -> None:
    assert [fault.rule for fault in canonicalize("é" * MAX_BYTES).faults] == ["text.size"]
    assert canonicalize("x" * (MAX_BYTES - 1)).faults == ()


def test_a_text_full_of_faults_lists_only_the_first_ones() -> None:
    assert len(canonicalize("\u200b" * 1000).faults) == 50


@given(st.text() | st.text(alphabet="\r\n\ufeff\u2028a #coding:=x"))
def test_a_canonical_text_is_its_own_canonical_text(text: str) -> None:
    once = canonicalize(text)
    assert canonicalize(once.text) == once


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_a_text_without_faults_has_only_one_kind_of_line(text: str) -> None:
    found = canonicalize(text)
    if not found.faults:
        assert found.text.splitlines() == found.text.split("\n")[:-1]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("if user != 'admin\u202e \u2066# is it\u2069 \u2066':\n", "if user != 'admin # is it ':\n"),
        ("a\u200bb = 1", "ab = 1\n"),
        ("x = 1 # note\u2028import os", "x = 1 # note import os\n"),
        ("x = 1 # note\rimport os", "x = 1 # note\nimport os\n"),
        ("# coding: raw_unicode_escape\nx = 1", "# coding: utf-8\nx = 1\n"),
        ("print('👩‍👩‍👧')", "print('👩‍👩‍👧')\n"),
    ],
)
def test_a_text_that_cannot_run_has_a_clean_one_that_reads_as_python_reads_it(text: str, clean: str) -> None:
    assert clean_text(text) == clean


@given(st.text(st.characters() | st.sampled_from("\u202e\u200d\u2028\r\n\0\ufeff👩é#"), max_size=60))
def test_whatever_was_cleaned_is_fit_to_be_assessed(text: str) -> None:
    found = canonicalize(clean_text(text))
    assert found.faults == ()
    assert clean_text(found.text) == found.text


@given(st.text("\n\r#codingraw-8: =", max_size=40))
def test_no_foreign_encoding_outlives_cleaning(text: str) -> None:
    assert canonicalize(clean_text("# coding: utf-7\n" + text)).faults == ()
