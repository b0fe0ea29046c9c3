"""Answers are kept unsearched, and what leaves of them is masked as if they had been searched when they came in."""

from __future__ import annotations

import base64
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from unittest.mock import Mock
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.broker.agent_sessions import Sessions
from workbench.errors import WorkbenchError
from workbench.privacy import answer_index
from workbench.privacy.answer_index import PAGE, AnswerIndex
from workbench.privacy.answer_lookup import AnswerLookup
from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.json_fields import parsed
from workbench.privacy.detectors.kinds import KINDS
from workbench.privacy.encrypted_pages import EncryptedPages
from workbench.privacy.vault import Vault
from workbench.records import Place
from workbench.thread_cancellation import WorkCancelled, cancellable

FIRST = ["Rosa", "Ines", "Tomas", "Priya", "Nils", "Marek", "Chloe", "Bram", "Sofia", "Luca"]
LAST = ["Lundqvist", "Kellermann", "Hallberg", "Ramanan", "Costanza", "Nowakow", "Duboisier", "Visserman", "Rossellini"]
WORDS = [
    "kater",
    "lomon",
    "misel",
    "tornik",
    "vordal",
    "belpin",
    "dungar",
    "firbus",
    "gollem",
    "haptok",
    "junria",
    "sendor",
]


def people(count: int) -> list[dict[str, str]]:
    chance = random.Random(7)
    made = []
    for number in range(count):
        first, last = chance.choice(FIRST), chance.choice(LAST) + chance.choice("aeiou")
        made.append(
            {
                "id": f"C-{number:05}",
                "name": f"{first} {last}",
                "email": f"{first}.{last}{number}@example.org".lower(),
                "phone": f"+44 20 {chance.randint(1000, 9999)} {chance.randint(1000, 9999)}",
                "note": " ".join(chance.choices(WORDS, k=9)),
            }
        )
    return made


MANY = people(600)
KEYS = ("name", "email", "phone")


def table(sign: str, head: str = "") -> str:
    rows = [sign.join(MANY[0]), *([head] if head else []), *(sign.join(one.values()) for one in MANY)]
    return "\n".join(rows)


ANSWERS = {
    "records": json.dumps({"customers": MANY}),
    "indented records": json.dumps({"page": {"customers": MANY}}, indent=2),
    "rows with columns": json.dumps({"columns": list(MANY[0]), "rows": [list(one.values()) for one in MANY]}),
    "records by id": json.dumps({one["id"]: one for one in MANY}),
    "csv": table(","),
    "tsv in json": json.dumps({"content": table("\t")}),
    "markdown": "# Customers\n\n" + table(" | ", "--- | --- | --- | --- | ---"),
    "json lines": "\n".join(map(json.dumps, MANY)),
    "json after words": f"Found {len(MANY)} rows:\n{json.dumps(MANY)}\nDone.",
    "cards": "\n\n".join("\n".join(f"{key.title()}: {value}" for key, value in one.items()) for one in MANY),
    "escaped letters": json.dumps([one | {"name": one["name"].replace("a", "ä")} for one in MANY]),
}


@pytest.mark.parametrize("form", ANSWERS)
def test_a_value_of_a_long_answer_is_masked_by_its_key_and_goes_back_to_its_server(form: str) -> None:
    vault = Vault("session")
    vault.keep(ANSWERS[form], "crm")
    for one in MANY[17:600:83]:
        for key in KEYS:
            value = one[key].replace("a", "ä") if form == "escaped letters" and key == "name" else one[key]
            shown = vault.sanitize(f"it is {value}, {one['note'].split()[0]}")
            assert value not in shown, (form, key)
            assert one["note"].split()[0] in shown
            assert vault.restore_json([shown], "crm") == [f"it is {value}, {one['note'].split()[0]}"]


@pytest.mark.parametrize("form", ANSWERS)
def test_what_is_printed_is_masked_as_if_the_answer_had_been_searched_when_it_came_in(form: str) -> None:
    lazy, eager = Vault("one"), Vault("two")
    lazy.keep(ANSWERS[form], "crm")
    eager.register(parsed(ANSWERS[form]) or ANSWERS[form], "crm")
    some = MANY[40:300:13]
    printed = "\n".join(str([one[key] for key in (*KEYS, "note")]) for one in some)
    masked = eager.sanitize(printed)
    left = [
        value for one in some for key in KEYS if (value := one[key]) not in masked and value in lazy.sanitize(printed)
    ]
    assert left == []


SPELLINGS = {
    "verbatim": str,
    "upper": str.upper,
    "url": lambda value: quote(value, safe=""),
    "json": lambda value: "".join(f"\\u{ord(letter):04x}" for letter in value),
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 of base64": lambda value: base64.b64encode(base64.b64encode(value.encode())).decode(),
    "hex": lambda value: value.encode().hex(),
    "reversed": lambda value: value[::-1],
    "without separators": lambda value: value.replace(" ", "").replace("+", ""),
    "underscores": lambda value: value.replace(" ", "_"),
    "invisible": lambda value: "\u200b".join(value),
    "full width": lambda value: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in value),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_value_that_leaves_in_a_different_spelling_is_found_in_the_answers(spelling: str) -> None:
    vault = Vault("session")
    vault.keep(json.dumps({"rows": [{"name": "Wilhelmina Qvortrup", "phone": "+31 6 5512 8830"}, *MANY]}), "crm")
    for value in ("Wilhelmina Qvortrup", "+31 6 5512 8830"):
        written = SPELLINGS[spelling](value)
        if spelling == "base64 of base64":
            vault.sanitize(written)  # learned; the text itself is decoded once only
            assert value not in vault.sanitize(base64.b64encode(value.encode()).decode())
        else:
            assert written not in vault.sanitize(f"x {written} y")


def test_a_column_of_a_foreign_word_decides_though_the_word_is_innocent_elsewhere() -> None:
    vault = Vault("session")
    vault.keep("\n".join(f"{number} Jordan river valley {WORDS[number % 11]}" for number in range(3000)), "maps")
    vault.keep(json.dumps([{"first_name": "Jordan", "last_name": "Ashworth", "email": "j.ash@example.org"}]), "crm")
    assert "Ashworth" not in vault.sanitize("call Jordan Ashworth")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("山田太郎", "担当は山田太郎です。"),
        ("李娜", "请联系李娜吧"),
        ("김민수", "김민수는 오늘 왔다"),
        ("สมชาย", "คุณสมชายมาแล้ว"),
        ("محمد", "اتصل محمد اليوم"),
        ("רחל", "שלום רחל לוי"),
        ("Иванов", "звонил Иванов вчера"),
        ("प्रिया शर्मा", "कल प्रिया शर्मा आई"),
    ],
)
def test_a_short_name_of_any_script_is_found_in_the_answers_and_in_what_leaves(name: str, sentence: str) -> None:
    vault = Vault("session")
    vault.keep(json.dumps({"rows": [{"full_name": name, "email": "someone@example.org"}, *MANY]}), "crm")
    assert name not in vault.sanitize(sentence)


def test_later_answers_and_later_rules_count() -> None:
    vault = Vault("session")
    vault.keep(json.dumps([{"note": "first"}]), "crm")
    assert vault.sanitize("badge of Q-7781-X") == "badge of Q-7781-X"
    vault.keep(json.dumps({"badge": "Q-7781-X", "rows": MANY}), "crm")
    assert vault.sanitize("badge of Q-7781-X") == "badge of Q-7781-X"
    vault.follow(DetectionRules(keys=(("badge", "CUSTOM"),)))
    assert "Q-7781-X" not in vault.sanitize("badge of Q-7781-X")


def test_a_value_of_two_servers_goes_back_to_both_unasked() -> None:
    vault = Vault("session")
    vault.keep(json.dumps({"rows": MANY}), Place("crm", "list"))
    vault.keep(json.dumps({"people": MANY[5:9]}), Place("mail", "search"))
    token = vault.sanitize(MANY[7]["email"])
    assert not any(one.foreign for one in vault.restorations([token], "mail"))
    assert not any(one.foreign for one in vault.restorations([token], "crm"))
    assert [one.foreign for one in vault.restorations([token], "shop")] == [True]


def test_pages_that_do_not_fit_into_memory_are_written_encrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_index, "MOST_BYTES", 1000)
    vault = Vault("session")
    vault.keep(ANSWERS["csv"], "crm")
    vault.answers.index()
    assert MANY[300]["email"] not in vault.sanitize(f"to {MANY[300]['email']}")
    spilled = vault.answers._file
    assert spilled is not None
    spilled._file.seek(0)
    assert b"example.org" not in spilled._file.read()


def test_answers_beyond_the_bound_are_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_index, "MOST_CHARACTERS", 100_000)
    vault = Vault("session")
    vault.keep("a " * 40_000, "crm")
    with pytest.raises(WorkbenchError, match="has read"):
        vault.keep("b " * 40_000, "crm")


def test_the_users_session_releases_its_answers_instead_of_refusing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_index, "MOST_CHARACTERS", 100_000)
    session = Sessions(lambda: True).person
    for number in range(5):
        session.keep(json.dumps({"rows": MANY[:200], "n": number}), "crm")
        assert MANY[number]["email"] not in session.mask(MANY[number]["email"])


def test_with_a_full_disk_the_answer_at_hand_is_kept_and_later_ones_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answer_index, "MOST_BYTES", 1000)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(answer_index.EncryptedPages, "append", full)
    vault = Vault("session")
    vault.keep(ANSWERS["csv"], "crm")
    for one in MANY[::60]:
        assert one["name"] not in vault.sanitize(f"order {one['name'].lower()} pending").title()
    with pytest.raises(WorkbenchError):
        vault.keep("more", "crm")


def test_work_that_is_cancelled_loses_no_answer() -> None:
    vault, flag = Vault("session"), Event()
    vault.keep(ANSWERS["records"], "crm")
    vault.keep(json.dumps({"name": "Wilhelmina Qvortrup"}), "crm")
    flag.set()
    with cancellable(flag), pytest.raises(WorkCancelled):
        vault.sanitize(ANSWERS["csv"])
    for one in MANY[::60]:
        assert one["name"] not in vault.sanitize(f"order {one['name'].lower()} pending").title()
    assert "Qvortrup" not in vault.sanitize("Wilhelmina Qvortrup")


def test_names_from_many_pages_are_all_found() -> None:
    """Each from a page of its own, in one short text."""
    vault, chance = Vault("session"), random.Random(5)
    made = [
        f"{''.join(chance.choices('aeioulmnrst', k=7))} {''.join(chance.choices('aeioulmnrst', k=8))}"
        for _ in range(90)
    ]
    for name in made:
        rows = [{"customer_name": name}, *({"note": " ".join(chance.choices(WORDS, k=12))} for _ in range(230))]
        vault.keep(json.dumps(rows), "crm")
    shown = vault.sanitize("\n".join(f"row {number} {name} done" for number, name in enumerate(made)))
    assert [name for name in made if name in shown] == []


def test_a_name_in_a_picture_is_found_behind_its_noise() -> None:
    vault = Vault("session")
    vault.keep(json.dumps([{"customer_name": "kingle losa"}, *MANY]), "crm")
    assert vault.shows(random.Random(2).randbytes(60_000) + b"kingle losa")
    assert not vault.shows(random.Random(2).randbytes(60_000))


@pytest.mark.parametrize("others", [0, 3, 40])
def test_threads_that_keep_and_mask_at_once_mask_everything(others: int) -> None:
    vault = Vault("session")

    def work(number: int) -> str:
        one = MANY[number]
        vault.keep(json.dumps({"rows": [one, *MANY[:others]]}), "crm")
        return vault.sanitize(f"{one['name']} {one['email']}")

    with ThreadPoolExecutor(8) as threads:
        for number, shown in zip(range(100, 180), threads.map(work, range(100, 180)), strict=True):
            assert MANY[number]["email"] not in shown
            assert MANY[number]["name"] not in shown


def test_a_text_is_looked_up_in_few_pages_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    index = AnswerIndex()
    chance = random.Random(3)
    for _ in range(40):
        index.add(" ".join(f"{chance.choice(WORDS)} {chance.randint(0, 10**7)}" for _ in range(9_000)), "crm")
    index.index()
    assert index.pages > 200
    opened: list[int] = []
    real = index.page_text
    monkeypatch.setattr(index, "page_text", lambda number: opened.append(number) or real(number))
    list(AnswerLookup(index).find(" ".join(f"{chance.choice(WORDS)} {chance.randint(0, 10**7)}" for _ in range(300))))
    assert len(opened) <= 100


def test_hostile_answers_and_outputs_are_looked_up() -> None:
    for text in (
        "[" * 50_000,
        '{"a":' * 9_000,
        "a" * 300_000,
        "{[" * 40_000 + "Rosa",
        "\\u0041" * 20_000,
        "\0" * 70_000,
        '"' * 90_000,
    ):
        vault = Vault("session")
        vault.keep(text, "crm")
        vault.keep(json.dumps({"name": "Wilhelmina Qvortrup"}), "crm")
        assert "Qvortrup" not in vault.sanitize(f"Wilhelmina Qvortrup {text[:2000]}")


@given(
    st.lists(st.text(st.sampled_from('ab \n,;|\t{}[]":\\é漢1'), max_size=40), max_size=30),
    st.integers(0, 30),
    st.sampled_from(["json", "indented", "text", "escaped"]),
)
def test_any_surroundings_leave_a_named_value_findable(around: list[str], at: int, form: str) -> None:
    record = {"name": "Wilhelmina Qvortrup", "email": "w.qvortrup@example.org"}
    rows = [{"note": one, "pad": "kater lomon misel " * 40} for one in around]
    rows.insert(min(at, len(rows)), record)
    text = {
        "json": json.dumps(rows, ensure_ascii=False),
        "indented": json.dumps({"rows": rows}, indent=1),
        "text": "\n".join(json.dumps(row) for row in rows),
        "escaped": json.dumps({"content": json.dumps(rows)}),
    }[form]
    vault = Vault("session")
    vault.keep(text, "crm")
    assert "Qvortrup" not in vault.sanitize("Wilhelmina Qvortrup")


@given(st.text(max_size=200), st.integers(0, 3 * PAGE))
def test_a_part_of_the_stream_is_what_was_added(text: str, start: int) -> None:
    index = AnswerIndex()
    filler = "kater lomon " * (PAGE // 6)
    index.add(filler, "a")
    index.add(text.replace("\\u", ""), "b")
    index.add(filler, "c")
    index.index()
    stream = "\n\0\n".join(filter(None, (filler, text.replace("\\u", ""), filler))) + "\n\0\n"
    assert index.read(start, start + 500) == stream[start : start + 500]


class _Flag(Event):
    """Is set when it has been asked so many times."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._left = count

    def is_set(self) -> bool:
        self._left -= 1
        return self._left < 0


@pytest.mark.parametrize("length", [100, 3_000])
def test_what_a_cancelled_look_up_left_out_is_masked_later(length: int) -> None:
    answer = json.dumps([{"customer_name": "wilhelmina qvortrup", "note": "kater lomon " * length}, {"id": 1}])
    for checks in range(1_000):
        vault = Vault("session")
        vault.keep(answer, "crm")
        vault.answers.index()
        try:
            with cancellable(_Flag(checks)):
                vault.sanitize("for wilhelmina qvortrup")
        except WorkCancelled:
            assert "qvortrup" not in vault.sanitize("for wilhelmina qvortrup"), checks
        else:
            break
    assert checks > 0


def test_an_answer_that_cannot_be_searched_is_withheld_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    vault = Vault("session")
    vault.keep(json.dumps({"customer_name": "wilhelmina qvortrup"}), "crm")
    monkeypatch.setattr(vault, "learn", Mock(side_effect=ValueError))
    for _ in range(2):
        with pytest.raises(WorkbenchError, match="withheld"):
            vault.sanitize("for wilhelmina qvortrup")


def test_what_a_program_still_holds_is_masked_after_values_were_forgotten() -> None:
    session = Sessions(lambda: True).open("agent")
    session.keep(json.dumps({"customer_name": "wilhelmina qvortrup"}), "crm")
    first = session.mask("for wilhelmina qvortrup")
    session.forget()
    assert "qvortrup" not in (second := session.mask("for wilhelmina qvortrup"))
    assert first != second
    session.release()
    assert not session.vault.answers


def test_a_page_that_a_nearly_full_disk_cuts_off_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = EncryptedPages()
    monkeypatch.setattr(pages, "_file", Mock(seek=lambda *_: 0, write=lambda data: len(data) - 1))
    with pytest.raises(OSError, match="No space left"):
        pages.append(0, b"kater")


@pytest.mark.parametrize("unit", ['[1,["{}",', '{{"a":{{"{}":', "[[[[[[{}!"])
def test_an_answer_that_is_no_json_costs_little_to_look_up(unit: str) -> None:
    words = [f"kater{number:06}" for number in range(30_000)]
    vault = Vault("session")
    vault.keep("".join(unit.format(word) for word in words), "crm")
    vault.answers.index()
    began = time.thread_time()
    vault.sanitize(" ".join(words[::50]))
    assert time.thread_time() - began < 5


@pytest.mark.parametrize(
    ("head", "row", "name"),
    [
        ("id,customer_name,phone\n", '{},"{}",28471{:04}\n', "qvortrup, wilhelmina"),
        ("# export of 2026\n\nid;customer_name;phone\n", "{};{};28471{:04}\n", "wilhelmina qvortrup"),
        ("All:\n\nID    CUSTOMER NAME          PHONE\n", "{:<6}{:<23}28471{:04}\n", "wilhelmina qvortrup"),
    ],
)
def test_the_header_of_a_table_is_found_below_other_lines_and_for_quoted_cells(head: str, row: str, name: str) -> None:
    rows = [
        row.format(at, name if at == 1_500 else "jon, berg" if "," in name else "jon berg", at) for at in range(2000)
    ]
    vault = Vault("session")
    vault.keep(head + "".join(rows), "crm")
    assert "qvortrup" not in vault.sanitize(f"for {name}")
    assert "284711700" not in vault.sanitize("call 284711700")


LISTS = {
    "phone_numbers": json.dumps({"phone_numbers": [str(284_710_000 + at) for at in range(2_000)]}),
    "numbers in columns": json.dumps({"id": [*range(2_000)], "phone": [284_710_000 + at for at in range(2_000)]}),
    "short list": json.dumps({"phones": [str(284_711_480 + at) for at in range(40)], "pad": ["kater, [lomon"] * 900}),
    "table": "<table><tr><th>Id</th><th>Phone</th></tr>"
    + "".join(f"<tr><td>{at}</td><td>{284_710_000 + at}</td></tr>" for at in range(2_000)),
}


@pytest.mark.parametrize("form", LISTS)
def test_a_key_or_header_far_before_a_value_decides(form: str) -> None:
    vault = Vault("session")
    vault.keep(LISTS[form], "crm")
    assert "284711500" not in vault.sanitize("for 284711500")


def test_a_long_line_of_tags_or_of_sql_is_read_with_its_names() -> None:
    notes = "kater lomon misel " * 110
    rows = [("jon berg", at) if at != 20 else ("wilhelmina qvortrup", at) for at in range(40)]
    xml = "".join(
        f"<item><note>{notes}</note><customer_name>{name}</customer_name><id>{at}</id></item>" for name, at in rows
    )
    sql = "\n".join(f"INSERT INTO a (customer_name, id, note) VALUES ('{name}', {at}, '{notes}');" for name, at in rows)
    for text in (f"<items>{xml}</items>", sql):
        vault = Vault("session")
        vault.keep(text, "crm")
        assert "qvortrup" not in vault.sanitize("for wilhelmina qvortrup"), text[:40]


def test_pages_full_of_chinese_do_not_hide_the_values_of_another_server() -> None:
    chance = random.Random(4)
    vault = Vault("session")
    for _ in range(16):
        vault.keep("".join(chr(chance.randrange(0x3400, 0x9FFF)) for _ in range(PAGE - 3)), "evil")
    vault.keep(json.dumps({"rows": MANY}), "crm")
    for one in MANY[::60]:
        assert one["name"].lower() not in vault.sanitize(f"order {one['name'].lower()} pending")


def test_mentions_by_another_server_do_not_hide_a_value_that_only_its_key_tells() -> None:
    filler = " ".join(WORDS) * 30
    vault = Vault("session")
    for number in range(4):
        vault.keep(f"{filler * 3} run_job wilhelmina qvortrup retries {number} {filler}", "logs")
    vault.keep(json.dumps([{"customer_name": "wilhelmina qvortrup", "account_number": "7284719553"}, *MANY]), "crm")
    assert "qvortrup" not in vault.sanitize("for wilhelmina qvortrup")


def test_a_server_that_is_not_masked_does_not_unmask_the_values_of_another_one() -> None:
    off = replace(DEFAULT_RULES, off=frozenset(kind.name for kind in KINDS))
    vault = Vault("session", rules=replace(DEFAULT_RULES, servers=(("logs", off),)))
    record = {"customer_name": "wilhelmina qvortrup", "email": "w@qvortrup.org", "account_number": "7284719553"}
    for number in range(3):
        lines = [f"INFO {at} user {' '.join(record.values())} ok" for at in range(30)]
        vault.keep("\n".join([*lines, *["status fine"] * 2_500, str(number)]), "logs")
    vault.keep(json.dumps([record]), "crm")
    shown = vault.sanitize(" ".join(record.values()))
    assert [value for value in record.values() if value in shown] == []
