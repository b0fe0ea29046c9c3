"""What comes from outside: mails, pages, and a refund that pays nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def test_mails_are_listed_without_their_text_and_read_one_by_one(demo: Line) -> None:
    mails = demo.get("list_inbox")["result"]
    assert len(mails) > 5
    assert all("body" not in mail for mail in mails)
    assert "ORD-00042" in demo.get("read_mail", mail_id=mails[0]["id"])["body"]


def test_pages_are_found_by_their_address_whatever_is_asked_of_them(demo: Line) -> None:
    page = demo.get("fetch_page", url="https://carrier.example/status?day=1")
    assert "Lyon" in page["text"]


def test_a_refund_is_noted(demo: Line) -> None:
    given = {"order_id": "ORD-00001", "amount": 5.5, "account": "DE89370400440532013000"}
    assert demo.get("refund_order", **given) == {"order_id": "ORD-00001", "amount": 5.5, "refunded": True}
