"""Which keys announce personal data."""

from __future__ import annotations

import pytest

from workbench.privacy.keys import inherited, kind_of, words_of


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
