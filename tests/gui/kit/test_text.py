"""The sanitiser: nothing invisible reaches the screen, and innocent text is left alone."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

import workbench.gui
from workbench.gui.kit.rows import Row, row_data
from workbench.gui.kit.text import ForeignLabel, has_hidden, one_line, plain_tip, visible


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("pay\u202eeel", "pay‹U+202E›eel"),
        ("a\u200bb", "a‹U+200B›b"),
        ("\U000e0041tag", "‹U+E0041›tag"),
        ("bell\x07", "bell‹U+0007›"),
        ("c1\x85", "c1‹U+0085›"),
        ("red \x1b[31m!", "red ‹ESC[31m›!"),
        ("line\u2028sep", "line‹U+2028›sep"),
        ("lone \ud800", "lone ‹U+D800›"),
        ("old mac\rline", "old mac‹U+000D›line"),
        ("filler\u3164", "filler‹U+3164›"),
    ],
)
def test_what_cannot_be_seen_becomes_a_chip(hidden: str, shown: str) -> None:
    assert visible(hidden) == shown
    assert has_hidden(hidden)


@pytest.mark.parametrize("text", ["plain", "tabs\tand\nnewlines", "Grüße, 你好, مرحبا", "👩‍💻 ❤️", "windows\r\nends"])
def test_innocent_text_is_left_alone(text: str) -> None:
    assert visible(text) == text.replace("\r\n", "\n")
    assert not has_hidden(text)


def test_a_joiner_between_letters_is_not_taken_for_an_emoji() -> None:
    assert visible("a\u200db") == "a‹U+200D›b"


@given(st.text(st.characters(categories=("Cc", "Cf", "Cs", "Zl", "Zp", "L", "So"))))
def test_nothing_invisible_is_left_whatever_comes(text: str) -> None:
    shown = visible(text)
    glue = {"\u200d", "\ufe0f"}
    left = [
        c for c in shown if c not in "\n\t" and c not in glue and unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")
    ]
    assert left == []
    assert visible(shown) == shown


def test_one_line_has_no_breaks_and_ends_in_an_ellipsis() -> None:
    assert one_line("a\nb\tc") == "a b c"
    assert one_line("x" * 500, 10) == "x" * 9 + "…"


def test_a_label_never_takes_foreign_words_for_markup(qtbot: Any) -> None:
    label = ForeignLabel("<b>bold</b>\u202e")
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.text() == "<b>bold</b>‹U+202E›"


def test_an_elided_label_keeps_its_whole_text_for_screen_readers(qtbot: Any) -> None:
    label = ForeignLabel("a long sentence " * 20, elide=True)
    qtbot.addWidget(label)
    label.resize(120, 20)
    label.show()
    assert label.text().endswith("…")
    assert label.full_text() == ("a long sentence " * 20).strip()
    assert label.accessibleName().startswith("a long sentence")


def test_a_tooltip_escapes_markup_and_draws_hidden_characters_in_every_list(qtbot: Any) -> None:
    row = row_data(Row("k", "title", tip="<b>pay\u202eeel</b>\n  two"), Qt.ItemDataRole.ToolTipRole)
    for tip in (plain_tip("<b>pay\u202eeel</b>\n  two"), str(row)):
        assert "<b>" not in tip
        assert "pay‹U+202E›eel" in tip
        assert "\n  two" in tip, "lines and indentation stay"
    assert plain_tip("") == ""
    assert row_data(Row("k", "title"), Qt.ItemDataRole.ToolTipRole) is None


@pytest.mark.parametrize("letters", ["<b>", "\u202e", "word ", "x"])
def test_a_label_lays_out_no_more_than_a_person_reads(qtbot: Any, letters: str) -> None:
    whole, line = ForeignLabel(letters * 200_000), ForeignLabel(letters * 200_000, elide=True)
    for one in (whole, line):
        qtbot.addWidget(one)
    assert len(whole.text()) < 100_000
    assert whole.text().endswith("more characters)")
    assert len(line.full_text()) < 20_000


def test_a_long_name_is_broken_only_where_it_is_drawn(qapp: Any) -> None:
    name = "organisation_wide_platform.send_invoice_reminder_to"
    label = ForeignLabel(f"Sends through {name}", breaks=True)
    assert label.minimumSizeHint().width() < ForeignLabel(f"Sends through {name}").minimumSizeHint().width() / 2
    assert label.full_text() == f"Sends through {name}"
    assert label.accessibleName() == f"Sends through {name}"
    assert label.text().replace("\u200b", "") == label.full_text()


def test_no_sign_at_the_end_of_a_long_name_starts_a_line(qapp: Any) -> None:
    label = ForeignLabel("to jonas.weber@nordlicht-moebel-und-mehr.example, who asked", breaks=True)
    assert "\u200b" in label.text()
    assert "example,\u0020" in label.text()


def test_a_word_of_any_length_makes_no_label_wide_and_is_copied_as_it_is(qtbot: Any) -> None:
    word = "/srv/" + "a" * 3_000
    label = ForeignLabel(f"{word}: not found")
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() < label.fontMetrics().averageCharWidth() * 40
    label.show()
    label.setSelection(0, len(label.text()))
    qtbot.keyClick(label, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == f"{word}: not found"


def test_no_tooltip_takes_words_of_strangers_that_qt_could_read_as_html():
    bare = re.compile(r"ToolTip\((?:\w+, )?(?:one_line|visible)\(")
    folder = Path(workbench.gui.__file__).parent
    assert [path.name for path in folder.rglob("*.py") if bare.search(path.read_text())] == []
    assert "<img" not in plain_tip(one_line('<img src="file:///x">', 80))
