"""The vault hides and restores, keeps sessions apart, and holds to its properties on every text."""

from __future__ import annotations

import base64
import json
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from urllib.parse import quote, unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.detector import detect
from workbench.privacy.detectors.kinds import BY_NAME
from workbench.privacy.pii_tokens import LOOKALIKE, cut_before
from workbench.privacy.value_index import ANCHOR, fold
from workbench.privacy.vault import Restoration, Vault, refusal

EMAIL = "Rosa.Lund@example.com"
PHONE = "+44 20 7946 0958"


@pytest.fixture
def vault() -> Vault:
    made = Vault("session", key=b"k" * 32)
    made.register({"customers": [{"name": "Rosa", "email": EMAIL, "phone": PHONE}]}, "crm")
    return made


def token(vault: Vault, value: str) -> str:
    return vault.sanitize(value)


def test_a_value_becomes_a_token_with_type_number_and_bits(vault: Vault) -> None:
    assert vault.sanitize(f"<{EMAIL}>")[:10] == "<[EMAIL_1."


def test_the_same_value_keeps_its_token(vault: Vault) -> None:
    clean = vault.sanitize(f"{EMAIL} and {EMAIL}")
    first, second = clean.split(" and ")
    assert first == second


def test_sanitizing_twice_changes_nothing(vault: Vault) -> None:
    clean = vault.sanitize(f"write {EMAIL} or call {PHONE}")
    assert vault.sanitize(clean) == clean


def test_a_short_number_in_ordinary_text_stays(vault: Vault) -> None:
    vault.register({"phone": "12345"}, "crm")
    text = "12345 items of 2024-05-06 cost 99.50, order 0958, 7946 left"
    assert vault.sanitize(text) == text


def test_a_token_in_other_case_or_percent_encoded_is_restored(vault: Vault) -> None:
    found = token(vault, EMAIL)
    assert vault.restore_json(found.lower(), "crm") == EMAIL
    assert vault.restore_json(found.upper(), "crm") == EMAIL
    assert vault.restore_json(f"https://x/?q={quote(found, safe='')}", "crm") == f"https://x/?q={quote(EMAIL, safe='')}"


@pytest.mark.parametrize(
    "damage", ["[EMAIL_1]", "[EMAIL_1.0000]", "[EMAIL_99.abcd]", "EMAIL_1.abcd", "[EMAIL_1.abcd", "%5BEMAIL_1.0000%5D"]
)
def test_a_damaged_or_unknown_token_restores_nothing(vault: Vault, damage: str) -> None:
    token(vault, EMAIL)
    with pytest.raises(WorkbenchError, match="unknown in this session"):
        vault.restore_json({"to": damage}, "crm")


def test_a_token_with_a_leading_zero_is_damaged(vault: Vault) -> None:
    with pytest.raises(WorkbenchError):
        vault.restore_json(token(vault, EMAIL).replace("_1.", "_01."), "crm")


def test_tokens_of_another_session_never_resolve(vault: Vault) -> None:
    other = Vault("other", key=b"k" * 32)
    other.register({"email": EMAIL}, "crm")
    other.sanitize(EMAIL)
    foreign = token(vault, EMAIL)
    assert other.restore(foreign) == foreign
    with pytest.raises(WorkbenchError):
        other.restore_json(foreign, "crm")


@pytest.mark.parametrize("literal", ["[EMAIL_1]", "[PHONE_1.abcd]", "[email_1]", "%5BEMAIL_1.aaaa%5D", "EMAIL_1.k7q2"])
def test_a_look_alike_in_data_restores_to_itself(vault: Vault, literal: str) -> None:
    clean = vault.sanitize(f"the docs say {literal}.")
    assert literal not in clean
    assert vault.restore_json(clean, "any server") == f"the docs say {literal}."


def test_a_literal_is_no_personal_data(vault: Vault) -> None:
    vault.sanitize("[EMAIL_1]")
    assert vault.counts_by_kind() == {}


def test_found_counts_values_by_kind(vault: Vault) -> None:
    vault.sanitize(f"{EMAIL} {PHONE} {EMAIL}")
    assert vault.counts_by_kind() == {"EMAIL": 1, "PHONE": 1}


def test_reveal_gives_one_value_and_refuses_unknown_ones(vault: Vault) -> None:
    assert vault.reveal(token(vault, EMAIL)) == EMAIL
    with pytest.raises(WorkbenchError):
        vault.reveal("[EMAIL_7.abcd]")
    with pytest.raises(WorkbenchError):
        vault.reveal("hello")


def test_json_keeps_its_structure_and_numbers_come_back_as_numbers(vault: Vault) -> None:
    value = {"phone": 14155550132, "n": 7, "ok": True, "none": None, "rows": [[EMAIL, 1.5]], "mobile": 4930901820.0}
    clean = vault.sanitize_json(value)
    assert isinstance(clean["phone"], str)
    assert isinstance(clean["mobile"], str)
    assert clean["n"] == 7
    assert clean["ok"] is True
    restored = vault.restore_json(clean, "crm", allow_foreign=True)
    assert restored == value
    assert isinstance(restored["phone"], int)
    assert isinstance(restored["mobile"], float)


def test_a_known_number_is_hidden_wherever_it_stands(vault: Vault) -> None:
    vault.register({"phone": 14155550132}, "crm")
    clean = vault.sanitize_json({"x": [14155550132, "14155550132", 5]})
    assert "14155550132" not in json.dumps(clean)
    assert vault.restore_json(clean, "crm") == {"x": [14155550132, "14155550132", 5]}


def test_keys_of_objects_are_hidden_too(vault: Vault) -> None:
    clean = vault.sanitize_json({EMAIL: 1, "b@example.org": 2})
    assert EMAIL not in clean
    assert vault.restore_json(clean, "crm", allow_foreign=True) == {EMAIL: 1, "b@example.org": 2}


def test_keys_tell_what_the_form_does_not() -> None:
    vault = Vault("s")
    vault.register({"contact": {"homePhone": "5550134", "mail": "root@localhost"}, "tel": ["901820"]}, "crm")
    clean = vault.sanitize("5550134, 901820 and root@localhost")
    assert "5550134" not in clean
    assert "root@localhost" not in clean


def test_json_inside_a_string_is_read_with_its_keys() -> None:
    vault = Vault("s")
    vault.register([{"text": json.dumps({"phone": "5550134"})}], "crm")
    assert "5550134" not in vault.sanitize("nothing but 5550134 here")


def test_a_value_nested_too_deeply_fails_closed() -> None:
    value: list[object] = ["a@example.com"]
    for _ in range(5000):
        value = [value]
    with pytest.raises(WorkbenchError, match="nested too deeply"):
        Vault("s").sanitize_json(value)


PROFILE = settings.get_profile("privacy")
VALUES = [
    "john@example.com",
    "JOHN@EXAMPLE.COM",
    "a.b+c@x.co.uk",
    '"odd one"@example.org',
    "jürgen@müller.de",
    "+44 20 7946 0958",
    "+442079460958",
    "(415) 555-0132",
    "415-555-0132",
    "030 901820",
    "Phone: 5550134",
    "İstanbul@example.com",
    "4111 1111 1111 1111",
    "123-45-6789",
    "DE89 3704 0044 0532 0130 00",
    "00:1A:2b:3c:4d:5e",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "203.0.113.77",
]
LITERALS = [
    "[EMAIL_1]",
    "[PHONE_def456]",
    "[EMAIL_1.aaaa]",
    "[email_1]",
    "[LITERAL_1.zzzz]",
    "[EMAIL_",
    "_1.aaaa]",
    "[[EMAIL_1]]",
    "%5BEMAIL_1.aaaa%5D",
    "[EMAIL_1.k7q2",
    "EMAIL_1.k7q2",
    "%5D",
]
NOISE = [
    " please ask Tomasz Zieliński about it ",
    " moved to 48 Wellington Road, Leeds LS2 9AB ",
    "Dear Dr. Okafor, ",
    " the Annual Report of Brakoun ",
    "Full name: Rosa Lund",
    "Rosa",
    "password=",
    "dob: 1990-05-06",
    "://a:b@",
    "[NAME_1]",
    "name_1.json",
    " ",
    "\n",
    ", ",
    "\t",
    '"',
    "'",
    "\\",
    "=",
    "@",
    ".",
    "-",
    "+",
    "1",
    "0",
    "%40",
    "\\u0040",
    "é",
    "日本",
    '"}',
    '{"a":',
    "\0",
]

value = st.sampled_from(VALUES)
words = st.one_of(
    value,
    st.sampled_from(LITERALS),
    st.sampled_from(NOISE),
    st.text(max_size=12),
    value.map(lambda v: quote(v, safe="")),
    value.map(lambda v: base64.b64encode(v.encode()).decode()),
    value.map(lambda v: v.encode().hex()),
    value.map(lambda v: v[::-1]),
    value.map(json.dumps),
)
texts = st.lists(words, max_size=9).map("".join)
KEYS = "name email phone id tel rosa@example.com phone_count first_name password dob card_number customer address token"
keys = st.sampled_from([*KEYS.split(), "a b"])
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
documents = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=8
)


def fresh(name: str = "A") -> Vault:
    return Vault(name, key=name.encode() * 32)


def with_letters(text: str) -> str:
    """The text with letters that JSON wrote by their numbers: a name has one token however it is written."""
    return re.sub(r"\\+u(00[89a-f][0-9a-f])", lambda match: chr(int(match[1], 16)), text, flags=re.IGNORECASE)


@settings(PROFILE)
@given(texts)
def test_every_text_comes_back_as_it_was(text: str) -> None:
    own = fresh()
    assert with_letters(own.restore(own.sanitize(text))) == with_letters(text)


@settings(PROFILE)
@given(texts)
def test_sanitizing_again_changes_nothing(text: str) -> None:
    own = fresh()
    clean = own.sanitize(text)
    assert own.sanitize(clean) == clean


@settings(PROFILE)
@given(texts)
def test_the_detector_finds_nothing_more(text: str) -> None:
    clean = fresh().sanitize(text)
    assert detect(LOOKALIKE.sub(lambda match: "\0" * len(match.group()), clean)) == ()


@settings(PROFILE)
@given(st.lists(value, min_size=1, max_size=4), texts)
def test_no_registered_value_remains(values: list[str], text: str) -> None:
    own = fresh()
    own.register([{"email": item, "phone": item} for item in values], "crm")
    clean = fold(LOOKALIKE.sub("\0", own.sanitize(text + values[0] + text)))
    for item in values:
        if len(item) >= ANCHOR and not item.startswith("Phone"):
            assert fold(item) not in clean


neighbours = st.sampled_from(["", "x", "7", " ", "=", '"', "日"])


@settings(PROFILE)
@given(value.filter(lambda v: not v.startswith("Phone")), neighbours, neighbours)
def test_a_registered_value_is_found_between_any_neighbours(item: str, cut_before: str, after: str) -> None:
    own = fresh()
    own.register({"email": item, "phone": item}, "crm")
    for writing in (item, item.upper(), quote(item, safe=""), json.dumps(item), item.encode().hex()):
        clean = own.sanitize(cut_before + writing + after)
        assert writing.strip('"') not in LOOKALIKE.sub("", clean)
        as_letters = json.dumps(item, ensure_ascii=False) if writing == json.dumps(item) else writing
        assert own.restore(clean) == cut_before + as_letters + after


def test_a_name_that_json_wrote_by_numbers_has_the_token_of_the_name() -> None:
    own = fresh()
    own.register([{"full_name": "Joaquín Hartsuiker"}], "crm")
    token = own.sanitize("Joaquín Hartsuiker")
    assert own.sanitize(json.dumps("Joaquín Hartsuiker")) == f'"{token}"'
    assert own.restore_json([token], "crm") == ["Joaquín Hartsuiker"]


@settings(PROFILE)
@given(texts, texts)
def test_tokens_of_one_session_mean_nothing_in_another(first: str, second: str) -> None:
    ours, theirs = fresh("A"), fresh("B")
    theirs.sanitize(first)
    theirs.sanitize(second)
    clean = LOOKALIKE.findall(ours.sanitize(first))
    issued = [token for token in clean if ours.restore(token) != token]
    assert [theirs.restore(token) for token in issued] == issued


@settings(PROFILE)
@given(texts, texts)
def test_tokens_of_another_session_pass_unchanged(first: str, second: str) -> None:
    ours, theirs = fresh("A"), fresh("B")
    theirs.sanitize(second)
    foreign = ours.sanitize(first)
    assert with_letters(theirs.restore(theirs.sanitize(foreign))) == with_letters(foreign)


@settings(PROFILE)
@given(texts, st.lists(st.integers(0, 400), max_size=6))
def test_a_text_that_is_cut_anywhere_comes_back_piece_by_piece(text: str, cuts: list[int]) -> None:
    own = fresh()
    clean = own.sanitize(text)
    places = sorted({0, len(clean), *(cut_before(clean, min(cut, len(clean))) for cut in cuts)})
    assert with_letters("".join(own.restore(clean[start:end]) for start, end in pairwise(places))) == with_letters(text)


@settings(PROFILE)
@given(documents)
def test_json_comes_back_as_it_was(document: object) -> None:
    own = fresh()
    restored = own.restore_json(own.sanitize_json(document), "crm", allow_foreign=True)
    found, wanted = (json.dumps(one, ensure_ascii=False) for one in (restored, document))
    assert with_letters(found) == with_letters(wanted)


@settings(PROFILE)
@given(documents)
def test_sanitizing_json_again_changes_nothing(document: object) -> None:
    own = fresh()
    clean = own.sanitize_json(document)
    assert own.sanitize_json(clean) == clean


@settings(PROFILE)
@given(texts)
def test_tokens_survive_case_json_and_urls(text: str) -> None:
    own = fresh()
    for token in LOOKALIKE.findall(own.sanitize(text)):
        held = own.restore(token)
        assert own.restore(token.lower()) == own.restore(token.upper()) == held
        assert own.restore(json.loads(json.dumps(token))) == held
        assert unquote(own.restore(quote(token, safe="")), errors="surrogatepass") == held


@settings(PROFILE)
@given(documents)
def test_registering_never_fails_and_hides_what_it_learned(document: object) -> None:
    own = fresh()
    own.register(document, "crm")
    own.sanitize(json.dumps(document))
    assert set(own.counts_by_kind()) <= set(BY_NAME)


def test_threads_never_give_one_token_to_two_values_or_two_tokens_to_one(quick_switches: None) -> None:
    vault = Vault("session")
    values = [f"value {n}" for n in range(1_000)]
    with ThreadPoolExecutor(8) as threads:
        work = [threads.submit(lambda: [vault.token("CUSTOM", value) for value in values]) for _ in range(8)]
        made = [one.result() for one in work]
    assert [vault.reveal(token) for token in made[0]] == values
    assert all(tokens == made[0] for tokens in made)
    assert vault.counts_by_kind() == {"CUSTOM": len(values)}


def test_threads_that_learn_mask_and_restore_at_once_lose_no_value(quick_switches: None) -> None:
    people = [{"id": n, "name": f"Rosa Lund{n}", "email": f"rosa{n}@example.org"} for n in range(60)]
    text = "; ".join(f"mail rosa{n}@example.org" for n in range(60))
    vault = Vault("session")
    rules = DetectionRules(off=frozenset({"MAC"}))

    def work(number: int) -> None:
        vault.register(people[number], f"crm{number % 3}")
        masked = vault.sanitize(text)
        assert vault.restore(masked) == text
        vault.sanitize_json(people[number])
        vault.remove_truncated_values(masked + "\n" + text[: 500 + number])
        vault.follow(rules if number % 2 else DEFAULT_RULES)
        vault.issued(), vault.counts_by_kind(), vault.places(people[number]["email"])

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(60)))
    assert not [person for person in people if person["email"] in vault.sanitize(text)]
    held = [held for _, held in vault.issued() if held.kind == "EMAIL"]
    assert sorted(one.text for one in held) == sorted(person["email"] for person in people)
    assert vault.counts_by_kind()["EMAIL"] == len(people), "a value got a second token"


def test_a_text_that_was_clean_is_looked_at_again_when_something_was_learnt(vault: Vault) -> None:
    assert vault.sanitize("the code 4711 0815 23") == "the code 4711 0815 23"
    vault.register({"phone": "4711 0815 23"}, "crm")
    assert "4711" not in vault.sanitize("the code 4711 0815 23")
    assert vault.sanitize("ID Quendrim") == "ID Quendrim"
    vault.sanitize_json({"customer": {"first_name": "Quendrim"}})
    assert "Quendrim" not in vault.sanitize("ID Quendrim")


EMAIL = "Rosa.Lund@example.com"
PHONE = "+44 20 7946 0958"


def test_restoring_for_the_server_that_supplied_a_value_works(vault: Vault) -> None:
    arguments = {"to": token(vault, EMAIL), "text": f"call {token(vault, PHONE)}"}
    assert vault.restore_json(arguments, "crm") == {"to": EMAIL, "text": f"call {PHONE}"}


def test_restoring_for_another_server_is_refused_in_words(vault: Vault) -> None:
    second = "bo@example.org"
    vault.register({"email": second}, "crm")
    with pytest.raises(WorkbenchError) as fault:
        vault.restore_json([token(vault, EMAIL), token(vault, second)], "mail")
    assert fault.value.message == "2 e-mail addresses from crm would be sent to mail."


def test_a_person_may_allow_another_server(vault: Vault) -> None:
    arguments = {"to": token(vault, EMAIL)}
    assert vault.restore_json(arguments, "mail", allow_foreign=True) == {"to": EMAIL}


def test_restorations_say_what_would_go_where(vault: Vault) -> None:
    said = vault.restorations({"to": token(vault, EMAIL), "cc": token(vault, EMAIL)}, "mail")
    assert [(r.kind, r.count, r.source, r.server, r.foreign) for r in said] == [("EMAIL", 1, "crm", "mail", True)]


def test_another_writing_of_a_value_keeps_its_origin(vault: Vault) -> None:
    encoded = vault.sanitize(quote(EMAIL, safe=""))
    with pytest.raises(WorkbenchError, match="e-mail address from crm would be sent to mail"):
        vault.restore_json(encoded, "mail")
    assert vault.restore_json(encoded, "crm") == quote(EMAIL, safe="")


def test_a_value_that_no_server_supplied_goes_nowhere_unasked(vault: Vault) -> None:
    with pytest.raises(WorkbenchError, match="from this session would be sent to crm"):
        vault.restore_json(token(vault, "new@example.net"), "crm")


def test_a_value_two_servers_supplied_is_restored_for_both(vault: Vault) -> None:
    found = token(vault, EMAIL)
    vault.register({"email": EMAIL}, "mail")
    assert vault.restore_json(token(vault, EMAIL), "mail") == EMAIL
    assert vault.restore_json(found, "crm") == EMAIL


def test_a_refusal_names_all_that_would_go() -> None:
    two = [Restoration("EMAIL", 2, "crm", "mail", True), Restoration("PHONE", 1, "crm", "mail", True)]
    emails, phone = "2 e-mail addresses from crm would be sent to mail", "1 phone number from crm would be sent to mail"
    assert refusal(two).message == f"{emails}; {phone}."
    assert refusal(two).hint


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ({"customer_name": "Rosa Lundqvist"}, {"first_name": "Rosa"}),
        ({"address": "Storgatan 12, 411 24 Göteborg"}, {"postal_code": "411 24"}),
        ({"email": "rosa@lundqvist-holding.example"}, {"username": "lundqvist-holding.example"}),
        ({"password": "hunter2-Zebra99-Xylo"}, {"username": "zebra99"}),
        ({"phone": "+46 70 123 45 67"}, {"phone": "123 45 67"}),
    ],
)
def test_a_server_that_supplied_a_part_of_a_value_does_not_get_the_rest_unasked(
    whole: dict[str, str], part: dict[str, str]
) -> None:
    vault = Vault("A")
    vault.register(part, "parts")
    vault.register(whole, "crm")
    (key, value), *_ = whole.items()
    found = vault.sanitize(f"{key}: {value}")
    assert [one.foreign for one in vault.restorations(found, "parts")] == [True]
    assert [one.foreign for one in vault.restorations(found, "crm")] == [False]


def test_a_private_key_that_was_cut_off_is_masked() -> None:
    kind = "RSA PRIVATE KEY"
    lines = "\n".join("MIIEpAIBAAKCAQEA7f3b2c" * 3 for _ in range(5))
    assert "MIIE" not in fresh().sanitize(f"-----BEGIN {kind}-----\n{lines}\nmore text follows")
    assert (
        fresh().sanitize(f"A file begins with -----BEGIN {kind}----- and ends.").startswith("A file begins with -----")
    )


def test_a_server_that_lists_all_dates_or_pins_is_no_source_of_one() -> None:
    own = fresh()
    own.register({"date_of_birth": "1984-07-23", "pin": "4711"}, "crm")
    own.keep(" ".join(f"1984-07-{day:02}" for day in range(1, 32)) + " ".join(map(str, range(1000, 9999))), "evil")
    tokens = own.sanitize_json({"date_of_birth": "1984-07-23"})
    assert [one.foreign for one in own.restorations(tokens, "evil")] == [True]
