"""Encrypted values open for their session and token only; parts of a name have its number."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.pii_tokens import find_tokens
from workbench.privacy.value_store import KEY, ValueCipher
from workbench.privacy.vault import Vault

MASTER = bytes(range(KEY))


def test_what_was_sealed_opens_again_and_shows_nothing() -> None:
    box = ValueCipher(MASTER, "agent-1")
    sealed = box.seal("[EMAIL_1.k7q2]", {"text": "rosa@corp.io \ud83d"})
    assert ValueCipher(MASTER, "agent-1", box.wrapped).open("[EMAIL_1.k7q2]", sealed) == {"text": "rosa@corp.io \ud83d"}
    assert b"rosa" not in base64.b64decode(sealed)
    assert sealed != box.seal("[EMAIL_1.k7q2]", {"text": "rosa@corp.io \ud83d"})


def test_what_was_moved_or_changed_or_is_under_another_key_does_not_open() -> None:
    box = ValueCipher(MASTER, "agent-1")
    sealed = box.seal("[EMAIL_1.k7q2]", "rosa")
    changed = base64.b64encode(base64.b64decode(sealed)[:-1] + b"\0").decode()
    for other, about, data in (
        (box, "[EMAIL_2.k7q2]", sealed),
        (box, "[EMAIL_1.k7q2]", changed),
        (ValueCipher(MASTER, "agent-1"), "[EMAIL_1.k7q2]", sealed),
        (box, "[EMAIL_1.k7q2]", "not base64"),
    ):
        with pytest.raises(ValueError, match=r"."):
            other.open(about, data)
    for master, session in ((bytes(KEY), "agent-1"), (MASTER, "agent-2")):
        with pytest.raises(ValueError, match="belongs to something else"):
            ValueCipher(master, session, box.wrapped)


def _number(token: str) -> str:
    return token.partition(".")[0]


def test_a_part_or_another_spelling_of_a_known_name_has_its_number_and_restores_as_written() -> None:
    vault = Vault("s")
    whole = vault.token("NAME", "Priya Raman")
    for part in ("Priya", "Raman", "PRIYA RAMAN", "Raman, Priya", "priya"):
        token = vault.token("NAME", part)
        assert token != whole
        assert _number(token) == _number(whole)
        assert vault.reveal(token) == part
        assert vault.token("NAME", part) == token
        assert Vault("s").read(token) is None, "of this session only"
    assert vault.counts_by_kind() == {"NAME": 6}
    assert _number(vault.token("NAME", "Priyanka")) != _number(whole)
    assert vault.read(vault.token("USERNAME", "Priya").replace("USERNAME", "NAME")) is None


def test_a_part_of_several_names_has_a_number_of_its_own() -> None:
    vault = Vault("s")
    names = {_number(vault.token("NAME", name)) for name in ("Priya Raman", "Priya Shah")}
    assert len(names) == 2
    assert _number(vault.token("NAME", "Priya")) not in names
    assert _number(vault.token("NAME", "Shah")) in names


def test_a_first_name_before_the_full_name_that_a_server_sent_has_its_number_too() -> None:
    vault = Vault("s")
    vault.register({"name": "Priya Raman", "email": "priya@corp.io"}, "crm")
    masked = vault.sanitize("Dear Priya, this goes to Priya Raman.")
    numbers = [_number(match.group()) for match in find_tokens(masked)]
    assert len(numbers) == 2, masked
    assert numbers[0] == numbers[1]
    assert vault.restore(masked) == "Dear Priya, this goes to Priya Raman."


def test_more_parts_than_one_number_has_room_for_get_their_own_numbers_and_all_restore() -> None:
    vault = Vault("s")
    whole = vault.token("NAME", "Ada Mary Lovelace")
    spellings = [f"Ada{' ' * blanks}Lovelace" for blanks in range(1, 30)]
    tokens = [vault.token("NAME", spelling) for spelling in spellings]
    assert [vault.reveal(token) for token in tokens] == spellings
    assert len({whole, *tokens}) == 30
    assert 1 < sum(_number(token) == _number(whole) for token in tokens) < 10


def test_a_stored_part_of_a_name_is_put_back_under_its_token() -> None:
    vault = Vault("s")
    tokens = [vault.token("NAME", name) for name in ("Priya Raman", "Priya")]
    again = Vault("s", vault.key)
    for token, name in zip(reversed(tokens), ("Priya", "Priya Raman"), strict=True):
        again.put_back(token, name, None, ())
    assert [again.reveal(token) for token in tokens] == ["Priya Raman", "Priya"]
    assert again.token("NAME", "Priya") == tokens[1]
    assert _number(again.token("NAME", "Raman")) == _number(tokens[0])


def test_guessing_a_signature_of_a_part_almost_never_works() -> None:
    vault = Vault("s")
    vault.token("NAME", "Priya Raman")
    vault.token("NAME", "Priya")
    letters = "0123456789abcdefghjkmnpqrstvwxyz"
    guesses = [f"[NAME_1.{a}{b}{c}0]" for a in letters for b in letters for c in letters[:4]]
    assert sum(vault.read(guess) is not None for guess in guesses) <= 1


@given(st.lists(st.sampled_from(["Priya", "Raman", "Shah", "priya", "J.", " ", ", ", "-", "Ö", "李"]), max_size=6))
def test_every_spelling_of_names_restores_to_itself(parts: list[str]) -> None:
    vault, made = Vault("s"), {}
    for name in ("".join(parts), "Priya Raman", "".join(reversed(parts)), "Priya Shah", *parts):
        made[vault.token("NAME", name)] = name
    assert all(vault.reveal(token) == name for token, name in made.items())
