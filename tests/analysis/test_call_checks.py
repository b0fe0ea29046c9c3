"""The look at a program before it runs: it tells what cannot work, and is silent about all that may."""

from __future__ import annotations

import asyncio
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from workbench.analysis.certain_failures import check_draft
from workbench.analysis.certain_failures import find_certain_failures as certain_failures
from workbench.analysis.parsed_program import ParsedProgram
from workbench.analysis.reading import read_program
from workbench.records import Finding, Risk, Tool
from workbench.sandbox.inside.program_transform import prepare
from workbench.wrappers.python_source import call_source, wrapper_source


def check(
    code: str, tools: Sequence[Tool], servers: Sequence[str] = (), earlier: Sequence[str] = ()
) -> tuple[Finding, ...]:
    return certain_failures(read_program(code, tools, earlier=earlier), tools, servers)


def doubts(code: str, tools: Sequence[Tool]) -> tuple[Finding, ...]:
    sure = check(code, tools)
    return tuple(finding for finding in check_draft(ParsedProgram(code), tools, ()) if finding not in sure)


def obj(properties: Any, *required: str, **more: Any) -> dict[str, Any]:
    """Any: schemas are JSON."""
    return {"type": "object", "properties": properties, "required": list(required), **more}


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
ISSUE = obj(
    {
        "title": TEXT,
        "body": TEXT,
        "labels": {"type": "array", "items": TEXT},
        "state": {"enum": ["open", "closed"]},
        "from": NUMBER,
    },
    "title",
)
TOOLS = (
    Tool("github", "create_issue", input_schema=ISSUE),
    Tool("github", "list-issues", input_schema=obj({"limit": NUMBER}, additionalProperties=False)),
    Tool("github", "open", input_schema={}),
    Tool("my-server", "search", input_schema=obj({"query": {"anyOf": [TEXT, {"type": "null"}]}}, "query")),
)
FROM = "from servers.github import create_issue\n"


def rules(code: str) -> list[str]:
    return [finding.rule for finding in check(code, TOOLS)]


def message(code: str) -> str:
    (finding,) = check(code, TOOLS)
    return finding.message


@pytest.mark.parametrize(
    ("code", "rule"),
    [
        ("from servers.github import create_isue", "tool.unknown"),
        ("from servers import github\nawait github.create_isue(title='a')", "tool.unknown"),
        ("import servers.github as gh\nawait gh.creat_issue(title='a')", "tool.unknown"),
        ("await call_tool('github', 'create_isue', {})", "tool.unknown"),
        ("await call_mcp_tool('mcp__github__create_isue', {})", "tool.unknown"),
        ("import client\nawait client.call_tool('github', 'create_isue')", "tool.unknown"),
        (FROM + "await create_issue(titel='a', title='b')", "parameter.unknown"),
        (FROM + "create_issue(titel='a', title='b')", "parameter.unknown"),
        ("from servers.github import list_issues\nawait list_issues({'limits': 1})", "parameter.unknown"),
        (FROM + "await create_issue('a', 'b')", "parameter.positional"),
        (FROM + "create_issue('a', 'b', titel='c')", "parameter.positional"),
        (FROM + "await create_issue(body='a')", "parameter.missing"),
        (FROM + "await create_issue({'body': 'a'})", "parameter.missing"),
        (FROM + "await create_issue()", "parameter.missing"),
        ("await call_tool('github', 'create_issue', {'body': 'a'})", "parameter.missing"),
        ("await call_mcp_tool('github__create_issue')", "parameter.missing"),
        (FROM + "await create_issue(title=5)", "parameter.value"),
        (FROM + "await create_issue(title='a', state='opened')", "parameter.value"),
        (FROM + "await create_issue(title='a', labels=['a', 1])", "parameter.value"),
        (FROM + "await create_issue({'title': 'a', 'from': 'soon'})", "parameter.value"),
        (FROM + "async def main():\n    await create_issue(title=5)\nasyncio.run(main())", "parameter.value"),
        (FROM + "async def main():\n    await create_issue(title=5)\nmain()", "parameter.value"),
        (
            FROM + "async def main():\n    await create_issue(title=5)\nif __name__ == '__main__':\n    await main()",
            "parameter.value",
        ),
        (
            FROM + "import asyncio\nawait asyncio.gather(create_issue(title='a'), create_issue(title=5))",
            "parameter.value",
        ),
        (FROM + "for n in (1, 2):\n    await create_issue(title=n, body=3)", "parameter.value"),
        (FROM + "with open('x') as file:\n    await create_issue(title=5)", "parameter.value"),
        (FROM + "try:\n    await create_issue(title=5)\nfinally:\n    print('done')", "parameter.value"),
        (FROM + "print(f'{await create_issue(title=5)}')", "parameter.value"),
    ],
)
def test_what_cannot_work_is_told(code: str, rule: str) -> None:
    assert rules(code) == [rule]


@pytest.mark.parametrize(
    "code",
    [
        FROM + "await create_issue(title='a', body='b', labels=['c'], state='open', from_=1)",
        FROM + "await create_issue({'title': 'a', 'from': 1.0, 'more': 2})",
        FROM + "await create_issue({'title': 'a'}, body='b')",
        FROM + "await create_issue(title=name, labels=[*found, name], state=state)",
        FROM + "await create_issue(**given)",
        FROM + "await create_issue(*given, *more)",
        FROM + "await create_issue(given, body='a')",
        FROM + "await create_issue({**given})",
        FROM + "await create_issue(title='a', body=None)",
        FROM + "await create_issue(title='[PHONE_1.k7q2]', from_='[PHONE_1.k7q2]')",
        FROM + "from servers.github import open\nawait open(anything=1)",
        "from servers.github import open_, list_issues\nawait list_issues()",
        "from servers.elsewhere import anything\nawait anything(x=1)",
        "await call_tool('elsewhere', 'x', {})\nawait call_tool(server, 'x')\nawait call_mcp_tool('x')",
        "await call_tool('my-server', 'search', {'query': None})",
        "from servers.my_server import search\nawait search(query=None)",
        "try:\n    from servers.github import create_isue\nexcept ImportError:\n    create_isue = None",
        FROM + "try:\n    await create_issue(title=5)\nexcept ToolError as error:\n    print(error.valid_parameters)",
        FROM + "from contextlib import suppress\nwith suppress(Exception):\n    await create_issue(titel=5)",
        FROM + "if len(names) > 3:\n    await create_issue(titel=5)",
        FROM + "for name in names:\n    await create_issue(titel=name)",
        FROM + "while names:\n    await create_issue(titel=names.pop())",
        FROM + "names and await create_issue(titel=5)",
        FROM + "(await create_issue(titel=5)) if names else 0",
        FROM + "[await create_issue(titel=name) for name in names]",
        FROM + "lambda: create_issue(titel=5)",
        FROM + "async def never():\n    await create_issue(titel=5)",
        FROM + "async def main():\n    await create_issue(titel=5)\nmain()\nprint('the coroutine never ran')",
        FROM + "def steps():\n    yield create_issue(titel=5)\nsteps()",
        FROM + "if done:\n    return 'nothing to do'\nawait create_issue(titel=5)",
        FROM + "import sys\nsys.exit(0)\nawait create_issue(titel=5)",
        FROM + "async def main():\n    if done:\n        return\n    await create_issue(titel=5)\nawait main()",
        FROM + "create_issue = print\ncreate_issue(titel=5)",
        FROM + "def create_issue(titel): ...\ncreate_issue(titel=5)",
        FROM + "def run(create_issue):\n    create_issue(titel=5)\nrun(dict)",
        FROM + "import servers.github as gh\ngh.create_issue = print\ngh.create_issue(titel=5)",
        FROM + "globals()['create_issue'] = dict\ncreate_issue(titel=5)",
        "def call_tool(*given): ...\ncall_tool('github', 'create_isue')",
        FROM + "await asyncio.gather(create_issue(title=5), return_exceptions=True)",
        FROM + "task = asyncio.create_task(create_issue(title=5))",
        FROM + "create_issue(title=5)\nprint('never awaited')",
        FROM + "for n in (1, 2):\n    if n:\n        continue\n    await create_issue(titel=5)",
        "from servers.github import __all__, _FILES",
        "from servers.github.create_issue import create_issue as make\nawait make(title='a')",
        "from servers.github import *\nawait nothing(x=1)",
        "this does not parse",
        "x = '\0'",
        "",
    ],
)
def test_what_may_work_is_not_held_up(code: str) -> None:
    assert check(code, TOOLS) == ()


def test_the_right_names_are_told() -> None:
    assert message("from servers.github import create_isue") == (
        "The server github has no tool create_isue. Did you mean create_issue?"
    )
    assert message(FROM + "await create_issue(titel='a', title='b')") == (
        "github.create_issue has no parameter titel. Did you mean title? Valid: title, body, labels, state, from_."
    )
    assert message(FROM + "await create_issue(body='a')") == (
        "github.create_issue needs title. Valid: title (required), body, labels, state, from_."
    )
    assert message(FROM + "await create_issue(title='a', state='opened')") == (
        "state of github.create_issue is Literal['open', 'closed'], not 'opened'."
    )
    assert message("await call_tool('github', 'create_issue', {'title': 'a', 'from': 'b'})") == (
        "from of github.create_issue is int, not 'b'."
    )


def test_a_finding_names_its_place() -> None:
    (finding,) = check(FROM + "\nawait create_issue(title=5)", TOOLS)
    assert (finding.span.line, finding.span.column, finding.span.end_line, finding.span.end_column) == (3, 6, 3, 27)
    assert (finding.risk, finding.subject) == (Risk.MEDIUM, "title")


def test_what_fails_only_if_it_is_reached_is_a_doubt() -> None:
    code = FROM + "for name in names:\n    await create_issue(titel=name)\nawait create_issue(title=5)"
    assert [finding.rule for finding in doubts(code, TOOLS)] == ["parameter.missing", "parameter.unknown"]
    assert {finding.risk for finding in doubts(code, TOOLS)} == {Risk.LOW}
    assert rules(code) == ["parameter.value"]


def test_a_program_that_is_reached_twice_is_told_once() -> None:
    code = FROM + "async def one():\n    await create_issue(title=5)\nawait one()\nawait one()"
    assert rules(code) == ["parameter.value"]


def test_a_required_parameter_with_a_default_may_be_left_out() -> None:
    tool = Tool("demo", "do_it", input_schema=obj({"limit": {"type": "integer", "default": 5}}, "limit"))
    assert check("from servers.demo import do_it\nawait do_it()\nawait do_it(limit=None)", [tool]) == ()


def test_two_servers_under_one_package_name_are_left_alone() -> None:
    twins = (Tool("a-b", "x"), Tool("a.b", "y"))
    assert check("from servers.a_b import z", twins) == ()


def test_a_definition_that_is_unusable_takes_anything() -> None:
    bad = Tool("demo", "bad", input_schema=obj({"n": {"enum": [10**5000]}}, "n", additionalProperties=False))
    assert check("from servers.demo import bad\nawait bad(x=1)", [bad]) == ()


SERVERS = ("github", "my-server", "silent", "crm__eu")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("from servers.githup import create_issue", "There is no server githup. Did you mean github?"),
        ("from servers import githup", "There is no server githup. Did you mean github?"),
        ("await call_tool('nothing', 'x')", "There is no server nothing. There are: crm__eu, github, my-server"),
        ("await call_mcp_tool('mcp__nothing__x')", "There is no server nothing."),
    ],
)
def test_a_server_that_is_not_there_is_told_where_all_are_known(code: str, told: str) -> None:
    (finding,) = check(code, TOOLS, SERVERS)
    assert finding.rule == "tool.unknown"
    assert finding.message.startswith(told)
    assert check(code, TOOLS) == ()
    assert check(f"try:\n    {code}\nexcept Exception:\n    pass", TOOLS, SERVERS) == ()


@pytest.mark.parametrize(
    "code",
    [
        "from servers.silent import anything\nfrom servers import my_server, github",
        "await call_mcp_tool('mcp__crm__eu__find')",
        "import servers\nfrom servers import __path__\n",
    ],
)
def test_a_server_that_says_nothing_yet_is_left_alone(code: str) -> None:
    assert check(code, TOOLS, SERVERS) == ()


def test_an_identifier_is_cut_where_a_tool_is_found() -> None:
    twins = (Tool("crm", "find"), Tool("crm__eu", "list"), Tool("crm", "eu__find"))
    code = "await call_mcp_tool('mcp__crm__eu__{}')"
    assert check(code.format("list"), twins) == check(code.format("find"), twins) == ()
    assert [one.rule for one in check(code.format("gone"), twins)] == ["tool.unknown"]


def test_what_earlier_programs_of_a_state_made_of_a_name_counts() -> None:
    code = "await call_tool('github', 'create_isue', {})"
    assert check(code, TOOLS, (), ["import sys\nsys.exit()"]) != ()
    assert check(code, TOOLS, (), ["async def call_tool(*given): ..."]) == ()
    code = FROM + "await create_issue(titel=5)"
    assert check(code, TOOLS, (), ["import servers.github\nservers.github.create_issue = print"]) == ()


def test_deep_nesting_ends() -> None:
    assert check("x = " + "[" * 80 + "1" + "]" * 80 + "\n" + "-" * 5_000 + "1", TOOLS) == ()


leaves = st.sampled_from(
    [TEXT, NUMBER, {"type": "number"}, {"type": "boolean"}, {"type": "null"}, {}, True]
) | st.builds(
    lambda values: {"enum": values},
    st.lists(st.sampled_from(["a", "b", 0, 1, 1.0, True, False, None, 2.5]), min_size=1, max_size=3),
)
keys = st.sampled_from(["a", "b", "from", "x-y", "arguments"])


def _branches(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    objects = st.builds(
        lambda parts, needed, more: obj(parts, *needed, **more),
        st.dictionaries(keys, inner, max_size=3),
        st.lists(keys, max_size=2, unique=True),
        st.sampled_from([{}, {"additionalProperties": False}, {"additionalProperties": NUMBER}]),
    )
    return st.one_of(
        objects,
        st.builds(lambda one: {"type": "array", "items": one}, inner),
        st.builds(lambda some: {"type": "array", "prefixItems": some}, several),
        st.builds(lambda word, some: {word: some}, st.sampled_from(["anyOf", "oneOf", "allOf"]), several),
        st.builds(lambda one, some: {**one, "anyOf": some}, objects, several),
        st.builds(
            lambda kinds: {"type": kinds}, st.lists(st.sampled_from(["string", "integer"]), min_size=1, unique=True)
        ),
    )


schemas = st.recursive(leaves, _branches, max_leaves=8)
values = st.recursive(
    st.sampled_from(["a", "b", "", 0, 1, 1.0, 2.5, True, False, None]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
relaxed = settings(deadline=None, max_examples=120, suppress_health_check=list(HealthCheck))
Programs = list[Callable[[Tool, dict[str, Any]], str]]
STYLES: Programs = [
    lambda tool, sent: call_source(tool, "do_it", sent),
    lambda tool, sent: f"from servers.demo import do_it\nawait do_it({sent!r})",
    lambda tool, sent: f"await call_tool('demo', 'do_it', {sent!r})",
]


@settings(relaxed, max_examples=60)  # most pairs are no valid ones, so each that is found is tried in every style
@given(schemas, st.dictionaries(keys, values, max_size=3))
def test_a_call_that_its_schema_accepts_is_never_held_up(schema: Any, sent: dict[str, Any]) -> None:
    assume(isinstance(schema, dict) and Draft202012Validator(schema).is_valid(sent))
    tool = Tool("demo", "do_it", input_schema=schema)
    a_function_has_them = all(key in schema.get("properties", {}) for key in sent)
    for style in STYLES if a_function_has_them else STYLES[1:]:
        code = style(tool, sent)
        assert (check(code, [tool]), doubts(code, [tool])) == ((), ()), code


@relaxed
@given(
    st.dictionaries(keys, leaves, max_size=3), st.dictionaries(keys, values, max_size=3), st.sampled_from(STYLES[1:])
)
def test_what_is_told_of_a_plain_call_is_refused_by_its_schema(parts: Any, sent: dict[str, Any], style: Any) -> None:
    schema = obj(parts, *list(parts)[:1], additionalProperties=False)
    tool = Tool("demo", "do_it", input_schema=schema)
    program = style(tool, sent)
    told = (*check(program, [tool]), *doubts(program, [tool]))  # doubts: what only lenient servers take
    is_valid = Draft202012Validator(schema).is_valid
    if told:
        assert not is_valid(sent)
    else:
        assert is_valid({key: value for key, value in sent.items() if value is not None or key in schema["required"]})


WRAPPED = [
    "{0}",
    "if flag:\n  {0}",
    "try:\n  {0}\nexcept Exception:\n  pass",
    "for x in rows:\n  {0}",
    "async def go():\n  {0}",
]
lines = st.sampled_from(
    [
        *("await do_it(a=1)", "await do_it(b=1)", "await do_it({'a': 'x'})", "do_it(wrong=1)", "await do_it()"),
        *("await call_tool('demo', 'gone', {})", "from servers.demo import gone", "return 1", "await go()", "go()"),
        *("do_it = None", "await asyncio.gather(do_it(a='x'), do_it(a=1))", "flag = not flag", "rows = []"),
    ]
)


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
@relaxed
@given(st.lists(st.builds(str.format, st.sampled_from(WRAPPED), lines), max_size=6), st.booleans())
def test_a_program_that_runs_through_is_never_held_up(parts: list[str], flag: bool) -> None:
    """Run for real, with functions and a client that refuse what the schema refuses."""
    tool = Tool("demo", "do_it", input_schema=obj({"a": NUMBER}, "a"))
    code = "from servers.demo import do_it\n" + "\n".join(parts)
    told = check(code, [tool])
    event(f"told: {bool(told)}")
    assert not (told and _runs_through(code, tool, flag))


def _runs_through(code: str, tool: Tool, flag: bool) -> bool:
    async def call_tool(server: str, name: str, arguments: Any = None, *, whole: bool = False) -> None:
        if name != "do_it" or not isinstance((arguments or {}).get("a"), int):
            raise ValueError(name)

    modules = {name: types.ModuleType(name) for name in ("client", "servers", "servers.demo")}
    modules["client"].__dict__["call_tool"] = call_tool
    modules["client"].__dict__["as_arguments"] = lambda given, key: (
        given or {} if hasattr(given or {}, "keys") else {key: given}
    )
    names = {"asyncio": asyncio, "call_tool": call_tool, "flag": flag, "rows": [1] if flag else []}
    with pytest.MonkeyPatch.context() as patch:
        for name, module in modules.items():
            patch.setitem(sys.modules, name, module)
        exec(wrapper_source(tool, "do_it"), modules["servers.demo"].__dict__)
        try:
            prepared = prepare(code)
            value = prepared.start(names)
            value = prepared.answer(asyncio.run(value) if asyncio.iscoroutine(value) else value, names)
            if asyncio.iscoroutine(value):
                asyncio.run(value)
        except Exception:
            return False
    return True
