"""Generated functions: typed, callable in both styles, and deaf to hostile definitions."""

from __future__ import annotations

import ast
import asyncio
import sys
import types
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.identifiers import parameter_names, python_names
from workbench.records import Hints, Tool
from workbench.wrappers.python_source import call_source, wrapper_source

HOSTILE_TEXTS = [
    '"""',
    "'''\nimport os",
    '"""\nimport os\nos.system("x")\n"""',
    "\\",
    '\\"""',
    "*/ {x} {{y}} %s",
    "\r\n\t\x00\x07\x1b[31m",
    "\u202e\u200b\ud800\U000e0041",
    "# coding: utf-7",
    "${jndi:x} `rm`",
    "__init__",
    "../../x",
    "class",
    "from",
    "NOT_GIVEN",
    "call_tool",
    "typing",
    "arguments",
    "given",
    "value",
]


def tool(schema: Any, name: str = "do_it", output: Any = None, **more: Any) -> Tool:
    """Any: schemas as hostile as the test wishes."""
    return Tool("demo-server", name, input_schema=schema, output_schema=output, **more)


def obj(properties: Mapping[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), **more}


def load(one: Tool, function: str = "do_it", answer: Any = "answer") -> tuple[types.ModuleType, list[Any]]:
    """Import the generated text with a client that remembers."""
    sent: list[Any] = []

    async def call_tool(server: str, name: str, arguments: Any, *, whole: bool = False) -> Any:
        sent.append((server, name, arguments))
        return answer

    client = types.ModuleType("client")
    client.__dict__["call_tool"] = call_tool
    client.__dict__["as_arguments"] = lambda given, name: (
        (given or {}) if isinstance(given, dict | None) else {name: given}
    )
    module = types.ModuleType("generated")
    before = sys.modules.get("client")
    sys.modules["client"] = client
    try:
        exec(compile(wrapper_source(one, function), "generated.py", "exec"), module.__dict__)
    finally:
        sys.modules.pop("client")
        if before is not None:
            sys.modules["client"] = before
    return module, sent


def annotation(one: Tool, parameter: str) -> str:
    function = ast.parse(wrapper_source(one, "do_it")).body[-1]
    assert isinstance(function, ast.AsyncFunctionDef)
    found = {argument.arg: argument.annotation for argument in function.args.kwonlyargs}[parameter]
    assert found is not None
    return ast.unparse(found)


def returns(one: Tool) -> str:
    function = ast.parse(wrapper_source(one, "do_it")).body[-1]
    assert isinstance(function, ast.AsyncFunctionDef)
    assert function.returns is not None
    return ast.unparse(function.returns)


def test_one_dict_and_keywords_send_the_same() -> None:
    module, sent = load(tool(obj({"title": {"type": "string"}, "labels": {"type": "array"}}, "title")))
    assert asyncio.run(module.do_it({"title": "a"})) == "answer"
    asyncio.run(module.do_it(title="a"))
    assert sent == [("demo-server", "do_it", {"title": "a"})] * 2


def test_what_is_not_given_is_not_sent_and_an_explicit_none_is() -> None:
    module, sent = load(tool(obj({"a": {"type": ["string", "null"], "default": "x"}, "b": {}})))
    asyncio.run(module.do_it(a=None))
    asyncio.run(module.do_it())
    assert [one[2] for one in sent] == [{"a": None}, {}]


def test_keys_that_are_no_identifiers_are_sent_as_they_are() -> None:
    keys = {"from": "from_", "x-api-key": "x_api_key", "a b": "a_b", "2nd": "_2nd"}
    module, sent = load(tool(obj({key: {"type": "string"} for key in keys})))
    asyncio.run(module.do_it(**dict.fromkeys(keys.values(), "v")))
    assert sent[0][2] == dict.fromkeys(keys, "v")


def test_a_misspelt_keyword_is_told_before_anything_is_sent() -> None:
    module, sent = load(tool(obj({"title": {"type": "string"}})))
    with pytest.raises(TypeError, match="titel"):
        asyncio.run(module.do_it(titel="a"))
    assert sent == []


def test_other_keywords_are_taken_where_the_schema_invites_them() -> None:
    module, sent = load(tool({"type": "object", "additionalProperties": {"type": "number"}}))
    asyncio.run(module.do_it(a=1, b=2))
    assert sent[0][2] == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "str"),
        ({"type": "number"}, "float"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "str | None"),
        ({"type": ["string", "integer", "null"]}, "str | int | None"),
        ({"type": "string", "nullable": True}, "str | None"),
        ({"enum": [1, 2, None, 'a"b']}, "typing.Literal[1, 2, None, 'a\"b']"),
        ({"enum": [1, True, 1]}, "typing.Literal[1, True]"),
        ({"enum": [1.0, True]}, "typing.Literal[True] | float"),
        ({"const": "x"}, "typing.Literal['x']"),
        ({"enum": [1.5, "a"]}, "typing.Literal['a'] | float"),
        ({"type": "array", "items": {"type": "string"}}, "list[str]"),
        ({"type": "array"}, "list[typing.Any]"),
        (
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "tuple[str, int] | list[str | int]",
        ),
        ({"type": "array", "items": [{"type": "string"}]}, "tuple[str] | list[str]"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "dict[str, float]"),
        ({"type": "object"}, "dict[str, typing.Any]"),
        (obj({"x": {"type": "integer"}}), "DoItV"),
        (True, "typing.Any"),
        ({}, "typing.Any"),
        ({"type": "made-up"}, "typing.Any"),
        ({"$ref": "https://example.com/far.json"}, "typing.Any"),
        ({"$ref": "#/nowhere"}, "typing.Any"),
        ({"type": 7}, "typing.Any"),
        ("text", "typing.Any"),
        ({"allOf": [{"type": "string"}, {"minLength": 1}]}, "str"),
        ({"type": "string", "anyOf": [{"format": "date"}, {"format": "time"}]}, "str"),
    ],
)
def test_a_schema_becomes_the_type_it_means(schema: Any, expected: str) -> None:
    assert annotation(tool(obj({"v": schema})), "v") == expected


def test_a_property_that_may_not_be_given_is_no_parameter() -> None:
    module, _ = load(tool(obj({"any": True, "never": False})))
    assert list(module.DoItInput.__annotations__) == ["any"]


def test_branches_of_the_whole_input_become_keywords_together() -> None:
    whole = {"type": "object", "allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {}}}]}
    either = {"oneOf": [obj({"a": {"type": "string"}}, "a"), obj({"b": {"type": "integer"}}, "b")]}
    assert annotation(tool(whole), "a") == "str"
    assert annotation(tool(either), "b") == "int"


def test_a_type_may_hold_itself() -> None:
    node = obj({"value": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}})
    source = wrapper_source(tool({**obj({"v": {"$ref": "#/$defs/Node"}}), "$defs": {"Node": node}}), "do_it")
    assert "class Node(typing.TypedDict):" in source
    assert "next: typing.NotRequired[Node]" in source


def test_a_union_may_hold_itself() -> None:
    json_value = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/Json"}}]}
    source = wrapper_source(tool({**obj({"v": {"$ref": "#/$defs/Json"}}), "$defs": {"Json": json_value}}), "do_it")
    assert "Json: typing.TypeAlias = 'str | list[Json]'" in source


@pytest.mark.parametrize("loop", [{"$ref": "#/properties/v"}, {"$ref": "#"}, {"allOf": [{"$ref": "#/properties/v"}]}])
def test_a_reference_to_itself_ends(loop: dict[str, Any]) -> None:
    compile(wrapper_source(tool(obj({"v": loop})), "do_it"), "x", "exec")


def test_a_schema_that_multiplies_ends() -> None:
    levels = {
        f"L{n}": {"anyOf": [{"allOf": [{"$ref": f"#/$defs/L{n + 1}"}, obj({f"p{n}{m}": {}})]} for m in range(6)]}
        for n in range(12)
    }
    compile(wrapper_source(tool({**obj({"v": {"$ref": "#/$defs/L0"}}), "$defs": levels}), "do_it"), "x", "exec")


def test_deep_nesting_ends_in_anything() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(300):
        schema = {"type": "array", "items": schema}
    assert "typing.Any" in annotation(tool(obj({"v": schema})), "v")


def test_the_result_is_typed_from_the_output_schema() -> None:
    source = wrapper_source(tool({}, output=obj({"number": {"type": "integer"}}, "number")), "do_it")
    assert "class DoItResult(typing.TypedDict):\n    number: int" in source
    assert returns(tool({}, output=obj({"number": {}}))) == "DoItResult"
    assert returns(tool({})) == "typing.Any"


def test_a_wrapped_result_is_typed_unwrapped() -> None:
    assert (
        returns(tool({}, output=obj({"result": {"type": "array", "items": {"type": "string"}}}, "result")))
        == "list[str]"
    )


@pytest.mark.parametrize(
    ("answer", "result"), [({"result": [1]}, [1]), ({"result": None}, None), ([1], [1]), ("x", "x")]
)
def test_a_wrapped_result_is_handed_back_unwrapped(answer: Any, result: Any) -> None:
    names = obj({key: {} for key in ("dict", "list", "answer", "inner", "result", "isinstance")})
    module, _ = load(tool(names, output=obj({"result": {}})), answer=answer)
    assert asyncio.run(module.do_it()) == result


def test_a_result_among_others_stays_where_it_is() -> None:
    answer = {"result": 1, "more": 2}
    module, _ = load(tool({}, output=obj({"result": {}, "more": {}})), answer=answer)
    assert asyncio.run(module.do_it()) == answer
    module, _ = load(tool({}), answer={"result": 1})
    assert asyncio.run(module.do_it()) == {"result": 1}


def test_tuples_come_back_as_lists() -> None:
    row = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}
    assert returns(tool({}, output=obj({"result": row}))) == "list[str | int]"


def test_the_docstring_tells_parameters_result_and_claims() -> None:
    schema = obj({"from": {"type": "string", "description": "Where\nto start", "format": "date", "default": "today"}})
    one = tool(schema, description="Do it well.", hints=Hints(read_only=True), output={"description": "What was done"})
    module, _ = load(one)
    text = str(module.do_it.__doc__)
    for part in ("Do it well.", "from_ (optional, sent as 'from', default 'today', format date): Where to start"):
        assert part in text
    assert "Returns: What was done" in text
    assert "The server says: it only reads." in text


def test_an_endless_description_is_cut_and_the_cut_is_said() -> None:
    module, _ = load(tool({}, description="x" * 1_000_000))
    assert len(module.do_it.__doc__) < 5_000
    assert "996000 more characters" in module.do_it.__doc__


ALLOWED = (ast.ClassDef, ast.AsyncFunctionDef, ast.AnnAssign, ast.Import, ast.ImportFrom)


def does_nothing_at_import(source: str) -> bool:
    """Only definitions, imports of `typing` and `client`, and the functional form of a TypedDict."""
    first, *body = ast.parse(source).body
    assert isinstance(first, ast.Expr)
    assert isinstance(first.value, ast.Constant)
    for statement in body:
        if isinstance(statement, ast.Assign):
            call = statement.value
            assert isinstance(call, ast.Call)
            assert ast.unparse(call.func).rstrip("_") in ("typing.TypedDict", "typing_.TypedDict", "typing__.TypedDict")
        elif isinstance(statement, ast.Import):
            assert [alias.name for alias in statement.names] == ["typing"]
        elif isinstance(statement, ast.ImportFrom):
            assert statement.module in ("__future__", "client")
        elif isinstance(statement, ast.AnnAssign):
            assert isinstance(statement.value, ast.Constant)
        else:
            assert isinstance(statement, ALLOWED)
    return True


texts = st.text() | st.sampled_from(HOSTILE_TEXTS) | st.text(alphabet="\"'\\\n\r\t{}#x ", max_size=12)
leaves = (
    st.booleans()
    | st.sampled_from(
        [{"type": "string"}, {"type": ["integer", "null"]}, {"$ref": "#"}, {"$ref": "#/$defs/A"}, 5, None]
    )
    | st.builds(
        lambda values: {"enum": values}, st.lists(texts | st.integers() | st.none() | st.floats() | st.booleans())
    )
    | st.builds(lambda text, value: {"type": "string", "description": text, "default": value}, texts, texts)
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(
            lambda p, r: {"type": "object", "properties": p, "required": r},
            st.dictionaries(texts, inner, max_size=4),
            st.lists(texts, max_size=2),
        ),
        st.builds(lambda one: {"type": "array", "items": one}, inner),
        st.builds(lambda some: {"prefixItems": some}, st.lists(inner, max_size=3)),
        st.builds(
            lambda word, some: {word: some}, st.sampled_from(["anyOf", "oneOf", "allOf"]), st.lists(inner, max_size=3)
        ),
        st.builds(lambda one: {"type": "object", "additionalProperties": one}, inner),
    ),
    max_leaves=12,
)
relaxed = settings(deadline=None, max_examples=150)


@relaxed
@given(
    name=texts,
    server=texts,
    description=texts,
    properties=st.dictionaries(texts, schemas, max_size=5),
    output=st.none() | schemas,
    defs=schemas,
)
def test_no_definition_makes_code_that_runs_at_import(
    name: str, server: str, description: str, properties: dict[str, Any], output: Any, defs: Any
) -> None:
    schema = {"type": "object", "properties": properties, "$defs": {"A": defs}}
    one = Tool(server, name, "", description, schema, output)
    function = python_names([name])[name]
    source = wrapper_source(one, function)
    assert does_nothing_at_import(source)
    module, sent = load(one, function)
    given_arguments = {key: index for index, key in enumerate(properties)}
    asyncio.run(getattr(module, function)(given_arguments))
    assert sent == [(server, name, given_arguments)]


@relaxed
@given(st.dictionaries(texts, st.integers() | texts, max_size=8))
def test_keywords_send_exactly_the_keys_and_values_given(arguments: dict[str, Any]) -> None:
    module, sent = load(tool(obj({key: {} for key in arguments})))
    names = parameter_names(list(arguments))
    asyncio.run(module.do_it(**{names[key]: value for key, value in arguments.items()}))
    assert sent[0][2] == arguments


def test_a_call_becomes_a_program_with_keywords() -> None:
    one = tool(obj({"from": {}, "limit": {}}))
    text = call_source(one, "do_it", {"from": "a", "limit": 5})
    assert text == "from servers.demo_server import do_it\n\nresult = await do_it(from_='a', limit=5)\n"


def test_a_call_with_keys_outside_the_schema_becomes_a_dict() -> None:
    assert "do_it({'odd key': 1})" in call_source(tool(obj({"a": {}})), "do_it", {"odd key": 1})


def test_a_long_call_is_laid_out_in_lines() -> None:
    text = call_source(tool(obj({"rows": {}})), "do_it", {"rows": [{"name": "x" * 40, "n": n} for n in range(4)]})
    assert max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) > 6


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=15,
)


@relaxed
@given(st.dictionaries(texts, values, max_size=4), st.booleans())
def test_the_program_of_a_call_makes_exactly_that_call(arguments: dict[str, Any], known: bool) -> None:
    one = tool(obj({key: {} for key in arguments} if known else {}))
    program = ast.parse(call_source(one, "do_it", arguments))
    call = program.body[1]
    assert isinstance(call, ast.Assign)
    assert isinstance(call.value, ast.Await)
    module, sent = load(one)
    scope = {"do_it": module.do_it}
    asyncio.run(eval(compile(ast.Expression(call.value.value), "call", "eval"), scope))
    assert sent[0][2] == arguments


def test_a_nested_object_that_invites_other_keys_may_be_any_dict_when_given() -> None:
    inviting = obj({"x": {"type": "integer"}}, additionalProperties=True)
    assert annotation(tool(obj({"v": inviting})), "v") == "DoItV | dict[str, typing.Any]"
    assert returns(tool({}, output=inviting)) == "DoItResult"


def test_the_only_needed_argument_may_be_given_without_its_name() -> None:
    schema = obj({"pattern": {"type": "string"}, "limit": {"type": "integer"}}, "pattern")
    module, sent = load(tool(schema))
    asyncio.run(module.do_it("**/*.tsx"))
    asyncio.run(module.do_it({"pattern": "a"}, limit=2))
    assert [arguments for _, _, arguments in sent] == [{"pattern": "**/*.tsx"}, {"pattern": "a", "limit": 2}]
    two, _ = load(tool(obj({"a": {"type": "string"}, "b": {"type": "string"}}, "a", "b")))
    with pytest.raises(TypeError, match="not a mapping"):
        asyncio.run(two.do_it("x"))
