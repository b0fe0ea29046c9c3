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
