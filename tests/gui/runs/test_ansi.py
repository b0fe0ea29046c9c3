"""Colours of a program's output are taken over; nothing else of a terminal is, and nothing can hide."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.gui.runs.stream_view import AnsiParser, Style


def _all(*texts: str) -> list[tuple[str, Style]]:
    printed = AnsiParser()
    found = [piece for text in texts for piece in printed.pieces(text)]
    return found + list(printed.pieces("", last=True))


def test_colours_and_weights_are_taken_over() -> None:
    assert _all("a\x1b[31mred\x1b[1mbold\x1b[0mplain") == [
        ("a", Style()), ("red", Style("danger")), ("bold", Style("danger", bold=True)), ("plain", Style()),
    ]  # fmt: skip
    assert _all("\x1b[38;2;1;2;3mx\x1b[38;5;196my\x1b[39mz") == [
        ("x", Style("#010203")), ("y", Style("#ff0000")), ("z", Style()),
    ]  # fmt: skip


def test_a_command_in_two_pieces_is_one() -> None:
    assert _all("a\x1b", "[3", "2mb") == [("a", Style()), ("b", Style("success"))]
    assert _all("a\x1b[3") == [("a", Style()), ("\x1b[3", Style())]


def test_what_would_hide_or_move_text_stays_visible() -> None:
    for odd in ("\x1b[8m", "\x1b[2J", "\x1b[1A", "\x1b]8;;http://x\x07", "\r", "\x1b[31;8m"):
        assert "".join(text for text, _ in _all(f"a{odd}b")) == f"a{odd}b"


@given(st.text(st.sampled_from("\x1b[;:m0138 aé5"), max_size=60), st.integers(0, 60))
def test_no_letter_is_lost_wherever_output_is_cut(text: str, cut: int) -> None:
    whole = _joined(_all(text))
    assert _joined(_all(text[:cut], text[cut:])) == whole


def _joined(pieces: list[tuple[str, Style]]) -> list[tuple[str, Style]]:
    return [(letter, style) for text, style in pieces for letter in text]
