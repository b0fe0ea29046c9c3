"""Generates held-out tool results for `privacy.py`: the answers of 34 servers, with values of their own.

Its misses were never inspected while rules were written, so its figure predicts the result on unseen data. The misses
of `privacy_shapes.py` were inspected. Shapes and values were written before the rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from privacy_fresh_texts import Texts
from privacy_marked import Sample, mark, sample

from workbench.records import JsonValue


class Fresh(Texts):
    """Generates results of each shape from one seed: texts, and the JSON values below."""

    def all(self, each: int) -> Iterator[Sample]:
        """This many results of every shape."""
        makers: dict[str, Callable[[], JsonValue]] = {
            name.removeprefix("_r_"): getattr(self, name) for name in sorted(dir(type(self))) if name.startswith("_r_")
        }
        for name, make in makers.items():
            for _ in range(each):
                yield sample(f"fresh {name}", make())

    def _r_github_issue(self) -> JsonValue:
        p, q = self.person(), self.person()
        return {
            "number": self.number(4),
            "title": self.topic(),
            "user": {"login": p.username, "id": self.number(7), "html_url": f"https://github.com/{p.username}"},
            "assignees": [{"login": q.username, "type": "User", "site_admin": False}],
            "labels": [{"name": "good first issue", "color": "7057ff"}, {"name": "Needs Triage", "color": "ededed"}],
            "milestone": {"title": "v2.1", "creator": {"login": q.username}},
            "body": f"Steps:\n1. open\n2. crash\n\ncc @{q.username}, reported by mail from {p.email}",
            "reactions": {"total_count": 3, "heart": 1},
        }

    def _r_slack_users(self) -> JsonValue:
        members: list[JsonValue] = [
            {
                "id": f"U0{self.number(6)}",
                "name": p.username,
                "deleted": False,
                "real_name": p.name,
                "tz": "Europe/Amsterdam",
                "profile": {
                    "title": "Platform Engineer",
                    "display_name": mark("NAME", p.given),
                    "email": p.email,
                    "phone": p.phone,
                    "status_text": "In a meeting",
                },
            }
            for p in self.people()
        ]
        return {"ok": True, "members": members, "cache_ts": self.number(9)}

    def _r_gmail_message(self) -> JsonValue:
        p, q = self.person(), self.person()
        headers: list[JsonValue] = [
            {"name": "From", "value": f'"{p.name}" <{p.email}>'},
            {"name": "To", "value": f"{q.name} <{q.email}>"},
            {"name": "Subject", "value": self.topic()},
            {"name": "X-Mailer", "value": "Apple Mail (2.3731.700.6)"},
            {"name": "Content-Type", "value": "text/plain; charset=utf-8"},
        ]
        return {
            "id": self.hex(16),
            "snippet": f"Hello {mark('NAME', q.given)}, please find the figures attached. Regards, {p.name}",
            "payload": {"mimeType": "text/plain", "headers": headers},
            "sizeEstimate": self.number(5),
        }

    def _r_stripe_charges(self) -> JsonValue:
        data: list[JsonValue] = [
            {
                "id": f"ch_{self.hex(24)}",
                "object": "charge",
                "amount": self.number(5),
                "billing_details": {
                    "name": p.name,
                    "email": p.email,
                    "phone": p.phone,
                    "address": {"line1": p.street, "city": "Utrecht", "country": "NL", "postal_code": p.postcode},
                },
                "receipt_email": p.email,
                "payment_method_details": {"card": {"brand": "visa", "last4": "4242", "exp_year": 2028}},
                "description": "Subscription update",
            }
            for p in self.people()
        ]
        return {"object": "list", "data": data, "has_more": False, "url": "/v1/charges"}

    def _r_notion_page(self) -> JsonValue:
        p, q = self.person(), self.person()
        return {
            "object": "page",
            "created_by": {"object": "user", "name": p.name, "person": {"email": p.email}},
            "properties": {
                "Name": {"type": "title", "title": [{"plain_text": "Onboarding plan"}]},
                "Owner": {"type": "people", "people": [{"object": "user", "name": q.name, "type": "person"}]},
                "Work email": {"type": "email", "email": q.email},
                "Phone": {"type": "phone_number", "phone_number": q.phone},
                "Status": {"select": {"name": "In progress", "color": "blue"}},
            },
        }

    def _r_jira_issue(self) -> JsonValue:
        p, q, r = self.person(), self.person(), self.person()
        return {
            "key": f"OPS-{self.number(3)}",
            "fields": {
                "summary": self.topic(),
                "status": {"name": "In Progress", "id": "3"},
                "priority": {"name": "High"},
                "issuetype": {"name": "Service Request", "subtask": False},
                "project": {"key": "OPS", "name": "Platform Operations"},
                "components": [{"name": "Billing Portal"}],
                "assignee": {"displayName": p.name, "accountId": self.hex(24), "active": True},
                "reporter": {"displayName": q.name, "emailAddress": q.email},
                "comment": {"comments": [{"author": {"displayName": r.name}, "body": f"Ask {q.email} first."}]},
            },
        }

    def _r_hubspot(self) -> JsonValue:
        results: list[JsonValue] = [
            {
                "id": f"{self.number(5)}",
                "properties": {
                    "firstname": mark("NAME", p.given),
                    "lastname": mark("NAME", p.family),
                    "email": p.email,
                    "mobilephone": p.phone,
                    "company": p.company,
                    "lifecyclestage": "lead",
                    "hs_object_id": f"{self.number(5)}",
                },
            }
            for p in self.people()
        ]
        return {"results": results, "paging": {"next": {"after": "100"}}}

    def _r_salesforce(self) -> JsonValue:
        records: list[JsonValue] = [
            {
                "attributes": {"type": "Contact", "url": "/services/data/v59.0/sobjects/Contact/003"},
                "Id": f"003{self.hex(12)}",
                "Name": p.name,
                "Email": p.email,
                "MobilePhone": p.phone,
                "MailingStreet": p.street,
                "Birthdate": p.dob,
                "Title": "Head of Procurement",
                "Account": {"Name": p.company},
            }
            for p in self.people()
        ]
        return {"totalSize": len(records), "done": True, "records": records}

    def _r_airtable(self) -> JsonValue:
        records: list[JsonValue] = [
            {
                "id": f"rec{self.hex(14)}",
                "createdTime": self.when(),
                "fields": {
                    "Full Name": p.name,
                    "E-Mail": p.email,
                    "Mobile Phone": p.phone,
                    "Home Address": p.address,
                    "Stage": "Second Interview",
                    "Passport No.": p.national_id,
                },
            }
            for p in self.people()
        ]
        return {"records": records, "offset": "itr"}

    def _r_zendesk(self) -> JsonValue:
        p = self.person()
        source: JsonValue = {"from": {"address": p.email, "name": p.name}, "to": {"name": "Support", "address": None}}
        return {
            "ticket": {
                "id": self.number(5),
                "subject": self.topic(),
                "via": {"channel": "email", "source": source},
                "requester": {"name": p.name, "email": p.email, "locale": "en-GB"},
                "group": {"name": "Tier Two", "id": 20},
                "description": f"Hi team,\nit broke again after the update.\n\nKind regards,\n{p.name}\n{p.phone}",
            }
        }

    def _r_linear(self) -> JsonValue:
        nodes: list[JsonValue] = [
            {
                "identifier": f"ENG-{self.number(3)}",
                "title": self.topic(),
                "assignee": {"name": p.name, "email": p.email},
                "creator": {"name": q.name},
                "state": {"name": "In Review", "type": "started"},
                "team": {"name": "Core Platform", "key": "ENG"},
                "cycle": {"name": "Cycle Nine"},
            }
            for p, q in zip(self.people(), self.people(), strict=False)
        ]
        return {"issues": {"nodes": nodes}}

    def _r_shopify(self) -> JsonValue:
        p = self.person()
        place: JsonValue = {
            "first_name": mark("NAME", p.given),
            "last_name": mark("NAME", p.family),
            "name": p.name,
            "address1": p.street,
            "phone": p.phone,
            "zip": p.postcode,
            "country": "Netherlands",
        }
        return {
            "order": {
                "name": "#1001",
                "email": p.email,
                "browser_ip": p.ip,
                "customer": {"first_name": mark("NAME", p.given), "last_name": mark("NAME", p.family), "tags": "vip"},
                "billing_address": place,
                "shipping_address": place,
                "line_items": [{"name": "Walnut Desk - Large", "title": "Walnut Desk", "vendor": "Ridgeline"}],
                "shipping_lines": [{"title": "Standard Shipping", "price": "4.90"}],
                "total_price": "129.00",
            }
        }

    def _r_twilio(self) -> JsonValue:
        messages: list[JsonValue] = [
            {
                "sid": f"SM{self.hex(32)}",
                "from": p.phone,
                "to": f"whatsapp:{mark('PHONE', '+31' + '6' + str(self.number(8)))}",
                "body": f"Hi {mark('NAME', p.given)}, your parcel arrives today between 14:00 and 16:00.",
                "status": "delivered",
                "price": "-0.00750",
                "num_segments": "1",
            }
            for p in self.people()
        ]
        return {"messages": messages, "page_size": 50}

    def _r_drive_files(self) -> JsonValue:
        files: list[JsonValue] = [
            {
                "id": self.hex(33),
                "name": self.rng.choice(["Budget 2025.xlsx", "Team Photo", "Product Roadmap", "Hiring Plan Q3"]),
                "mimeType": "application/vnd.google-apps.spreadsheet",
                "owners": [{"kind": "drive#user", "displayName": p.name, "emailAddress": p.email, "me": False}],
                "lastModifyingUser": {"displayName": q.name},
                "modifiedTime": self.when(),
            }
            for p, q in zip(self.people(), self.people(), strict=False)
        ]
        return {"files": files}

    def _r_sheet_values(self) -> JsonValue:
        rows: list[JsonValue] = [["Employee", "E-mail", "Mobile", "Start date", "Role"]]
        rows += [[p.name, p.email, p.phone, "2024-03-01", "Account Executive"] for p in self.people()]
        return {"range": "Staff!A1:E9", "majorDimension": "ROWS", "values": rows}

    def _r_columnar(self) -> JsonValue:
        people = self.people()
        return {
            "id": [self.number(4) for _ in people],
            "name": [p.name for p in people],
            "email": [p.email for p in people],
            "iban": [p.iban for p in people],
            "plan": ["Gold Plus" for _ in people],
        }

    def _r_discord(self) -> JsonValue:
        return [
            {
                "id": f"11{self.number(16)}",
                "author": {"username": p.username, "global_name": p.name, "bot": False},
                "content": self.rng.choice(["who owns the deploy?", "merged, thanks", "see the doc"]),
                "timestamp": self.when(),
            }
            for p in self.people()
        ]

    def _r_fhir(self) -> JsonValue:
        p = self.person()
        return {
            "resourceType": "Patient",
            "name": [{"use": "official", "family": mark("NAME", p.family), "given": [mark("NAME", p.given)]}],
            "telecom": [
                {"system": "phone", "value": p.phone, "use": "home"},
                {"system": "email", "value": p.email},
            ],
            "gender": "female",
            "birthDate": p.dob,
            "address": [{"line": [p.street], "city": "Leiden", "postalCode": p.postcode, "country": "NL"}],
            "identifier": [{"system": "http://hl7.org/fhir/sid/us-ssn", "value": p.ssn}],
        }

    def _r_products(self) -> JsonValue:
        """A result without personal data."""
        return {
            "categories": [{"name": "Office Furniture", "id": 3}, {"name": "Home Audio", "id": 4}],
            "items": [
                {"name": "Walnut Desk", "brand": "Ridgeline", "price": 129.0, "sku": f"WD-{self.number(5)}"},
                {"name": "Desk Lamp Pro", "brand": "Marwick", "price": 39.5, "ean": f"40{self.number(11)}"},
            ],
            "store": {"name": "Harbour Street Outlet", "opening_hours": "09:00-18:00"},
        }

    def _r_workloads(self) -> JsonValue:
        """A result without personal data."""
        return {
            "items": [
                {
                    "metadata": {"name": f"api-{self.hex(8)}", "namespace": "prod", "uid": self.hex(32)},
                    "spec": {"containers": [{"name": "web", "image": "registry.example.net/shop/web:4.2.11"}]},
                    "status": {"phase": "Running", "startTime": self.when()},
                }
            ],
            "tools": [{"name": "search_contacts", "description": "Finds a contact by name, email or phone."}],
            "owner": {"team": "Platform", "type": "Organization"},
        }

    def _r_wrapped_rows(self) -> JsonValue:
        """A text with embedded JSON rows."""
        rows: list[JsonValue] = [
            {"id": self.number(4), "name": p.name, "dob": p.dob, "city": "Ghent", "owner_phone": p.phone}
            for p in self.people()
        ]
        text = f"Query returned {len(rows)} rows:\n{json.dumps(rows, ensure_ascii=False, indent=2)}\nDone in 12 ms."
        return {"content": [{"type": "text", "text": text}], "isError": False}
