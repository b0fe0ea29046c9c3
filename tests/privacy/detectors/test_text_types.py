"""What the lines of a text are, and that no text takes long to judge."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.detectors.text_types import TextType, classify

PYTHON = '''"""Reads ledgers of Cassette."""

from collections import Counter


class Reader(Base):
    """A Reader holds
    the Store."""

    def load(self, path: str) -> Counter:
        # Transcript never enters the Store
        return Counter(path.read_text().split())
'''
JAVASCRIPT = """import { Store } from './store';

/**
 * Finder of Coroutine.
 */
export class Finder extends Base {
  constructor(store) {
    this.store = new Store(store);
  }
}
"""
RUST = """use std::collections::HashMap;

/// Drain the search paths.
pub fn drain(paths: &mut Paths) -> Option<Path> {
    let found = paths.next()?;
    Some(found)
}
"""
MAIL = """Hi Rosa,

the contract of Tomas Novak is ready (see below); please call him.
It ends on 4 May, and Greta asked for a copy.

Best regards,
Aiko Prieto
"""
README = """# Gson

Use `Gson` with `Reader` (see `read_all()`), and call `toJson()`:

```java
Gson gson = new Gson();
gson.toJson(1);
```

Gson's `Store` keeps them. Builds need `maven`.
"""
TOOL = {
    "name": "send_mail",
    "description": "Send a mail.",
    "inputSchema": {"type": "object", "properties": {"name": {"type": "string", "description": "Title"}}},
}


def type_of(text: str, part: str) -> TextType:
    return classify(text).at(text.index(part))


@pytest.mark.parametrize("text", [PYTHON, JAVASCRIPT, RUST])
def test_lines_of_a_source_file_are_code_or_comments(text: str) -> None:
    kinds = classify(text)
    at = 0
    for line in text.split("\n"):
        assert not line or kinds.at(at) in (TextType.CODE, TextType.COMMENT), line
        at += len(line) + 1


def test_comments_and_documentation_strings_are_told_from_code() -> None:
    assert type_of(PYTHON, "class Reader") is TextType.CODE
    assert type_of(PYTHON, "the Store.") is TextType.COMMENT
    assert type_of(PYTHON, "# Transcript") is TextType.COMMENT
    assert type_of(JAVASCRIPT, "Finder of") is TextType.COMMENT
    assert type_of(RUST, "/// Drain") is TextType.COMMENT


@pytest.mark.parametrize(
    "text",
    [
        MAIL,
        "Please return the books to Rosa Lund.",
        "Standup: Rosa finished the Stripe migration; Tomas (see notes) is blocked.",
        "if you have time, call Rosa Lund",
        "with Rosa Lund:",
        "see 2001:db8::ab38 (page 4)",
        "Please use 2001:db8::e1fe for now, as agreed.",
        "I called f(x) with Rosa.",
        "@rosa please ask Tomas Novak",
        "@rosa\nplease call Tomas Novak",
        "at Northwind (UK) we met Rosa Lund",
        "with rosa\nfor tomas\nuse pens",
        "It costs $40, asked Rosa.",
        "__Rosa Lund__",
        "Rosa Lund[1]",
        "Rosa Lund (2018)\nNovak(2019)",
        "Rosa -> Tomas => Greta",
        "Rosa Lund(HR)",
        "山田太郎(営業部)",
        "10:14 Rosa Lund: did the export finish?",
        "[2025-03-04 10:12] Rosa Lund: yes",
        "",
        "Rosa",
    ],
)
def test_mails_notes_and_chats_are_prose(text: str) -> None:
    assert set(classify(text).types) <= {TextType.PROSE, TextType.DATA}


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Rosa Lund", "email": "rosa@example.org"}',
        "{'name': 'Rosa Lund', 'tags': ['a', 'b'], 'paid': True}",
        '[\n  {\n    "name": "Rosa Lund",\n    "call": "f(x)"\n  }\n]',
        "name: Rosa Lund\nemail: rosa@example.org\nphone: '030 901820'",
        "name,email,phone\nRosa Lund,rosa@example.org,030 901820\nTomas Novak,tomas@example.org,030 901821",
        "id | full_name | e_mail\n1 | Rosa Lund | rosa@example.org\n2 | Tomas Novak | tomas@example.org",
        "full_name\te_mail\nRosa Lund\trosa@example.org",
        "INSERT INTO customers (id, full_name) VALUES\n(1, 'Rosa Lund'),\n(2, 'Tomas Novak');",
        "BEGIN:VCARD\nN:Lund;Rosa;;;\nTEL;TYPE=CELL:+32 530 57465\nEND:VCARD",
        "<employee id='1'>\n  <firstName>Rosa</firstName>\n</employee>",
        '[author]\nname = "Rosa Lund"\nemail = "rosa@example.org"',
        "ADMIN_USER=rlund\nADMIN_PASSWORD=R8KykF8VH1oF7",
        '{"type": "Feature", "properties": {"name": "Rosa Lund"}}',
        '{"id": 7, "properties": {"firstname": "Rosa", "email": "rosa@example.org"}}',
    ],
)
def test_data_is_never_code_or_a_definition(text: str) -> None:
    assert not {TextType.CODE, TextType.COMMENT, TextType.DEFINITION} & set(classify(text).types)


def test_a_document_about_software_is_told_from_prose() -> None:
    assert type_of(README, "# Gson") is TextType.HEADING
    assert type_of(README, "Gson gson") is TextType.CODE
    assert type_of(README, "Gson's") is TextType.DOCUMENT


@pytest.mark.parametrize(
    "line",
    [
        "2025-05-09T19:13:07Z INFO  auth.login user=rlund took=31ms",
        "2025-05-09 19:13:07,123 root: started",
        "Mar  4 10:12:07 web1 sshd[50575]: Accepted publickey",
        "[    0.000944] ACPI: Early table checksum",
        "ERROR: could not connect",
        "[error] Reader failed",
        "I0304 10:12:07.000000 1 reader.cc:12] done",
        '10.1.2.3 - rlund [04/Mar/2025:10:00:11 +0000] "GET / HTTP/1.1"',
        "-rw-r--r-- 1 rlund staff 4096 Jan  4 10:12 plan.txt",
    ],
)
def test_lines_of_logs(line: str) -> None:
    assert classify(line).types == (TextType.LOG,)


@pytest.mark.parametrize(
    "written", [json.dumps(TOOL), json.dumps([TOOL, TOOL], indent=2), repr(TOOL), repr({"a": TOOL})]
)
def test_definitions_of_tools_however_they_are_printed(written: str) -> None:
    assert type_of(written, "send_mail") is TextType.DEFINITION
    assert type_of(written, "Title") is TextType.DEFINITION


def test_data_beside_a_schema_is_data() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    text = json.dumps({"schema": schema, "rows": [{"name": "Rosa Lund"}]})
    assert type_of(text, "string") is TextType.DEFINITION
    assert type_of(text, "Rosa Lund") is not TextType.DEFINITION


def test_a_file_among_others_has_its_own_type() -> None:
    text = f"==> reader.py <==\n{PYTHON}\n==> mail.txt <==\n{MAIL}"
    assert type_of(text, "class Reader") is TextType.CODE
    assert type_of(text, "the contract") is TextType.PROSE


@given(st.text(alphabet="ab:{}\"'`#/*=()[];\n\t .1", max_size=300))
def test_stretches_cover_the_text_in_order(text: str) -> None:
    found = classify(text)
    assert found.starts[0] == 0
    assert list(found.starts) == sorted(set(found.starts))
    assert len(found.starts) == len(found.types)


@pytest.mark.parametrize(
    "piece",
    [
        "{", "}", '"', "'", "`", "a\n", "a(", "# ", "=", '"properties": {', "a ", "a.", "/*", '"""', "[", "1 ", "2025-",
        '{"type": "object", "properties": {}}', "Ab ", "import ",
    ],
)  # fmt: skip
def test_hostile_texts_are_judged_in_linear_time(piece: str) -> None:
    def took(size: int) -> float:
        text = piece * (size // len(piece))
        times = []
        for _ in range(3):
            began = time.thread_time()
            classify(text)
            times.append(time.thread_time() - began)
        return min(times)

    assert took(80_000) < 12 * max(took(20_000), 0.004)
