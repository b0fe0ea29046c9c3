"""Marks, explanations and the strictness of masking, from a script."""

from __future__ import annotations

import json


def test_marks_are_added_with_their_scope_listed_and_removed(command):
    code, out, _ = command("privacy", "always", "Project Falcon", "--here")
    assert code == 0
    assert "mask as CUSTOM  value Project Falcon  (in this project)" in out
    command("privacy", "never", "support@example.org")
    marks = json.loads(command("privacy", "marks", "--json")[1])
    assert {(mark["hide"], mark["scope"]) for mark in marks} == {(True, "project"), (False, "everywhere")}
    for mark in marks:
        assert command("privacy", "remove", mark["id"])[0] == 0
    assert command("privacy", "marks") == (0, "", "There are no marks.\n")


def test_an_invalid_mark_is_an_error(command):
    code, out, err = command("privacy", "always", r"\d+", "--pattern")
    assert (code, out) == (1, "")
    assert "may take very long" in err


def test_a_text_is_explained(command):
    code, out, _ = command("privacy", "why", "ada@example.org")
    assert (code, out) == (0, "masked as EMAIL: It has the form of an e-mail address.\n")
    assert "not masked: No detector recognises it." in command("privacy", "why", "zq-77")[1]
    around = '{"first_name": "Turin Falk"}'
    assert "the key `first_name`" in command("privacy", "why", "Turin Falk", "--around", around)[1]


def test_the_strictness_is_shown_and_set_for_all_servers_and_for_one(command):
    assert "* balanced" in command("privacy", "strictness")[1]
    assert "* recall" in command("privacy", "strictness", "recall", "--server", "demo")[1]
    assert "server demo: recall" in command("privacy", "strictness")[1]
    assert "server demo" not in command("privacy", "strictness", "--server", "demo", "--remove")[1]
    assert "* forms" in command("privacy", "strictness", "forms")[1]
    assert "* balanced" in command("privacy", "strictness", "balanced")[1]
    for arguments in (["--remove"], ["recall", "--server", "demo", "--remove"]):
        code, _, err = command("privacy", "strictness", *arguments)
        assert code == 1
        assert "strictness --server crm --remove" in err


def test_nothing_is_masked_while_masking_is_off_whatever_the_strictness_of_a_server_is(command):
    command("privacy", "strictness", "recall", "--server", "demo")
    command("privacy", "strictness", "off")
    assert "* off" in command("privacy", "strictness", "--server", "demo")[1]
    command("privacy", "strictness", "balanced")
    command("privacy", "strictness", "--server", "demo", "--remove")
