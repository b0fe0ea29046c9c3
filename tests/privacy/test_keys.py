"""Which keys announce personal data."""

from __future__ import annotations

import pytest

from workbench.privacy.keys import kind_of


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
    ],
)
def test_keys_announce_their_kind(key: str, kind: str) -> None:
    found = kind_of(key)
    assert found is not None
    assert found.name == kind


@pytest.mark.parametrize(
    "key", ["name", "email_verified", "emailCount", "phone_id", "phone_model", "hotel", "", "x" * 500]
)
def test_other_keys_announce_nothing(key: str) -> None:
    assert kind_of(key) is None
