"""Different spellings of a value are normalized to the same words, and arguments of any shape are searched."""

from __future__ import annotations

from workbench.broker.comparable_text import (
    answer_text,
    argument_leaves,
    clean,
    decoded_readings,
    identifying_parts,
    is_date_or_amount,
    joined_numbers,
    split_words,
)


def test_case_spacing_and_punctuation_do_not_count():
    assert split_words("Eve.MALLORY@ evil-corp\n.example") == ["eve", "mallory", "evil", "corp", "example"]
    assert split_words("ｅｖｅ") == ["eve"]
    assert split_words("東京 Tokyo") == ["東", "京", "tokyo"]


def test_numbers_in_groups_become_one_and_hosts_stand_alone():
    assert "de89370400440532013000" in joined_numbers("to DE89 3704 0044 0532 0130 00 please")
    assert ["drop", "example"] in list(identifying_parts("see https://me@drop.example/a/b?c=1"))


def test_other_encodings_are_read_too():
    assert any("a@b.example" in reading for reading in decoded_readings("a%40b.example"))


def test_every_leaf_of_the_arguments_has_its_path():
    given = {"to": ["a", {"name": "b"}], "count": 3, "flag": True, "none": None}
    assert {("to[]", "a"), ("to[].name", "b"), ("count", "3")} <= set(argument_leaves(given))


def test_the_texts_of_an_answer_stand_in_their_order():
    assert answer_text('{"a": ["x", 1], "b": {"c": "y"}}').split("\n") == ["x", "1", "y"]
    assert answer_text("no json") == "no json"
    assert answer_text("{broken") == "{broken"


def test_letters_that_nobody_sees_are_left_out():
    assert split_words("ev\u200bil\u00ad@x") == split_words("evil@x")
    assert clean("ｅ\ufeff") == "e"


def test_dates_and_short_numbers_say_nothing_about_their_source() -> None:
    dates = "2026-11-24|2026-11-24T14:00:00+01:00|14:30|24 November 2026|Nov 24, 2026|24.11.2026|9:15 am|950|-3.5|38.7"
    assert [one for one in dates.split("|") if not is_date_or_amount(one)] == []
    others = "Mara|CUS-0009|+447700900461|1234567|2026-11-24 pay now|DE02120300000000202051|a@b.example|10.0.0.1:80"
    assert [one for one in others.split("|") if is_date_or_amount(one)] == []
