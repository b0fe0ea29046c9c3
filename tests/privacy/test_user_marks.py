"""Marks of the user become rules; unsafe ones are refused."""

from __future__ import annotations

import time

import pytest

from workbench.errors import WorkbenchError
from workbench.privacy.detection_rules import DEFAULT_RULES, compile_bounded
from workbench.privacy.detector_preview import preview_masking
from workbench.privacy.user_marks import (
    StartRules,
    check_mark,
    kind_rules,
    rules_from_marks,
    unknown_settings,
    with_kind_switched,
    with_threshold,
)
from workbench.privacy.vault import Vault
from workbench.records import PrivacyMark


def told(*marks: PrivacyMark, **more: object) -> StartRules:
    return rules_from_marks(map(check_mark, marks), **more)


def hide(what: str, text: str, kind: str = "CUSTOM") -> PrivacyMark:
    return PrivacyMark(True, what, text, kind)


def let_pass(what: str, text: str) -> PrivacyMark:
    return PrivacyMark(False, what, text)


def seen(text: str, said: StartRules) -> str:
    vault = Vault("s", rules=said.rules)
    for kind, value in said.known:
        vault.learn(kind, value)
    return vault.sanitize(text)


def test_without_marks_nothing_is_added() -> None:
    assert told() == StartRules(DEFAULT_RULES)


@pytest.mark.parametrize("value", ["Falcon", "falcon", "x7q", "Project Falcon 12", "90210", "Zoë Ω"])
def test_a_value_that_was_missed_is_hidden_wherever_it_stands(value: str) -> None:
    said = told(hide("value", f" {value} "))
    assert seen(f"about {value}, {value.upper()}.", said).count("[CUSTOM_") == 2
    assert value not in seen(f"about {value}.", said)


def test_a_value_that_was_missed_is_hidden_in_other_writings_too() -> None:
    said = told(hide("value", "ticket-owner-77"))
    assert "7469636b65742d6f776e65722d3737" not in seen(b"ticket-owner-77".hex(), said)


def test_patterns_and_keys_hide_and_let_pass() -> None:
    said = told(hide("pattern", r"AB-\d{6}", "NATIONAL_ID"), hide("key", "Badge No", "USERNAME"))
    assert seen("AB-123456 and badge_no: k77", said).startswith("[NATIONAL_ID_1.")
    assert "k77" not in seen("badgeNo: k77", said)
    free = told(let_pass("value", "Help@Corp.io"), let_pass("pattern", r"[a-z]{3,9}@status\.io"))
    text = "help@corp.io, ops@status.io and rosa@corp.io"
    assert seen(text, free).startswith("help@corp.io, ops@status.io and [EMAIL_1.")


def test_letting_pass_counts_more_than_hiding() -> None:
    said = told(hide("value", "help@corp.io"), let_pass("value", "help@corp.io"))
    assert seen("help@corp.io", said) == "help@corp.io"


@pytest.mark.parametrize(
    "mark",
    [
        hide("value", "ab"),
        hide("value", "x" * 500),
        hide("value", "Falcon", "NOTHING"),
        hide("value", "Falcon", "SEALED"),
        hide("key", "???"),
        hide("pattern", r"\d+"),
        hide("thing", "Falcon"),
        let_pass("value", " "),
    ],
)
def test_a_mark_that_does_nothing_or_too_much_is_refused(mark: PrivacyMark) -> None:
    with pytest.raises(WorkbenchError):
        check_mark(mark)


def test_kinds_are_switched_off_and_thresholds_read() -> None:
    said = told(off="ip, mac nonsense", thresholds="NAME=0.4 X=1 EMAIL=7", strictness="recall")
    assert said.rules.off == {"IP", "MAC"}
    assert said.rules.threshold("NAME") == 0.4
    assert unknown_settings("ip nonsense", "NAME=0.4 X=1") == ("NONSENSE", "X=1")
    assert {rule.kind for rule in kind_rules(said.rules) if not rule.on} == {"IP", "MAC"}
    assert "SEALED" not in {rule.kind for rule in kind_rules(DEFAULT_RULES)}


def test_settings_are_changed_one_kind_at_a_time() -> None:
    assert with_kind_switched("IP MAC", "IP", on=True) == "MAC"
    assert with_kind_switched("ip", "MAC", on=False) == "IP MAC"
    assert with_threshold("NAME=0.4", "ADDRESS", 0.7) == "NAME=0.4 ADDRESS=0.7"
    assert with_threshold("NAME=0.4", "NAME", 0.5) == ""


def test_a_trial_says_what_is_hidden_because_it_was_marked() -> None:
    said = told(hide("value", "Project Falcon 12"))
    (span,) = preview_masking("see Project Falcon 12", said.rules, said.known).spans
    assert (span.kind, span.why) == ("CUSTOM", "You marked it to be masked.")


@pytest.mark.parametrize(
    "pattern",
    [r"AB-\d{6}", r"\b[A-Z]{2,5}-\d{3,10}\b", r"(?:cust|user)_[0-9a-f]{8,16}", r"(\d{4} ?){4}", r"(?<!\w)Falcon(?!\w)"],
)
def test_patterns_as_people_write_them_are_taken(pattern: str) -> None:
    assert compile_bounded(pattern).pattern == pattern


@pytest.mark.parametrize(
    "pattern",
    [r"\d+", r"(a|aa){1,40}", r"(a{1,9}){1,9}b", r"(\w{0,50}){3}", "(", r"a*", r"x{0,3}", "", "y" * 500, r"(?:x?){64}"],
)
def test_what_may_take_for_ever_or_is_wrong_is_refused_with_a_hint(pattern: str) -> None:
    with pytest.raises(WorkbenchError):
        compile_bounded(pattern)


def test_the_slowest_that_is_taken_reads_a_long_adversarial_text_in_no_time() -> None:
    slow = compile_bounded(r"(?:a{1,12}){2}[ab]{0,9}c")
    since = time.perf_counter()
    assert slow.search("a" * 20_000) is None
    assert time.perf_counter() - since < 10
