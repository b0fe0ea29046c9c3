"""What key names announce, alone and in their record."""

from __future__ import annotations

import pytest

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.field_names import (
    agreed,
    inherited,
    is_person,
    kind_of,
    kinds_of,
    majority_kind,
)
from workbench.privacy.detectors.key_words import words_of
from workbench.privacy.detectors.kinds import settled
from workbench.records import JsonValue


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("email", "EMAIL"),
        ("work_email", "EMAIL"),
        ("emailAddress", "EMAIL"),
        ("E-Mail", "EMAIL"),
        ("Mail", "EMAIL"),
        ("phone", "PHONE"),
        ("homePhone", "PHONE"),
        ("Telephone (office)", "PHONE"),
        ("MOBILE_NUMBER", "PHONE"),
        ("fax", "PHONE"),
        ("cardNumber", "CARD"),
        ("IBAN", "IBAN"),
        ("social_security_number", "SSN"),
        ("client_ip", "IP"),
        ("macAddress", "MAC"),
        ("db_password", "SECRET"),
        ("api-key", "SECRET"),
        ("date_of_birth", "DOB"),
        ("First Name", "NAME"),
        ("assignee", "NAME"),
        ("shipping_address", "ADDRESS"),
        ("email_address", "EMAIL"),
        ("ip_address", "IP"),
        ("company_phone", "PHONE"),
        ("companyName", "COMPANY"),
        ("user_name", "USERNAME"),
        ("sort_code", "BANK"),
    ],
)
def test_keys_announce_their_kind(key: str, kind: str) -> None:
    found = kind_of(key)
    assert found is not None
    assert found.name == kind


OTHERS = """
name email_verified emailCount phone_id phone_model hotel card_brand card_type password_changed_at max_tokens birth
next_page_token token_count company_size address_id order_id customer_id price status [EMAIL_1.k7q2]
"""


@pytest.mark.parametrize("key", [*OTHERS.split(), "", "x" * 500])
def test_other_keys_announce_nothing(key: str) -> None:
    assert kind_of(key) is None


def test_only_parts_of_the_same_data_inherit() -> None:
    assert inherited(kind_of("phone"), "home") is kind_of("phone")
    assert inherited(kind_of("full_name"), "first") is kind_of("full_name")
    assert inherited(kind_of("password"), "policy") is None
    assert inherited(None, "first") is None


def test_a_key_falls_into_its_words() -> None:
    assert words_of("homePhone (HTTPServer-2)") == ["home", "phone", "http", "server", "2"]


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


NUMBERS = ["+49 30 901820", "+49 30 901821", "+49 30 901822", "55 01 34"]


def rows(key: str, values: list[str]) -> list[JsonValue]:
    return [{"id": at, key: value} for at, value in enumerate(values)]


def test_the_odd_value_is_what_most_are() -> None:
    assert [(key, kind.name) for key, kind in agreed(rows("reach", NUMBERS), DEFAULT_RULES).items()] == [
        ("reach", "PHONE")
    ]


def test_few_rows_or_few_of_a_kind_agree_on_nothing() -> None:
    assert agreed(rows("reach", NUMBERS[:3]), DEFAULT_RULES) == {}
    assert agreed(rows("reach", [*NUMBERS[:2], "a", "b", "c"]), DEFAULT_RULES) == {}
    assert agreed(rows("reach", NUMBERS), DetectionRules(off=frozenset({"PHONE"}))) == {}


def test_names_agree_only_under_a_key_for_names() -> None:
    people = ["Rosa Lund", "Kofi Mensah", "Ayaka", "Femke Bakker", "Noor Jansen"]
    assert (kind := majority_kind(people, True, DEFAULT_RULES)) is not None
    assert kind.name == "NAME"
    assert kind.accepts("Ayaka")
    assert majority_kind(people, False, DEFAULT_RULES) is None
    assert majority_kind(["Walnut Desk", "Desk Lamp", "Office Chair", "Blue Sofa"], True, DEFAULT_RULES) is None


def test_nodes_of_trees_are_no_people_unless_their_record_says_so() -> None:
    assert kind(["name"], "Header", "children") == kind(["name"], "Sidebar", "child") == ""
    assert kind(["name", "age"], "Rosa", "children") == "NAME"


def test_a_kind_that_is_off_is_off_beside_others() -> None:
    rules = DetectionRules(off=frozenset({"NATIONAL_ID"}))
    assert (told := kind_of("tax_id", rules)) is not None
    assert [told.name, *(other.name for other in told.also)] == ["SSN"]


@pytest.mark.parametrize(
    "key", ["object_key", "LastEvaluatedKey", "partition_key", "cacheKey", "public_key", "next_page_key"]
)
def test_keys_that_identify_something_are_no_secrets(key: str) -> None:
    kind = kind_of(key)
    assert kind is None or not kind.accepts("LTNupt1rAKsjseqiWkncBjClNvJuEPpg9YVn")


def test_short_keys_of_directories_and_maps_are_read_beside_others() -> None:
    entry = kinds_of(["cn", "sn", "uid", "mail"])
    assert entry["uid"] is not None
    assert entry["uid"].name == "USERNAME"
    assert kinds_of(["uid", "kind", "namespace"])["uid"] is None
    place = kinds_of(["road", "house_number", "postcode"])
    assert place["road"] is not None
    assert place["road"].name == "ADDRESS"
    assert kinds_of(["road", "length"])["road"] is None
