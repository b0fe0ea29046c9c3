"""Explanations name the detector's reason, the score and the threshold, and what can be done."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.privacy.detection_rules import DetectionRules
from workbench.privacy.masking_explanation import explain_text, explain_token, place_of, reason_sentence
from workbench.privacy.user_marks import rules_from_marks
from workbench.privacy.vault import Vault
from workbench.records import MaskingExplanation, Place, PrivacyMark

ANSWER = {
    "email": "ada@example.org",
    "customer": {"name": "Ada Lovelace"},
    "note": "Card 4111 1111 1111 1111",
    "line": "Rosa Lund <rosa@corp.io>",
}


def explain(text: str, around: str = "", marks: tuple[PrivacyMark, ...] = (), **rules: str) -> MaskingExplanation:
    start = rules_from_marks(marks, **rules)
    vault = Vault("test", rules=start.rules)
    for kind, value in start.known:
        vault.learn(kind, value)
    return explain_text(vault, place_of(text, around or text, 0), marks)


def actions(explanation: MaskingExplanation) -> list[str]:
    return [remedy.action for remedy in explanation.remedies]


def test_each_token_has_the_reason_of_its_first_detection():
    vault = Vault("test")
    vault.register(ANSWER, Place("crm", "list_contacts"))
    masked = vault.sanitize("Ada Lovelace, ada@example.org, 4111 1111 1111 1111, Rosa Lund")
    reasons = {
        held.text: explain_token(vault, token, held, ()).reason for token, held in vault.issued() if token in masked
    }
    assert reasons == {
        "Ada Lovelace": "It is the value of the key `name`.",
        "ada@example.org": "It is the value of the key `email`.",
        "4111 1111 1111 1111": "It has the form and the check digit of a card number.",
        "Rosa Lund": "An e-mail address follows it, as after a person's name.",
    }


KEY = "PRIVATE" + " KEY"  # in two parts, as no file here may look like one


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("звонил Иванов вчера", "It reads like a name."),
        ("the password is Tr0ub4dor&3x", "The word `password` before it announces a secret."),
        ("I live at 12 Lime Street, London", "A word next to it announces a postal address."),
        (f"-----BEGIN RSA {KEY}-----\nMIIEpAIB\n-----END RSA {KEY}-----", "It is a private key."),
    ],
)
def test_the_reasons_of_detectors_are_sentences(text, reason):
    vault = Vault("test")
    vault.sanitize(text)
    assert [reason_sentence(vault, held.kind, held.why) for _, held in vault.issued()] == [reason]


def test_a_name_in_a_sentence_has_a_score_above_the_threshold():
    explanation = explain("Marlow Tinsley", "We met with Marlow Tinsley about the order yesterday.")
    assert (explanation.masked, explanation.kind) == (True, "NAME")
    assert explanation.reason.startswith("It reads like a name (score ")
    assert explanation.details == ("The threshold for names is 0.5.",)
    assert actions(explanation) == ["pass", "pass"]
    assert [remedy.scope for remedy in explanation.remedies] == ["project", "everywhere"]


def test_a_score_below_the_threshold_is_named_with_a_lower_threshold_that_masks():
    sentence = "She said that Marlow Tinsley was late yesterday."
    explanation = explain("Marlow Tinsley", sentence, thresholds="NAME=1")
    assert not explanation.masked
    assert "the threshold for names is 1." in explanation.details[0]
    remedy = explanation.remedies[0]
    assert (remedy.action, remedy.kind) == ("threshold", "NAME")
    assert explain("Marlow Tinsley", sentence, thresholds=f"NAME={remedy.threshold}").masked


def test_a_kind_that_is_switched_off_is_named_with_a_way_to_switch_it_on():
    explanation = explain("81.2.69.142", "login from 81.2.69.142", off="IP")
    assert not explanation.masked
    assert explanation.details == ("It is an IP address, and IP addresses are switched off.",)
    assert (explanation.remedies[0].action, explanation.remedies[0].kind) == ("kind", "IP")


def test_a_name_is_not_searched_at_the_strictness_of_known_forms():
    explanation = explain("Marlow Tinsley", "We met with Marlow Tinsley about it yesterday.", strictness="forms")
    assert not explanation.masked
    assert "not searched at this strictness" in explanation.details[0]
    assert actions(explanation)[0] == "strictness"


@pytest.mark.parametrize(
    ("scope", "where"), [("project", ", in this project."), ("everywhere", " to be never masked.")]
)
def test_a_mark_that_lets_it_pass_is_named_and_can_be_removed(scope, where):
    mark = PrivacyMark(False, "value", "ada@example.org", id="m1", scope=scope)
    explanation = explain("ada@example.org", marks=(mark,))
    assert not explanation.masked
    assert explanation.reason.endswith(where)
    assert [(remedy.action, remedy.mark) for remedy in explanation.remedies] == [("unmark", "m1")]


def test_a_mark_that_masks_is_named_and_a_mark_of_the_project_cannot_be_removed():
    mine = PrivacyMark(True, "value", "Falcon-9", "CUSTOM", id="m1")
    theirs = PrivacyMark(True, "value", "Falcon-9", "CUSTOM", "project", id="m2")
    assert explain("Falcon-9", marks=(mine,)).reason == "You marked it to be masked."
    explanation = explain("Falcon-9", marks=(theirs,))
    assert explanation.reason == "The project marked it to be masked."
    assert actions(explanation) == ["pass", "pass"]


def test_an_ordinary_word_and_text_that_no_detector_knows():
    assert explain("yesterday", "We met yesterday.").details == ("It is an ordinary word.",)
    unknown = explain("zq-77", "order zq-77 is late")
    assert unknown.reason == "No detector recognises it."
    assert actions(unknown) == ["hide", "hide"]


def test_public_text_is_not_searched():
    vault = Vault("test")
    explanation = explain_text(vault, place_of("ada@example.org", "", 0), (), is_public=True)
    assert not explanation.masked
    assert "definition" in explanation.details[0]


def test_a_key_that_is_personal_itself_is_not_named():
    vault = Vault("test")
    assert reason_sentence(vault, "PHONE", "key ada@example.org") == "Its key announces a phone number."
    assert reason_sentence(vault, "PHONE", "key mobile") == "It is the value of the key `mobile`."


def test_json_around_a_value_is_read_with_its_keys():
    explanation = explain("Turin Falk", '{"id": 7, "customer": {"first_name": "Turin Falk"}}')
    assert explanation.reason == "It is the value of the key `first_name`."


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=120), st.integers(-5, 200))
def test_any_text_is_explained_and_agrees_with_masking(text, around, start):
    vault = Vault("test")
    place = place_of(text, around + text, start)
    explanation = explain_text(vault, place, ())
    assert explanation.reason.endswith(".")
    if explanation.masked:
        assert Vault("other").sanitize(place.around) != place.around


def test_rules_of_one_server_apply_to_its_answers_only():
    start = rules_from_marks((), servers="logs=off crm=recall")
    assert start.rules.for_server("logs").off
    assert start.rules.for_server("crm").recall_first
    assert start.rules.for_server("mail") is start.rules
    vault = Vault("test", rules=start.rules)
    answer = {"email": "ada@example.org"}
    vault.register(answer, Place("logs", "tail"))
    assert vault.sanitize("ada@example.org") == "ada@example.org"
    assert vault.sanitize_json(answer) == answer
    assert "[EMAIL" in vault.sanitize("rosa@corp.io"), "values that the server did not supply are masked"
    place = place_of("ada@example.org", "", 0)
    assert "Only the rules for other servers" in explain_text(vault, place, ()).details[0]
    vault.register(answer, Place("crm", "get_customer"))
    assert "[EMAIL" in vault.sanitize("ada@example.org"), "another server supplied it, too"
    assert DetectionRules() == rules_from_marks(()).rules


def test_the_sentence_around_a_token_is_scored_with_the_values_in_it():
    vault = Vault("test")
    masked = vault.sanitize("We met with Marlow Tinsley and Rosa Lund about the order yesterday.")
    token, held = vault.issued()[0]
    assert explain_token(vault, token, held, ()).reason == "It reads like a name."
    assert "(score " in explain_token(vault, token, held, (), masked).reason


def test_text_whose_surroundings_speak_against_a_kind_says_so():
    explanation = explain("10.20.30.40", "version 10.20.30.40 of the package")
    assert not explanation.masked
    assert explanation.details == (
        "Alone it would be masked as an IP address; the text around it shows that it is none.",
    )
    assert explanation.remedies[-1].kind == "IP"
