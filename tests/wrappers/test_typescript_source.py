"""Generated TypeScript: the same shapes, and as deaf to hostile definitions as the Python."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.identifiers import script_names
from workbench.records import Hints, Tool
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
from workbench.wrappers.typescript_source import TypeScriptTypeWriter, quoted, type_names, typescript_source

NOW = "2026-01-02T03:04:05Z"
TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<comment>/\*(?:[^*]|\*(?!/))*\*/|//[^\n\r\u2028\u2029]*)|(?P<text>"(?:[^"\\\n\r]|\\.)*"|`[^`]*`)"""
    r"""|(?P<number>-?\d+)|(?P<word>(?:[\w$]|[^\x00-\x7f\s])+)|(?P<mark>\?\.|===|=>|[{}()\[\]<>;:,.?|=])"""
)


def tool(schema: Any, name: str = "do_it", output: Any = None, **more: Any) -> Tool:
    """Any: schemas as hostile as the test wishes."""
    return Tool("demo", name, input_schema=schema, output_schema=output, **more)


def obj(properties: Any, *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def write(one: Tool, function: str = "do_it") -> str:
    return typescript_source(one, function, NOW)


def tokens(source: str) -> list[str]:
    """The tokens without comments; fails where the text is none."""
    found, at = [], 0
    while at < len(source):
        match = TOKEN.match(source, at)
        assert match, source[at : at + 80]
        assert match.lastgroup != "word" or match[0].replace("$", "_").isidentifier()  # TypeScript lets `$` in
        if match.lastgroup not in ("space", "comment"):
            found.append(match[0])
        at = match.end()
    return found


def is_balanced(found: list[str]) -> bool:
    closing, waiting = {"}": "{", ")": "(", "]": "["}, []
    for token in found:
        if token in closing.values():
            waiting.append(token)
        elif token in closing and (not waiting or waiting.pop() != closing[token]):
            return False
    return not waiting


def test_a_tool_is_two_interfaces_and_a_function() -> None:
    one = tool(
        obj({"title": {"type": "string", "description": "What it is about"}, "labels": {"items": {}}}, "title"),
        output=obj({"number": {"type": "integer"}}, "number"),
        description="Create an issue.",
        hints=Hints(destructive=False),
    )
    assert write(one, "create_issue") == (
        '// The tool "do_it" of the server "demo".\n'
        "// Generated at 2026-01-02T03:04:05Z\n"
        'import { callMCPTool } from "../client.js";\n'
        "\n"
        "export interface CreateIssueInput {\n"
        "  /** What it is about */\n"
        "  title: string;\n"
        "  labels?: unknown[];\n"
        "}\n"
        "\n"
        "export interface CreateIssueResponse {\n"
        "  number: number;\n"
        "}\n"
        "\n"
        "/**\n"
        " * Create an issue.\n"
        " *\n"
        " * The server says: it only adds.\n"
        " */\n"
        "export async function create_issue(input: CreateIssueInput): Promise<CreateIssueResponse> {\n"
        '  return callMCPTool<CreateIssueResponse>("demo__do_it", input);\n'
        "}\n"
    )


def test_nothing_need_be_given_where_nothing_is_required() -> None:
    assert "do_it(input: DoItInput = {}): Promise<DoItResponse>" in write(tool(obj({"a": {}})))


def test_a_wrapped_result_is_handed_back_unwrapped() -> None:
    source = write(tool({}, output=obj({"result": {"type": "array", "items": {"type": "string"}}})))
    assert "export type DoItResponse = string[];" in source
    assert "answer?.result === undefined ? answer : answer.result" in source


def test_a_type_called_like_ours_gives_way() -> None:
    schema = {**obj({"a": {"$ref": "#/$defs/Promise"}}), "$defs": {"Promise": obj({"b": {}})}}
    assert "a?: Promise_;" in write(tool(schema))


def test_what_comes_back_is_said() -> None:
    assert " * @returns What was done" in write(tool({}, output={"description": "What was\ndone"}))


def test_a_type_that_is_only_another_word_for_itself_says_nothing() -> None:
    loop = {"A": {"anyOf": [{"$ref": "#/$defs/B"}, {"type": "string"}]}, "B": {"anyOf": [{"$ref": "#/$defs/A"}, {}]}}
    for name in loop:
        source = write(tool({**obj({"v": {"$ref": f"#/$defs/{name}"}}), "$defs": loop}))
        assert not re.search(r"type (\w+) = (?:.* )?\1\b", source)


texts = st.text() | st.sampled_from(
    [
        "*/",
        "*/ alert(1); /*",
        "//",
        "`${x}`",
        '"',
        "'",
        "\\",
        "\\*/",
        "@ts-nocheck",
        "\u2028",
        "\ud800",
        "</script>",
        "\n}",
    ]
)
leaves = st.sampled_from(
    [{"type": "string"}, {"type": "integer"}, {"enum": ["*/", 1]}, True, {"$ref": "#"}]
) | st.builds(
    lambda note, default, values: {"description": note, "default": default, "enum": values},
    texts,
    texts,
    st.lists(texts | st.integers() | st.booleans() | st.none(), max_size=3),
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"type": "object", "properties": parts}, st.dictionaries(texts, inner, max_size=3)),
        st.builds(lambda one: {"type": "array", "items": one}, inner),
        st.builds(lambda some: {"prefixItems": some}, st.lists(inner, max_size=2)),
        st.builds(lambda some: {"anyOf": some}, st.lists(inner, max_size=3)),
        st.builds(lambda one: {"type": "object", "additionalProperties": one}, inner),
    ),
    max_leaves=8,
)
relaxed = settings(deadline=None, max_examples=150)


@relaxed
@given(texts, texts, texts, st.dictionaries(texts, schemas, max_size=4), st.none() | schemas)
@example("x", "y\n", "*/ import 'evil' /*", {"*/": {"description": "*/", "default": "*/"}}, {"description": "*/"})
def test_any_definition_makes_valid_tokens_in_balance(
    name: str, server: str, description: str, properties: dict[str, Any], output: Any
) -> None:
    one = Tool(server, name, description=description, input_schema=obj(properties), output_schema=output)
    function = script_names([name])[name]
    found = tokens(write(one, function))
    assert is_balanced(found)
    assert json.dumps(f"{server}__{name}") in found
    assert function in found


@relaxed
@given(texts, texts, st.lists(texts, min_size=1, max_size=3, unique=True))
@example("", "", ["$"])
def test_words_change_nothing_but_comments(description: str, note: str, keys: list[str]) -> None:
    bare = tool(obj({key: {"type": "string"} for key in keys}), output={})
    told = tool(
        obj({key: {"type": "string", "description": note, "default": note, "pattern": note} for key in keys}),
        output={"description": note},
        description=description,
    )
    assert tokens(write(bare)) == tokens(write(told))


# ── shapes as TypeScript types ───────────────────────────────────────────────────────────────────────
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
