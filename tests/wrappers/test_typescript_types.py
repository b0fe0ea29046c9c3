"""Shapes as TypeScript types."""

from __future__ import annotations

import pytest

from workbench.wrappers.type_shapes import (
    AliasShape,
    AnyShape,
    ChoiceShape,
    ListShape,
    MapShape,
    NamedShape,
    NothingShape,
    RecordField,
    RecordShape,
    ScalarShape,
    Shape,
    TupleShape,
    UnionShape,
)
from workbench.wrappers.typescript_types import TypeScriptTypeWriter, quoted, type_names

TEXT, NUMBER = ScalarShape("str"), ScalarShape("int")
GIVEN = TypeScriptTypeWriter({"Node": "Node_"}, given=True)
BACK = TypeScriptTypeWriter({"Node": "Node_"}, given=False)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (TEXT, "string"),
        (UnionShape((NUMBER, ScalarShape("float"), ScalarShape("None"))), "number | null"),
        (ScalarShape("bool"), "boolean"),
        (NothingShape(), "never"),
        (AnyShape(), "unknown"),
        (ChoiceShape((1, True, None, 'a"b\n')), '1 | true | null | "a\\"b\\n"'),
        (ChoiceShape((2**53, -1)), "number | -1"),
        (ListShape(TEXT), "string[]"),
        (ListShape(UnionShape((TEXT, NUMBER))), "(string | number)[]"),
        (ListShape(ListShape(TEXT)), "(string[])[]"),
        (TupleShape((TEXT, NUMBER)), "[string, number] | (string | number)[]"),
        (TupleShape((TEXT,), NUMBER), "(string | number)[]"),
        (MapShape(NUMBER), "{ [key: string]: number }"),
        (NamedShape("Node"), "Node_"),
    ],
)
def test_a_shape_becomes_the_type_it_means(shape: Shape, expected: str) -> None:
    assert GIVEN.write(shape) == expected


def test_what_comes_back_unclaimed_may_be_used_and_rows_come_back_as_lists() -> None:
    assert BACK.write(AnyShape()) == "any"
    assert BACK.write(TupleShape((TEXT, NUMBER))) == "(string | number)[]"


def test_a_record_is_an_interface_with_its_notes() -> None:
    fields = (
        RecordField("title", TEXT, True, note="The */ title", limits="1 to 9 characters"),
        RecordField("x-key", NUMBER, False, default=3, has_default=True),
    )
    assert GIVEN.declare(RecordShape("Node", fields, ScalarShape("int"))) == (
        "export interface Node_ {\n"
        "  /** The *\\/ title (1 to 9 characters) */\n"
        "  title: string;\n"
        "  /** (default 3) */\n"
        '  "x-key"?: number;\n'
        "  [key: string]: unknown;\n"
        "}\n"
    )


def test_other_keys_alone_keep_their_type() -> None:
    assert "[key: string]: number;" in GIVEN.declare(RecordShape("Node", (), NUMBER))


def test_an_alias_may_hold_itself() -> None:
    text = GIVEN.declare(AliasShape("Node", UnionShape((TEXT, MapShape(NamedShape("Node"))))))
    assert text == "export type Node_ = string | { [key: string]: Node_ };\n"


def test_a_text_is_quoted_in_ascii() -> None:
    assert quoted('"\u2028\ud800`') == '"\\"\\u2028\\ud800`"'


def test_a_name_that_is_taken_gives_way() -> None:
    taken = {"Promise"}
    assert type_names([RecordShape("Promise", ()), RecordShape("Node", ())], taken) == {
        "Promise": "Promise_",
        "Node": "Node",
    }
    assert taken == {"Promise", "Promise_", "Node"}
