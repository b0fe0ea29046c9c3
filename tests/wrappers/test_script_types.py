"""Shapes as TypeScript types."""

from __future__ import annotations

import pytest

from workbench.wrappers.script_types import ScriptTypes, quoted, type_names
from workbench.wrappers.shapes import (
    Alias,
    Anything,
    Choice,
    Field,
    Listing,
    Named,
    Nothing,
    Record,
    Row,
    Scalar,
    Shape,
    Table,
    Union,
)

TEXT, NUMBER = Scalar("str"), Scalar("int")
GIVEN = ScriptTypes({"Node": "Node_"}, given=True)
BACK = ScriptTypes({"Node": "Node_"}, given=False)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (TEXT, "string"),
        (Union((NUMBER, Scalar("float"), Scalar("None"))), "number | null"),
        (Scalar("bool"), "boolean"),
        (Nothing(), "never"),
        (Anything(), "unknown"),
        (Choice((1, True, None, 'a"b\n')), '1 | true | null | "a\\"b\\n"'),
        (Choice((2**53, -1)), "number | -1"),
        (Listing(TEXT), "string[]"),
        (Listing(Union((TEXT, NUMBER))), "(string | number)[]"),
        (Listing(Listing(TEXT)), "(string[])[]"),
        (Row((TEXT, NUMBER)), "[string, number] | (string | number)[]"),
        (Row((TEXT,), NUMBER), "(string | number)[]"),
        (Table(NUMBER), "{ [key: string]: number }"),
        (Named("Node"), "Node_"),
    ],
)
def test_a_shape_becomes_the_type_it_means(shape: Shape, expected: str) -> None:
    assert GIVEN.write(shape) == expected


def test_what_comes_back_unclaimed_may_be_used_and_rows_come_back_as_lists() -> None:
    assert BACK.write(Anything()) == "any"
    assert BACK.write(Row((TEXT, NUMBER))) == "(string | number)[]"


def test_a_record_is_an_interface_with_its_notes() -> None:
    fields = (
        Field("title", TEXT, True, note="The */ title", limits="1 to 9 characters"),
        Field("x-key", NUMBER, False, default=3, has_default=True),
    )
    assert GIVEN.declare(Record("Node", fields, Scalar("int"))) == (
        "export interface Node_ {\n"
        "  /** The *\\/ title (1 to 9 characters) */\n"
        "  title: string;\n"
        "  /** (default 3) */\n"
        '  "x-key"?: number;\n'
        "  [key: string]: unknown;\n"
        "}\n"
    )


def test_other_keys_alone_keep_their_type() -> None:
    assert "[key: string]: number;" in GIVEN.declare(Record("Node", (), NUMBER))


def test_an_alias_may_hold_itself() -> None:
    text = GIVEN.declare(Alias("Node", Union((TEXT, Table(Named("Node"))))))
    assert text == "export type Node_ = string | { [key: string]: Node_ };\n"


def test_a_text_is_quoted_in_ascii() -> None:
    assert quoted('"\u2028\ud800`') == '"\\"\\u2028\\ud800`"'


def test_a_name_that_is_taken_gives_way() -> None:
    taken = {"Promise"}
    assert type_names([Record("Promise", ()), Record("Node", ())], taken) == {"Promise": "Promise_", "Node": "Node"}
    assert taken == {"Promise", "Promise_", "Node"}
