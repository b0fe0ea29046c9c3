"""Generates tool results with personal data for `privacy.py`: 25 typical shapes of answers, text and JSON.

Every value of a kind is labelled, even if its context does not show what it is. Everything else is innocent: order
numbers, times, states, prices, versions, URLs of pages.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from urllib.parse import quote

from privacy_marked import Sample, mark, mark_number, sample
from privacy_values import Values

from workbench.records import JsonValue

_STATES = ["open", "closed", "waiting", "escalated", "paid", "active"]
_TOPICS = [
    "Invoice total differs",
    "Cannot sign in",
    "Parcel arrived late",
    "Export fails with 500",
    "Renew the contract",
]
_ITEMS = ["Walnut desk", "USB-C cable 2 m", "Annual licence", "Espresso beans 1 kg", "Support hours", "LED panel 40x40"]


class Person:
    """The marked values of one person for the records of a shape."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self.given, self.family = values.given(), values.family()
        self.name = mark("NAME", f"{self.given} {self.family}")

    def __getattr__(self, kind: str) -> str:
        made = mark(kind.upper(), self._values.make(kind))
        setattr(self, kind, made)
        return made


class Shapes:
    """Generates results of each shape from one seed."""

    def __init__(self, seed: int) -> None:
        self.values = Values(seed)
        self.rng = random.Random(seed + 1)

    def all(self, each: int) -> Iterator[Sample]:
        """This many results of every shape."""
        makers: dict[str, Callable[[], JsonValue]] = {
            name.removeprefix("_r_"): getattr(self, name) for name in sorted(dir(type(self))) if name.startswith("_r_")
        }
        for name, make in makers.items():
            for _ in range(each):
                yield sample(name, make())

    def _person(self) -> Person:
        return Person(self.values)

    def _people(self, most: int = 6) -> list[Person]:
        return [self._person() for _ in range(self.rng.randint(2, most))]

    def _id(self, prefix: str) -> str:
        return f"{prefix}-{self.rng.randrange(10000, 99999)}"

    def _when(self) -> str:
        r = self.rng
        return f"2025-{r.randint(1, 12):02}-{r.randint(1, 28):02}T{r.randint(0, 23):02}:{r.randint(0, 59):02}:07Z"

    def _price(self) -> float:
        return self.rng.randrange(500, 90000) / 100

    def _national_phone(self) -> str:
        return mark("PHONE", self.values.national_phone())

    def _r_crm_rows(self) -> JsonValue:
        rows: list[JsonValue] = [
            {
                "id": self.rng.randrange(1, 9999),
                "full_name": p.name,
                "email": p.email,
                "phone": p.phone,
                "billing_address": p.address,
                "company": p.company,
                "status": self.values.pick(_STATES),
                "score": self._price(),
            }
            for p in self._people()
        ]
        return {"rows": rows, "total": len(rows), "next_cursor": None}

    def _r_hr_record(self) -> JsonValue:
        p = self._person()
        return {
            "employee": {
                "firstName": mark("NAME", p.given),
                "lastName": mark("NAME", p.family),
                "birthDate": p.dob,
                "ssn": p.ssn,
            },
            "payroll": {"iban": p.iban, "currency": "EUR", "salary": 4200 + self.rng.randrange(900)},
            "contact": {"workEmail": p.email, "mobile": self._national_phone(), "homeAddress": {"street": p.address}},
            "grade": "B2",
            "since": self._when(),
        }

    def _r_ticket(self) -> JsonValue:
        p, agent = self._person(), self._person()
        return {
            "key": self._id("SUP"),
            "subject": self.values.pick(_TOPICS),
            "status": self.values.pick(_STATES),
            "reporter": p.name,
            "assignee": {"displayName": agent.name, "emailAddress": agent.email},
            "description": (
                f"Customer {p.name} called from {p.phone} about order {self._id('ORD')}. Please reply to {p.email}."
            ),
            "labels": ["billing", "q3"],
            "created": self._when(),
        }

    def _r_mail(self) -> JsonValue:
        a, b = self._person(), self._person()
        return (
            f"From: {a.name} <{a.email}>\nTo: {b.name} <{b.email}>\nDate: Tue, 4 Mar 2025 10:12:07 +0000\n"
            f"Subject: {self.values.pick(_TOPICS)}\nMessage-ID: "
            f"<{self._id('m')}@lists>\n\nHi {mark('NAME', b.given)},\n\n"
            f"the goods go to {a.address}; our order is {self._id('ORD')}. You reach me at {a.phone}.\n\n"
            f"Best regards,\n{a.name}\nPhone: {a.phone}\n"
        )

    def _r_mail_list(self) -> JsonValue:
        return [
            {
                "id": f"{self.rng.getrandbits(64):016x}",
                "from": f"{p.name} <{p.email}>",
                "to": [q.email],
                "unread": True,
                "snippet": f"Dear {mark('NAME', q.given)}, the meeting moves to 14:30 in room 4.",
                "labelIds": ["INBOX"],
            }
            for p, q in zip(self._people(4), self._people(4), strict=False)
        ]

    def _table(self, between: str, quoted: bool = False) -> str:
        cell: Callable[[str], str] = (lambda text: f'"{text}"') if quoted else (lambda text: text)
        lines = [between.join(["id", "name", "email", "phone", "date_of_birth", "plan", "amount"])]
        for p in self._people(8):
            row = [self._id("C"), p.name, p.email, self._national_phone(), p.dob, "basic", f"{self._price():.2f}"]
            lines.append(between.join(map(cell, row)))
        return "\n".join(lines)

    def _r_csv(self) -> JsonValue:
        return self._table(",", quoted=True) + "\n"

    def _r_tsv(self) -> JsonValue:
        return self._table("\t")

    def _r_pipe_table(self) -> JsonValue:
        return self._table(" | ")

    def _r_markdown_table(self) -> JsonValue:
        lines = ["## Guests\n", "| Name | E-mail | Room | Passport/ID | Address |", "| --- | --- | ---: | --- | --- |"]
        lines += [
            f"| {p.name} | {p.email} | {self.rng.randrange(100, 500)} | {p.national_id} | {p.address} |"
            for p in self._people()
        ]
        return "\n".join([*lines, "", "Check-in from 15:00."])

    def _r_access_log(self) -> JsonValue:
        return "\n".join(
            f"{p.ip} - {p.username} [04/Mar/2025:10:{self.rng.randrange(60):02}:11 "
            f'+0000] "GET /orders/{self._id("ORD")} HTTP/1.1" '
            f'200 {self.rng.randrange(100, 90000)} "-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0"'
            for p in self._people(12)
        )

    def _r_app_log(self) -> JsonValue:
        p, q = self._person(), self._person()
        return (
            f"{self._when()} INFO  auth.login user={p.username} ip={p.ip} took=31ms\n"
            f"{self._when()} WARN  mailer: bounce for {q.email} (code 550 5.1.1)\n"
            f"{self._when()} INFO  dhcp lease {q.ip} mac={q.mac} lease=86400\n"
            f"{self._when()} ERROR db: could not connect to postgres://{p.url_credential}@db.internal:5432/shop\n"
            f"{self._when()} DEBUG env API_KEY={p.secret} REGION=eu-west-1 retries=3\n"
        )

    def _r_invoice(self) -> JsonValue:
        p = self._person()
        lines: list[JsonValue] = [
            {
                "sku": self._id("SKU"),
                "text": self.values.pick(_ITEMS),
                "qty": self.rng.randint(1, 9),
                "net": self._price(),
            }
            for _ in range(4)
        ]
        return {
            "invoice_number": self._id("INV"),
            "issued": "2025-03-04",
            "customer": {"name": p.name, "address": p.address, "vat_rate": 0.19},
            "lines": lines,
            "payment": {"iban": p.iban, "account_holder": p.name, "card_number": p.card},
            "due_days": 14,
        }

    def _r_invoice_text(self) -> JsonValue:
        p = self._person()
        return (
            f"INVOICE {self._id('INV')}\nBill to: {p.name}\nAddress: {p.address}\n"
            f"\n{self.values.pick(_ITEMS)}  2 x {self._price():.2f} EUR\n"
            f"Total {self._price():.2f} EUR\n\nPlease pay to IBAN {p.iban} "
            f"within 14 days.\nQuestions: {p.email}, Tel. {p.phone}\n"
        )

    def _r_calendar(self) -> JsonValue:
        a, b = self._person(), self._person()
        return {
            "kind": "calendar#event",
            "id": f"{self.rng.getrandbits(80):020x}",
            "summary": "Quarterly review",
            "organizer": {"displayName": a.name, "email": a.email},
            "attendees": [{"email": b.email, "displayName": b.name, "responseStatus": "accepted"}],
            "start": {"dateTime": self._when(), "timeZone": "Europe/Berlin"},
            "description": f"Dial-in {a.phone}, PIN on request. {b.name} presents the numbers.",
        }

    def _r_ics(self) -> JsonValue:
        a, b = self._person(), self._person()
        return (
            f"BEGIN:VEVENT\r\nUID:{self.rng.getrandbits(64):x}\r\nDTSTART:20250304T101500Z\r\nSUMMARY:Sync\r\n"
            f"ORGANIZER;CN={a.name}:mailto:{a.email}\r\nATTENDEE;CN={b.name};PARTSTAT=ACCEPTED:mailto:{b.email}\r\nEND:VEVENT\r\n"
        )

    def _r_git_log(self) -> JsonValue:
        return "\n".join(
            f"commit {self.rng.getrandbits(160):040x}\nAuthor: {p.name} "
            f"<{p.email}>\nDate:   Tue Mar 4 10:12:07 2025 +0100\n\n"
            f"    {self.values.pick(_TOPICS)} in build {self.rng.randrange(999)}\n"
            for p in self._people(5)
        )

    def _r_git_commits(self) -> JsonValue:
        return [
            {
                "sha": f"{self.rng.getrandbits(160):040x}",
                "commit": {
                    "author": {"name": p.name, "email": p.email, "date": self._when()},
                    "message": "Fix the pager\n\nCo-authored-by: " + f"{q.name} <{q.email}>",
                },
                "author": {"login": p.username, "type": "User"},
            }
            for p, q in zip(self._people(4), self._people(4), strict=False)
        ]

    def _r_urls(self) -> JsonValue:
        p = self._person()
        coded = mark("EMAIL", quote(self.values.email().split("+")[0].lower(), safe=""))
        return {
            "avatar_url": "https://cdn.example.net/a/9f31.png",
            "docs": "https://docs.example.net/v2/install#step-3",
            "unsubscribe": f"https://news.example.net/u?email={coded}&list=7",
            "mail": f"mailto:{p.email}?subject=Order",
            "clone_url": f"https://{p.url_credential}@git.example.net/team/shop.git",
            "tel": f"tel:{mark('PHONE', '+4930' + self.values.digits(8))}",
        }

    def _r_nested(self) -> JsonValue:
        p = self._person()
        inner = {
            "patient": {"name": p.name, "dob": p.dob, "insurance": {"nationalId": p.national_id}},
            "ward": "4B",
            "bed": 12,
        }
        text = json.dumps(inner, ensure_ascii=False)
        return {
            "result": {
                "content": [{"type": "text", "text": text}],
                "meta": {"page": 1, "took_ms": self.rng.randrange(90)},
            }
        }

    def _r_numbers(self) -> JsonValue:
        rows: list[JsonValue] = [
            {
                "order_id": self.rng.randrange(10**9),
                "phone_number": mark_number("PHONE", "1206" + self.values.digits(7)),
                "account_number": mark_number("BANK", "7" + self.values.digits(9)),
                "quantity": self.rng.randint(1, 400),
            }
            for _ in range(3)
        ]
        return {"orders": rows}

    def _r_columns(self) -> JsonValue:
        rows: list[JsonValue] = [
            [self._id("C"), p.name, p.email, p.company, p.username, self._price()] for p in self._people(6)
        ]
        return {"columns": ["id", "customer_name", "email", "company_name", "username", "amount"], "rows": rows}

    def _r_chat(self) -> JsonValue:
        people = self._people(4)
        said = ["deploy is done", "can you look at PR 481?", "the API answers 429 again", "lunch at 12:30"]
        messages: list[JsonValue] = [
            {
                "user": p.username,
                "real_name": p.name,
                "ts": f"17{self.rng.randrange(10**8)}.000200",
                "text": self.rng.choice(said),
            }
            for p in people
        ]
        return {"ok": True, "channel": "C024BE91L", "messages": messages}

    def _r_config(self) -> JsonValue:
        p = self._person()
        return (
            f"# service\nDATABASE_URL=mysql://{p.url_credential}@db.internal/shop\n"
            f"LOG_LEVEL=info\nSMTP_PASSWORD={mark('SECRET', self.values.password())}\n"
            f"STRIPE_KEY={p.secret}\nADMIN_EMAIL={p.email}\nMAX_WORKERS=8\n"
            f"WEBHOOK_SECRET={mark('SECRET', self.values.password())}\n"
        )

    def _r_yaml(self) -> JsonValue:
        p = self._person()
        return (
            f"tenant:\n  name: {p.name}\n  email: {p.email}\n  phone: "
            f"'{self._national_phone()}'\n  address: {p.address}\n"
            f"  date_of_birth: {p.dob}\nrent: {self._price():.2f}\ncurrency: GBP\nunit: B-{self.rng.randrange(90)}\n"
        )

    def _r_note(self) -> JsonValue:
        p, q = self._person(), self._person()
        return (
            f"Visit of 4 March. {p.name} moved to {p.address} last "
            f"spring and asked us to ship part {self._id('SKU')} there. "
            f"Born on {p.dob}, SSN {p.ssn}. Her husband, {q.name}, "
            f"pays with card {q.card}. Call {p.phone} before noon; "
            f"version 2.4.1 of the form was signed. Next review in 14 days."
        )
