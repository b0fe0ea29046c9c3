"""What is masked depends on what the text is: examples in code, definitions, logs and documents are not."""

from __future__ import annotations

import json

import pytest

from workbench.privacy.detection_rules import DetectionRules, UserPattern, compile_bounded
from workbench.privacy.detectors.detector import detect


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in detect(text)]


def names(text: str) -> list[str]:
    return [value for kind, value in found(text) if kind == "NAME"]


PYTHON = '''"""Tests of Cassette.

The Reader and the Finder are in Ledger; Coroutine is awaited.
"""

from store import Store

SECRET_KEY = "dev"
TRUSTED = ["10.0.0.2", "1.2.3.4"]


class Reader(Store):
    """Searcher of Claude."""

    def load(self, name: str, user: str) -> ToolCall:
        # Transcript never enters the Store
        rows = [{"name": "tobi", "email": "tobi@example.com", "user": user}]
        self.user = request.user
        return Counter(rows, title="Sherlock Holmes lives here")
'''


def test_nothing_in_a_source_file_is_personal_but_its_author() -> None:
    assert found(PYTHON) == []
    assert found(f"# Copyright (c) 2024 Kwame Papadopoulos\n{PYTHON}") == [("NAME", "Kwame Papadopoulos")]
    assert found(f"# Thanks to Rosa Lund for the idea.\n{PYTHON}") == [("NAME", "Rosa Lund")]


@pytest.mark.parametrize(
    "text",
    [
        "class Reader:",
        "class Store(Base):\n    pass",
        "def search(name: str, author: str) -> Ledger:",
        "search(name: str, author: str) -> {id: str, name: str}",
        "export class Finder extends Cassette {\n  user = req.body.user;\n}",
        'type Ledger struct {\n\tUser string `json:"user"`\n}\n\nfunc (l *Ledger) Find() error {\n\treturn nil\n}',
        "pub fn hiargs() -> Searcher {\n    grep::searcher::Searcher::new()\n}",
        "# Transcript never enters the prompt",
        "/**\n * Drain holds the Buffer of Qemu\n */\nvoid drain(Buffer *buffer);",
        "--- a/reader.py\n+++ b/reader.py\n@@ -1,2 +1,2 @@\n-class Cassette:\n+class Reader:",
    ],
)
def test_classes_types_and_comments_are_no_people(text: str) -> None:
    assert found(text) == []


def test_home_folders_and_real_secrets_count_in_code() -> None:
    code = 'import os\n\nTOKEN = "{}"\nopen("/home/{}/plan.txt").read()\nprint(os.getcwd())\nx = f(1)\n'
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"[:36]
    assert found(code.format(token, "rlund")) == [("SECRET", token), ("USERNAME", "rlund")]


def test_the_users_patterns_and_keys_count_everywhere() -> None:
    pattern = UserPattern("badge", "CUSTOM", compile_bounded(r"AB-\d{6}"))
    rules = DetectionRules(patterns=(pattern,), keys=(("badge_no", "USERNAME"),))
    text = f'{PYTHON}\nbadge_no = "rlund"  # AB-123456\n'
    assert [(one.kind, text[one.start : one.end]) for one in detect(text, rules)] == [
        ("USERNAME", "rlund"),
        ("CUSTOM", "AB-123456"),
    ]


TOOL = {
    "name": "list_customers",
    "title": "Stripe customers",
    "description": "Kick a participant. Call +15558881111 or mail name@company.com. Author: Maintainer. Title, CSV.",
    "inputSchema": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "author": {"type": "string", "description": "Mutually exclusive."}},
    },
}


@pytest.mark.parametrize("written", [json.dumps(TOOL), json.dumps([TOOL], indent=2), repr(TOOL)])
def test_definitions_contain_nothing_personal(written: str) -> None:
    assert found(written) == []


def test_a_person_beside_a_definition_is_found() -> None:
    text = json.dumps({"tool": TOOL, "owner": {"name": "Rosa Lund", "email": "rosa@post.se"}})
    assert ("EMAIL", "rosa@post.se") in found(text)
    assert names(text) == ["Rosa Lund"]


@pytest.mark.parametrize(
    "line",
    [
        "2025-07-29 17:41:44,747 - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:Election@774] - Notified",
        "[    0.001045] ACPI: XSDT 0x00000000000A0E2F 00003C",
        "[    0.235565] RCU Tasks: Setting shift to 1",
        "2026-05-09 07:29:23 status half-installed zip:amd64 3.0-13",
        "2026-05-09 07:29:23 install alsa-conf:all <none> 1.2.5.1-2",
        "-rw-r--r-- 1 root root   1049 Jan  2  2023 debug.py",
        "INFO: Uvicorn started Reader process",
        "2025-05-09T19:13:07Z ERROR Sentinel: Ledger lost Quorum, 0640 12345678",
    ],
)
def test_lines_of_logs_without_people(line: str) -> None:
    assert found(line) == []


def test_people_in_logs_are_found() -> None:
    assert names("2025-05-09T19:13:07Z INFO  order placed by Rosa Lindqvist") == ["Rosa Lindqvist"]


README = """# Gson

Gson's `Reader` reads `Store` values with `read_all()`, see `toJson()` and #1234.
Templates can be used with Werkzeug or Flask (v1.2.3). Ready to deploy? We're excited!
Security: security@redis.com. Example: `user@example.com`, `192.168.0.1`.
Written by Rosa Lindqvist, with help of @rlund.
"""


def test_versions_and_dates_in_a_changelog_are_no_addresses() -> None:
    text = f"{README}\n## [3.0.9.1] - 2024-02-21\n\nReleased on Faoilleach 11mh, 1987.\n"
    assert found(text) == [("NAME", "Rosa Lindqvist")]


def test_in_a_document_about_software_only_people_are_found() -> None:
    assert found(README) == [("NAME", "Rosa Lindqvist")]


@pytest.mark.parametrize(
    "text",
    [
        "Here's what I found.",
        "We're excited, and couldn't wait.",
        "MCP is a protocol, and IBAN a number.",
        "Guten Tag, der Vertrag ist fertig.",
        "Im Wiki steht alles dazu.",
        "Unbekannte Felder werden ignoriert.",
        "Bonjour, le dossier est prêt.",
        "Appeler le client demain.",
        "Buenos días, el informe está listo.",
        "El SDK incluye dos utilidades.",
        "Buongiorno a tutti, la riunione è alle 10.",
        "Bom dia, a reunião foi adiada.",
        "Goedemorgen allemaal, de vergadering is om 10 uur.",
        "Dzień dobry, faktura jest gotowa.",
        "This tool will fetch a list of invoices from Stripe.",
        "Claude answered, and Excel opened the file in Berlin.",
        "Mutually exclusive with the title.",
        "Return the books, kick the tyres.",
        "Lorem ipsum dolor sit amet. Morbi sed quis. Donec nec justo vel turpis.",
        "Wumble opened the drawer; then the wumble closed it.",
        "Die Schlüsselübergabe ist am Montag, der Aufzug ist gesperrt, und die Mülltonnen stehen in der Einfahrt.",
        "Dostawa części opóźni się o dwa tygodnie, a faktura jest w załączniku.",
        "Adjunto encontrarán el manual y las facturas.",
        "Started Jan 2 10:00, ended on Fri Jan 5.",
        "Date:   Thu Feb 19 20:00:34 2026 -0800",
        "Call a number, e.g. +15558881111, or mail, for example, name@company.com.",
    ],
)
def test_openers_products_and_places_are_no_names(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Der Bericht wurde gestern von Thomas Bergmann verschickt.", "Thomas Bergmann"),
        ("Hier soir, Camille Lefèvre a appelé depuis Lyon.", "Camille Lefèvre"),
        ("Ayer hablé con Lucía Fernández sobre la factura.", "Lucía Fernández"),
        ("Ieri Giulia Bianchi ha firmato il contratto.", "Giulia Bianchi"),
        ("Ontem a Mariana Oliveira enviou a proposta.", "Mariana Oliveira"),
        ("Gisteren heeft Sanne de Vries gebeld.", "Sanne de Vries"),
        ("Wczoraj Katarzyna Nowak wysłała umowę.", "Katarzyna Nowak"),
        ("Yesterday Rosa Lindqvist signed the contract.", "Rosa Lindqvist"),
    ],
)
def test_names_in_sentences_of_eight_languages(text: str, name: str) -> None:
    assert names(text) == [name]


def test_the_parts_of_a_name_are_one_value() -> None:
    assert names("Next of kin: Wanda Ndlovu (sister).") == ["Wanda Ndlovu"]


def test_a_month_may_be_a_name() -> None:
    assert names("The customer's name is Jan, and he lives in Utrecht.") == ["Jan"]


@pytest.mark.parametrize(
    "text", ["noreply@github.com", "from no-reply@post.se", "do-not-reply@post.se", "NoReply@x.org"]
)
def test_addresses_that_nobody_reads_are_not_personal(text: str) -> None:
    assert found(text) == []
