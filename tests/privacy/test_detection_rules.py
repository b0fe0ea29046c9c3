"""Rules compare and hash by what they say."""

from __future__ import annotations

import re

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules, UserPattern
from workbench.privacy.detectors.detector import detect
from workbench.privacy.detectors.json_fields import leaves
from workbench.privacy.vault import Vault
from workbench.records import JsonValue


def found(text: str, rules: DetectionRules) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in detect(text, rules)]


def announced(value: JsonValue, rules: DetectionRules) -> dict[JsonValue, str]:
    return {leaf: kind.name for leaf, kind in leaves(value, rules) if kind}


def test_a_kind_that_is_off_is_found_neither_by_form_nor_by_key() -> None:
    off = DetectionRules(off=frozenset({"PHONE", "NAME"}))
    assert found("a@b.co, +49 30 901820, phone: 030 901821", off) == [("EMAIL", "a@b.co")]
    assert announced({"phone": "030 901820", "name": "Rosa Lund", "email": "x@y.org"}, off) == {"x@y.org": "EMAIL"}


def test_what_is_said_to_be_harmless_passes_as_value_and_as_key() -> None:
    rules = DetectionRules(never=frozenset({"help@corp.io", "contact_name"}))
    assert found("Help@corp.io or rosa@corp.io", rules) == [("EMAIL", "rosa@corp.io")]
    assert announced({"contact_name": "Help Desk", "owner_name": "Rosa Lund"}, rules) == {"Rosa Lund": "NAME"}


def test_own_keys_and_patterns_find_what_is_nobody_elses() -> None:
    staff = UserPattern("staff number", "CUSTOM", re.compile(r"E-\d{4}"))
    rules = DetectionRules(keys=(("badge", "USERNAME"),), patterns=(staff,))
    assert found("E-1234 has badge=7", rules) == [("CUSTOM", "E-1234"), ("USERNAME", "7")]
    assert announced({"Badge": "7", "n": "x"}, rules) == {"7": "USERNAME"}


def test_each_finding_says_by_what_it_was_known() -> None:
    assert [one.why for one in detect("name,email\nRosa Lund,a@b.co")] == ["header above it", "form"]
    assert [one.why for one in detect("full_name: Rosa Lund")] == ["key full_name"]


def test_a_vault_follows_the_rules_of_its_session() -> None:
    vault = Vault("s", rules=DetectionRules(off=frozenset({"PHONE"}), keys=(("badge", "CUSTOM"),)))
    vault.register({"phone": "+49 30 901820", "badge": "Q77-Z8"}, "crm")
    assert re.fullmatch(
        r"\[CUSTOM_1\..{4}\] \+49 30 901820 \[EMAIL_1\..{4}\]", vault.sanitize("Q77-Z8 +49 30 901820 a@b.co")
    )


def test_a_vault_follows_rules_that_change() -> None:
    vault = Vault("s")
    vault.register("rosa@corp.io", "crm")
    assert "EMAIL" in vault.sanitize("rosa@corp.io")
    vault.follow(DetectionRules(never=frozenset({"rosa@corp.io"})))
    assert vault.sanitize("rosa@corp.io") == "rosa@corp.io"
    vault.follow(DEFAULT_RULES)
    assert "EMAIL" in vault.sanitize("rosa@corp.io")


def test_the_threshold_of_a_kind_is_lower_where_recall_comes_first() -> None:
    assert DetectionRules(recall_first=True).threshold("NAME") < DEFAULT_RULES.threshold("NAME")
    assert DetectionRules(recall_first=True, thresholds=(("NAME", 0.9),)).threshold("NAME") == 0.9
