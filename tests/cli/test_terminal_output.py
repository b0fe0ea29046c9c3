"""What strangers wrote does not steer a terminal, and arrives exact in a pipe."""

from __future__ import annotations

import json
import sys

from workbench.cli.terminal_output import narrate, print_data, print_json, print_table

NASTY = "a\x1b[31mb\u202e\n"


def test_a_pipe_gets_the_exact_text(capsys):
    print_data(NASTY)
    assert capsys.readouterr().out == NASTY


def test_a_terminal_gets_control_characters_as_escapes(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_data(f"{NASTY}\tc")
    assert capsys.readouterr().out == "a\\x1b[31mb\\u202e\n\tc\n"


def test_json_on_a_terminal_steers_it_no_more_and_is_still_the_same(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_json([NASTY, "\x9b2J", "é\u2028"])
    shown = capsys.readouterr().out
    assert json.loads(shown) == [NASTY, "\x9b2J", "é\u2028"]
    assert "é" in shown
    assert all(c.isprintable() or c == "\n" for c in shown)


def test_half_a_character_is_no_crash(capsys):
    print_data("\ud800")
    print_json({"a": "\ud800"})
    assert capsys.readouterr().out == '?\n{\n  "a": "?"\n}\n'


def test_narration_is_tamed_and_goes_beside(capsys):
    narrate(NASTY)
    words = capsys.readouterr()
    assert (words.out, words.err) == ("", "a\\x1b[31mb\\u202e\n\n")


def test_columns_line_up_and_strangers_cannot_break_them(capsys):
    print_table([("a", "b\n", "c"), ("long", "d", "")])
    assert capsys.readouterr().out == "a     b\\n  c\nlong  d\n"
    print_table([])
