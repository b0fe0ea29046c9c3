"""Demo tools for outside content (the inbox and web pages) and for refunds."""

from __future__ import annotations

from dataclasses import asdict
from urllib.parse import urlsplit

from workbench.demo.company import Company
from workbench.demo.outside import PAGES
from workbench.demo.tool import (
    OUTSIDE,
    PAYS,
    DemoAnswer,
    DemoTool,
    Json,
    Progress,
    Refused,
    listing,
    number,
    record,
    text,
)

MAIL_ID = text("Number of a mail such as IN-0003", pattern="^IN-[0-9]{4,}$")
_SHORT: dict[str, Json] = {
    "id": MAIL_ID,
    "sender": text("Who wrote it"),
    "subject": text("Subject"),
}
_LETTER = record({**_SHORT, "body": text("Text of the mail")})


def _inbox(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    rows = [{key: value for key, value in asdict(one).items() if key != "body"} for one in company.inbox.values()]
    return DemoAnswer({"result": rows})


def _read(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    found = company.inbox.get(given["mail_id"])
    if found is None:
        raise Refused(f"There is no mail {given['mail_id']}. list_inbox shows all of them.")
    return DemoAnswer(asdict(found))


def _page(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    parts = urlsplit(given["url"])
    found = PAGES.get(f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/"))
    if found is None:
        raise Refused(f"There is no such page. This made-up web has: {', '.join(PAGES)}.")
    return DemoAnswer({"url": given["url"], "text": found})


def _refund(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    if given["order_id"] not in company.orders:
        raise Refused(f"There is no order {given['order_id']}. list_orders shows them.")
    company.refunds.append(dict(given))
    return DemoAnswer({"order_id": given["order_id"], "amount": given["amount"], "refunded": True})


TOOLS = (
    DemoTool(
        name="list_inbox",
        title="List the inbox",
        description="List the mails that came from outside, without their text.",
        properties={},
        work=_inbox,
        hints=OUTSIDE,
        output=record({"result": listing(record(_SHORT))}),
    ),
    DemoTool(
        name="read_mail",
        title="Read a mail",
        description="Read one mail of the inbox. Anybody outside the company can write one.",
        properties={"mail_id": MAIL_ID},
        required=("mail_id",),
        work=_read,
        hints=OUTSIDE,
        output=_LETTER,
    ),
    DemoTool(
        name="fetch_page",
        title="Fetch a web page",
        description="Fetch a page of a made-up web. Anybody can write there.",
        properties={"url": text("Address of the page", format="uri")},
        required=("url",),
        work=_page,
        hints=OUTSIDE,
        output=record({"url": text("Address"), "text": text("What stands there")}),
    ),
    DemoTool(
        name="refund_order",
        title="Refund an order",
        description="Pay back an order to a bank account. In this demo no money moves.",
        properties={
            "order_id": text("An order number such as ORD-00042", pattern="^ORD-[0-9]{5}$"),
            "amount": number("How much, in euros", exclusiveMinimum=0),
            "account": text("The bank account (IBAN) that receives it", minLength=8),
        },
        required=("order_id", "amount", "account"),
        work=_refund,
        hints=PAYS,
        output=record(
            {"order_id": text("The order"), "amount": number("How much"), "refunded": {"type": "boolean"}},
        ),
    ),
)
