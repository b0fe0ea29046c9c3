"""What must hold for every text: round trip, idempotence, nothing registered remains, sessions stay apart."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, unquote

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.privacy.detect import detect
from workbench.privacy.known import ANCHOR, fold
from workbench.privacy.marks import LOOKALIKE
from workbench.privacy.vault import Vault

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
keys = st.sampled_from(["name", "email", "phone", "id", "tel", "a b", "rosa@example.com", "phone_count"])
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
documents = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=8
)


def vault(name: str = "A") -> Vault:
    return Vault(name, key=name.encode() * 32)


@settings(PROFILE)
@given(texts)
def test_every_text_comes_back_as_it_was(text: str) -> None:
    own = vault()
    assert own.restore(own.sanitize(text)) == text


@settings(PROFILE)
@given(texts)
def test_sanitizing_again_changes_nothing(text: str) -> None:
    own = vault()
    clean = own.sanitize(text)
    assert own.sanitize(clean) == clean


@settings(PROFILE)
@given(texts)
def test_the_detector_finds_nothing_more(text: str) -> None:
    clean = vault().sanitize(text)
    assert detect(LOOKALIKE.sub(lambda match: "\0" * len(match.group()), clean)) == ()


@settings(PROFILE)
@given(st.lists(value, min_size=1, max_size=4), texts)
def test_no_registered_value_remains(values: list[str], text: str) -> None:
    own = vault()
    own.register([{"email": item, "phone": item} for item in values], "crm")
    clean = fold(LOOKALIKE.sub("\0", own.sanitize(text + values[0] + text)))
    for item in values:
        if len(item) >= ANCHOR and not item.startswith("Phone"):
            assert fold(item) not in clean


neighbours = st.sampled_from(["", "x", "7", " ", "=", '"', "日"])


@settings(PROFILE)
@given(value.filter(lambda v: not v.startswith("Phone")), neighbours, neighbours)
def test_a_registered_value_is_found_between_any_neighbours(item: str, before: str, after: str) -> None:
    own = vault()
    own.register({"email": item, "phone": item}, "crm")
    for writing in (item, item.upper(), quote(item, safe=""), json.dumps(item), item.encode().hex()):
        clean = own.sanitize(before + writing + after)
        assert writing.strip('"') not in LOOKALIKE.sub("", clean)
        assert own.restore(clean) == before + writing + after


@settings(PROFILE)
@given(texts, texts)
def test_tokens_of_one_session_mean_nothing_in_another(first: str, second: str) -> None:
    ours, theirs = vault("A"), vault("B")
    theirs.sanitize(first)
    theirs.sanitize(second)
    clean = LOOKALIKE.findall(ours.sanitize(first))
    issued = [token for token in clean if ours.restore(token) != token]
    assert [theirs.restore(token) for token in issued] == issued


@settings(PROFILE)
@given(texts, texts)
def test_tokens_of_another_session_pass_unchanged(first: str, second: str) -> None:
    ours, theirs = vault("A"), vault("B")
    theirs.sanitize(second)
    foreign = ours.sanitize(first)
    assert theirs.restore(theirs.sanitize(foreign)) == foreign


@settings(PROFILE)
@given(documents)
def test_json_comes_back_as_it_was(document: object) -> None:
    own = vault()
    restored = own.restore_json(own.sanitize_json(document), "crm", allow_foreign=True)
    assert restored == document
    assert json.dumps(restored) == json.dumps(document)


@settings(PROFILE)
@given(documents)
def test_sanitizing_json_again_changes_nothing(document: object) -> None:
    own = vault()
    clean = own.sanitize_json(document)
    assert own.sanitize_json(clean) == clean


@settings(PROFILE)
@given(texts)
def test_tokens_survive_case_json_and_urls(text: str) -> None:
    own = vault()
    for token in LOOKALIKE.findall(own.sanitize(text)):
        held = own.restore(token)
        assert own.restore(token.lower()) == own.restore(token.upper()) == held
        assert own.restore(json.loads(json.dumps(token))) == held
        assert unquote(own.restore(quote(token, safe="")), errors="surrogatepass") == held


@settings(PROFILE)
@given(documents)
def test_registering_never_fails_and_hides_what_it_learned(document: object) -> None:
    own = vault()
    own.register(document, "crm")
    own.sanitize(json.dumps(document))
    assert set(own.found()) <= {"EMAIL", "PHONE"}
