"""The texts of `privacy_fresh.py` and their values. Names, formats and places differ from those of
`privacy_values.py`.
"""

from __future__ import annotations

import json
import random

from privacy_marked import mark
from privacy_values import Values

from workbench.records import JsonValue


def _words(text: str, between: str | None = None) -> list[str]:
    return text.split(between)


_GIVEN = _words(
    "Maarten Sanne Eleni Kofi Ayaka Bartosz Lucía Håkon Ebba Youssef Miriam Tatiana Gareth Bronwen Rajesh Deepika Ewa "
    "Cillian Aoife Tiago Mariana Sven Astrid Imani Zanele Femke Ruben Noor Carmen Hiroshi Dorota Leonard Edith Wanda"
)
_FAMILY = _words(
    "Vermeulen Jansen Papadakis Mensah Watanabe Wiśniewski Romero Solberg Lindgren Mansour Goldberg Sokolova Llewellyn "
    "Pritchard Kulkarni Banerjee Byrne Gallagher Carvalho Teixeira Halvorsen Achterberg Ndlovu Kimani Dijkstra Bakker "
    "Ortega Fujimoto Nowicka Whitaker Stapleton Brandt"
)
_ROADS = _words("Keizersgracht|Linden Grove|Abbey Lane|Sunset Boulevard|Hofstraat|Orchard Terrace|Parkway Drive", "|")
_TOPICS = ["Login loop on mobile", "Refund not booked", "Upgrade to plan B", "Webhook retries", "Broken link in footer"]


class Someone:
    """The marked values of one person."""

    def __init__(self, rng: random.Random, values: Values) -> None:
        self.rng, self.values = rng, values
        self.given, self.family = rng.choice(_GIVEN), rng.choice(_FAMILY)
        self.name = mark("NAME", f"{self.given} {self.family}")
        plain = f"{self.given}{self.family}".lower().encode("ascii", "ignore").decode()
        self.login = f"{plain[:9]}{rng.randrange(10, 99)}"
        self.username = mark("USERNAME", self.login)
        host = rng.choice(["fastmail.example.com", "ridge.nl", "post.se", "contoso.co.uk", "lists.example.org"])
        self.email = mark("EMAIL", f"{plain[:12]}{rng.choice(['', '.k', '_7'])}@{host}")
        number = f"{rng.randrange(10**7, 10**8)}"
        self.phone = mark("PHONE", rng.choice([f"+31 6 {number}", f"+32 {number[:3]} {number[3:]}", f"+44 7{number}0"]))
        road = f"{rng.choice(_ROADS)} {rng.randrange(1, 300)}"
        self.street = mark("ADDRESS", road)
        self.postcode = mark("ADDRESS", f"{rng.randrange(1011, 9999)} {rng.choice(['AB', 'KX', 'TZ'])}")
        self.address = mark("ADDRESS", f"{road}, {rng.randrange(1011, 9999)} AB Utrecht")
        self.company = mark("COMPANY", f"{rng.choice(_FAMILY)} {rng.choice(['Logistics', 'B.V.', 'Partners', 'AB'])}")
        passport = f"{rng.choice('NPX')}{rng.choice('ABCFHK')}{rng.randrange(10**6, 10**7)}"
        self.national_id = mark("NATIONAL_ID", passport)

    def __getattr__(self, kind: str) -> str:
        if kind.startswith("_"):
            raise AttributeError(kind)
        made = mark(kind.upper(), self.values.make(kind))
        setattr(self, kind, made)
        return made


class Texts:
    """Generates texts as servers return them."""

    def __init__(self, seed: int) -> None:
        self.values = Values(seed)
        self.rng = random.Random(seed + 1)

    def person(self) -> Someone:
        return Someone(self.rng, self.values)

    def people(self, most: int = 5) -> list[Someone]:
        return [self.person() for _ in range(self.rng.randint(2, most))]

    def number(self, digits: int) -> int:
        return self.rng.randrange(10 ** (digits - 1), 10**digits)

    def hex(self, digits: int) -> str:
        return f"{self.rng.getrandbits(4 * digits):0{digits}x}"

    def topic(self) -> str:
        return self.rng.choice(_TOPICS)

    def when(self) -> str:
        return f"2025-0{self.rng.randint(1, 9)}-1{self.rng.randint(0, 9)}T0{self.rng.randint(0, 9)}:12:44.310Z"

    def _r_psql_table(self) -> JsonValue:
        rows = [
            f" {self.number(4)} | {p.name} | {p.email} | {p.phone} | {self.number(3)}.00 | t" for p in self.people()
        ]
        head = " id | customer_name | email | phone | balance | active \n----+------+------+------+----+---\n"
        return head + "\n".join(rows) + f"\n({len(rows)} rows)\n"

    def _r_calendar_text(self) -> JsonValue:
        p, q = self.person(), self.person()
        return (
            f"Event: Budget review\nStart: {self.when()}\nLocation: Room 4.12\n"
            f"Organizer: {p.name} ({p.email})\nAttendees: {p.email}, {q.email}\nStatus: confirmed\n"
        )

    def _r_auth_log(self) -> JsonValue:
        p, q = self.person(), self.person()
        return (
            f"Mar  4 10:12:07 web1 sshd[{self.number(5)}]: Accepted publickey for {p.username} "
            f"from {p.ip} port 50122 ssh2\n"
            f"Mar  4 10:12:09 web1 sshd[{self.number(5)}]: Failed password for invalid user {q.username} "
            f"from {q.ip} port 4022\n"
            f"Mar  4 10:13:00 web1 sudo:  {p.username} : TTY=pts/0 ; PWD=/home/{p.username} ; "
            f"USER=root ; COMMAND=/bin/ls\n"
            f"Mar  4 10:13:02 web1 cron[811]: (root) CMD (run-parts /etc/cron.hourly)\n"
        )

    def _r_json_lines_log(self) -> JsonValue:
        lines = [
            json.dumps(
                {"ts": self.when(), "level": "info", "msg": "order placed", "userEmail": p.email, "remoteIp": p.ip,
                 "customerName": p.name, "ms": self.number(3)},
                ensure_ascii=False,
            )
            for p in self.people()
        ]  # fmt: skip
        return "\n".join(lines)

    def _r_paths(self) -> JsonValue:
        p, q = self.person(), self.person()
        return (
            f'Traceback (most recent call last):\n  File "/home/{p.username}/app/main.py", line 31, in run\n'
            f"FileNotFoundError: C:\\Users\\{q.username}\\Documents\\plan.docx\n"
            f"note: /Users/{p.username}/Library/Caches is full, /usr/local/lib/python3.12 is not\n"
        )

    def _r_ldif(self) -> JsonValue:
        p = self.person()
        return (
            f"dn: uid={p.username},ou=People,dc=example,dc=com\nobjectClass: inetOrgPerson\ncn: {p.name}\n"
            f"sn: {mark('NAME', p.family)}\ngivenName: {mark('NAME', p.given)}\nmail: {p.email}\n"
            f"telephoneNumber: {p.phone}\nuid: {p.username}\nhomeDirectory: /home/{p.username}\nloginShell: /bin/bash\n"
        )

    def _r_xml_employee(self) -> JsonValue:
        p = self.person()
        return (
            f'<?xml version="1.0"?>\n<employee id="{self.number(4)}">\n'
            f"  <firstName>{mark('NAME', p.given)}</firstName>\n"
            f"  <lastName>{mark('NAME', p.family)}</lastName>\n  <workEmail>{p.email}</workEmail>\n"
            f"  <mobilePhone>{p.phone}</mobilePhone>\n  <dateOfBirth>{p.dob}</dateOfBirth>\n"
            f"  <department>Customer Success</department>\n  <ssn>{p.ssn}</ssn>\n</employee>\n"
        )

    def _r_html_table(self) -> JsonValue:
        rows = "".join(f"<tr><td>{p.name}</td><td>{p.email}</td><td>Gold Plus</td></tr>\n" for p in self.people())
        return f"<table>\n<tr><th>Name</th><th>Email</th><th>Plan</th></tr>\n{rows}</table>"

    def _r_vcard(self) -> JsonValue:
        p = self.person()
        return (
            f"BEGIN:VCARD\nVERSION:3.0\nFN:{p.name}\nN:{mark('NAME', p.family)};{mark('NAME', p.given)};;;\n"
            f"ORG:{p.company}\nTEL;TYPE=CELL:{p.phone}\nEMAIL;TYPE=INTERNET:{p.email}\nBDAY:1981-04-09\n"
            f"ADR;TYPE=HOME:;;{p.street};Utrecht;;{p.postcode};NL\nEND:VCARD\n"
        ).replace("BDAY:1981-04-09", f"BDAY:{mark('DOB', '1981-04-09')}")

    def _r_bullets(self) -> JsonValue:
        lines = [f"Found {len(people := self.people())} contacts:\n"]
        for at, p in enumerate(people, 1):
            lines.append(f"{at}. **{p.name}**\n   - Email: {p.email}\n   - Phone: {p.phone}")
            lines.append("   - Role: Account Manager")
        return "\n".join(lines)

    def _r_user_list(self) -> JsonValue:
        return "Members of Core Platform:\n" + "\n".join(f"- {p.name} <{p.email}> (admin)" for p in self.people())

    def _r_letter(self) -> JsonValue:
        p = self.person()
        return (
            f"Order no. {self.number(8)}\n\nDear Ms {mark('NAME', p.family)},\n\n"
            "thank you for your order of 4 March.\n\n"
            f"Ship to:\n{p.name}\n{p.street}\n{p.postcode} Utrecht\n\nAccount number: {p.bank}\n"
            f"Contact: {p.phone}\n\nYours sincerely,\nCustomer Care\n"
        )

    def _r_sql_dump(self) -> JsonValue:
        rows = ",\n".join(f"({self.number(3)}, '{p.name}', '{p.email}', 'Gold Plus')" for p in self.people())
        return f"INSERT INTO customers (id, full_name, email, plan) VALUES\n{rows};\n"

    def _r_git_blame(self) -> JsonValue:
        p, q = self.person(), self.person()
        return (
            f"^{self.hex(7)} ({p.name} 2025-03-04 10:12:07 +0100 11) def load(path):\n"
            f"{self.hex(8)} ({q.name} 2024-11-30 08:00:01 +0100 12)     return path.read_text()\n\n"
            f"Signed-off-by: {p.name} <{p.email}>\nReviewed-by: {q.name} <{q.email}>\n"
        )

    def _r_env_file(self) -> JsonValue:
        p = self.person()
        return (
            f"APP_ENV=production\nADMIN_USER={p.username}\nADMIN_PASSWORD={mark('SECRET', self.values.password())}\n"
            f"SUPPORT_MAIL={p.email}\nGITHUB_TOKEN={p.secret}\nTOKEN_EXPIRY_SECONDS=3600\nPASSWORD_MIN_LENGTH=12\n"
        )

    def _r_transcript(self) -> JsonValue:
        p, q = self.person(), self.person()
        return (
            f"[10:12] {p.name}: did the export finish?\n[10:13] {q.name}: yes, 4,112 rows\n"
            f"[10:15] {p.name}: great, my number is {p.phone}\n"
        )
