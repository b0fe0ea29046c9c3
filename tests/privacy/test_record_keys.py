"""What a key announces among the other keys of its record."""

from __future__ import annotations

from workbench.privacy.kinds import settled
from workbench.privacy.record_keys import is_person, kinds_of


def kind(keys: list[str], value: str = "Rosa", around: str = "", key: str = "name") -> str:
    told = kinds_of(keys, around)[key]
    found = settled(told, value) if told else None
    return found.name if found and found.accepts(value) else ""


def test_a_bare_name_is_a_persons_beside_personal_data_or_below_a_person() -> None:
    assert kind(["name", "email"]) == kind(["name"], around="customers") == kind(["name", "dob"]) == "NAME"
    assert kind(["name", "price"]) == kind(["name", "company"]) == kind(["name"], around="products") == ""


def test_a_bare_name_beside_nothing_telling_is_a_persons_if_it_reads_like_one() -> None:
    assert kind(["id", "name", "state", "count"], "Ngozi Hearunl") == "NAME"
    assert kind(["id", "name", "state"], "Walnut Desk") == kind(["id", "name", "state"], "Ngozi") == ""
    assert kind(["name", "price"], "Ngozi Hearunl") == kind(["name"], "Ngozi Hearunl", "labels") == ""


def test_beside_a_phone_only_what_reads_like_a_name_is_one() -> None:
    assert kind(["name", "phone"], "Rosa Lund") == "NAME"
    assert kind(["name", "phone"], "Harbour café") == ""


def test_a_role_holds_a_name_or_a_user_name() -> None:
    assert kind(["user"], "rlund_42", key="user") == kind(["author"], "rlund.k", key="author") == "USERNAME"
    assert kind(["user"], "Rosa Lund", key="user") == "NAME"
    assert kind(["user"], "U024BE7LH", key="user") == kind(["author"], "system", key="author") == ""


def test_who_a_message_is_from_and_to_may_be_a_number() -> None:
    assert kind(["from", "to", "body"], "020 7946 0958", key="to") == "PHONE"
    assert kind(["from", "to", "body"], "Rosa Lund", key="from") == "NAME"
    assert kind(["from", "to"], "Rosa Lund", key="from") == ""


def test_people_are_known_in_singular_and_plural() -> None:
    assert is_person("customers")
    assert is_person("assignedTo")
    assert not is_person("products")
