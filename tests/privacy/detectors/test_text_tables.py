"""Cells of tables in text."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.detector import detect
from workbench.privacy.detectors.text_tables import find_table_cells


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in find_table_cells(text)]


ROSA = [("NAME", "Rosa Lund"), ("PHONE", "5550134")]


@pytest.mark.parametrize(
    "text",
    [
        "id,name,phone\n7,Rosa Lund,5550134\n",
        'id,"name","phone"\r\n7,"Rosa Lund","5550134"\r\n',
        "id\tname\tphone\n7\tRosa Lund\t5550134",
        "id;name;phone\n7;Rosa Lund;5550134",
        "| id | name | phone |\n| --- | --- | --- |\n| 7 | Rosa Lund | 5550134 |\n",
        "Here they are:\n\nid,name,phone\n7,Rosa Lund,5550134\n\nThat is all, name, phone.",
    ],
)
def test_a_header_tells_what_stands_below_it(text: str) -> None:
    assert found(text) == ROSA


@pytest.mark.parametrize(
    "text",
    [
        " id | full_name | phone\n----+-----------+---------\n  7 | Rosa Lund | 5550134\n(1 row)\n",
        "+--+---+---+\n| id | full_name | phone |\n+--+---+---+\n| 7 | Rosa Lund | 5550134 |\n+--+---+---+\n",
        "   id  full_name    phone\n0   7  Rosa Lund  5550134\n",
        "<tr><th>Id</th><th>Full name</th><th>Phone</th></tr>\n<tr><td>7</td><td>Rosa Lund</td><td>5550134</td></tr>",
        "INSERT INTO people (id, full_name, phone) VALUES (7, 'Rosa Lund', '5550134');",
        "insert into customers(id,name,phone) values (7, 'Rosa Lund', '5550134'),\n (8, NULL, NULL);",
    ],
)
def test_tables_are_written_in_many_ways(text: str) -> None:
    assert found(text) == ROSA


def test_values_of_a_column_that_says_nothing_may_agree() -> None:
    numbers = ["+49 30 901820", "+49 30 901821", "+49 30 901822", "555 0134"]
    rows = "\n".join(f"{at},a@b{at}.co,{number}" for at, number in enumerate(numbers))
    assert [value for kind, value in found(f"id,email,reach\n{rows}\n") if kind == "PHONE"] == numbers


def test_a_quoted_cell_may_hold_the_divider() -> None:
    assert found('id,address\n7,"12 Elm Street, Berlin"\n') == [("ADDRESS", "12 Elm Street, Berlin")]


def test_the_detector_reads_tables() -> None:
    text = "id,first_name\nORD-00001,Rosa\n"
    assert [text[part.start : part.end] for part in detect(text)] == ["Rosa"]


@pytest.mark.parametrize(
    "text",
    [
        "id,name,price\nORD-00001,Desk Lamp,4.99\n",
        "Well, thank you\nfor this, Rosa\n",
        "id,phone\n7,8,9\n",
        "def f(name, phone):\n    return a, b\n",
        "id,date_of_birth\n7,\n8,n/a\n",
    ],
)
def test_other_columns_and_lines_stay(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nr;Nachname;Vorname;PLZ\n1;Lund;Rosa;01099\n", ["Lund", "Rosa", "01099"]),
        ("numéro,nom,prénom\n1,Lund,Rosa\n", ["Lund", "Rosa"]),
        ("番号,氏名,電話番号\n1,山田太郎,03-1234-5678\n", ["山田太郎", "03-1234-5678"]),
        ("| № | ФИО | Телефон |\n|---|---|---|\n| 1 | Роза Лунд | 55-12-34 |\n", ["Роза Лунд", "55-12-34"]),
        ("id,customer's name,mother’s maiden name\n1,rosa lund,hill\n", ["rosa lund", "hill"]),
        ("id\tGivenName\tMothersMaiden\tNationalID\n1\tRosa\tHill\t5.12345E+10\n", ["Rosa", "Hill", "5.12345E+10"]),
        ("<tr><th>Id</th><th>पूरा नाम</th><th>मोबाइल</th></tr><tr><td>1</td><td>प्रिया</td><td>98765 43210</td></tr>",
         ["प्रिया", "98765 43210"]),
        ("INSERT INTO kunden (nr, vorname, straße) VALUES (7, 'Rosa', 'Elbweg 5');", ["Rosa", "Elbweg 5"]),
    ],
)  # fmt: skip
def test_headers_in_other_languages_announce_their_columns(text: str, expected: list[str]) -> None:
    assert sorted(value for _, value in found(text)) == sorted(expected)


def test_odd_cells_are_like_the_others_in_their_column() -> None:
    cells = ["55 12 34", "55 12 35", "55 12 36", "55 12 37", "central desk", "n/a", "-"]
    rows = "\n".join(f"{at},{cell}" for at, cell in enumerate(cells))
    assert [value for _, value in found(f"id,phone\n{rows}\n")] == cells[:5]


def test_a_bare_name_does_not_decide_for_odd_cells() -> None:
    names = ["Rosa Lund", "Kofi Mensah", "Femke Bakker", "Noor Jansen", "Support", "Sales Desk"]
    rows = "\n".join(f"{at},{name},a{at}@b.co" for at, name in enumerate(names))
    assert [value for kind, value in found(f"id,name,email\n{rows}\n") if kind == "NAME"] == names[:4]


def test_columns_of_people_without_header_are_read() -> None:
    people = [("Jessica", "Solis"), ("Rachel", "Underwood"), ("Edward", "Klunsen"), ("Caitlyn", "Glover")]
    rows = [
        f"10{at},{first},{last},{first.lower()}@corp.net,12 Oak Row,Reno" for at, (first, last) in enumerate(people)
    ]
    text = "\n".join(rows)
    found = {text[one.start : one.end] for one in find_table_cells(text)}
    assert found >= {name for person in people for name in person} | {"12 Oak Row"}
    assert "Reno" not in found
    assert list(find_table_cells("\n".join(row.replace("@", " at ") for row in rows))) == []


@pytest.mark.parametrize(
    "header",
    [
        "Kd.-Nr.;Nachn.;Geb.-Datum",
        "Nr;Name (Nachname);F. Nac.",
        "_id;lastname;dob",
        "ID;NAME_LAST;GBDAT",
        "Nº;Apellidos;F. Nac.",
    ],
)
def test_abbreviated_and_technical_headers_are_understood(header: str) -> None:
    text = f"{header}\n1;Klunsen;12.03.1981\n2;Okafor;04.11.1975\n"
    assert {text[one.start : one.end] for one in find_table_cells(text)} >= {"Klunsen", "12.03.1981"}
