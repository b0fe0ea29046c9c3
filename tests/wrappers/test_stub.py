"""The stub of one tool: what type checkers and completion read."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from workbench.records import Tool
from workbench.wrappers.python_source import stub_source, wrapper_and_stub, wrapper_source

if TYPE_CHECKING:
    from conftest import Generated


def tool(properties: dict[str, Any], *required: str, **more: Any) -> Tool:
    """Any: schemas are JSON."""
    schema = {"type": "object", "properties": properties, "required": list(required), **more}
    return Tool("demo", "do_it", description='Do "it".', input_schema=schema)


def test_a_required_keyword_is_required_in_the_stub() -> None:
    one = tool({"title": {"type": "string"}, "count": {"type": "integer"}}, "title")
    assert stub_source(one, "do_it") == (
        '"""The tool \'do_it\' of the server \'demo\', written from its definition."""\n'
        "import typing\n"
        "from client import Answer\n"
        "\n"
        "class DoItInput(typing.TypedDict):\n"
        "    title: str\n"
        "    count: typing.NotRequired[int]\n"
        "\n"
        "@typing.overload\n"
        "async def do_it(arguments: DoItInput | str, /, *, title: str=..., count: int=...) -> Answer:\n"
        "    ...\n"
        "\n"
        "@typing.overload\n"
        "async def do_it(*, title: str, count: int=...) -> Answer:\n"
        "    ...\n"
    )


def test_where_nothing_is_required_one_way_is_enough() -> None:
    text = stub_source(tool({"count": {"type": "integer"}}), "do_it")
    assert "async def do_it(arguments: DoItInput | None=..., /, *, count: int=...) -> Answer:" in text
    assert "overload" not in text


def test_other_keywords_are_taken_where_the_schema_invites_them() -> None:
    text = stub_source(tool({"a": {}}, "a", additionalProperties={"type": "number"}), "do_it")
    assert "async def do_it(*, a: typing.Any, **more: float) -> Answer:" in text
    assert "arguments: DoItInput | dict[str, typing.Any], /" in text


def test_module_and_stub_can_be_had_together() -> None:
    one = tool({"title": {"type": "string"}}, "title")
    assert wrapper_and_stub(one, "do_it") == (wrapper_source(one, "do_it"), stub_source(one, "do_it"))


def test_names_of_the_tools_own_stay() -> None:
    names = ("typing", "overload", "arguments", "more", "from", "self")
    text = stub_source(tool({name: {"type": "string"} for name in names}, *names), "typing")
    compile(text, "stub", "exec")
    assert "import typing as typing_" in text
    assert "@typing_.overload" in text


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ("do_it(title='a')", ""),
        ("do_it({'title': 'a'}, count=1)", ""),
        ("do_it(count=1)", "No overload variant"),
        ("do_it({'count': 1})", "No overload variant"),
        ("do_it(title=1)", "No overload variant"),
        ("do_it(titel='a')", 'did you mean "title"?'),
    ],
)
def test_a_type_checker_believes_the_stub(generated: Generated, call: str, complaint: str) -> None:
    generated.write("demo", [tool({"title": {"type": "string"}, "count": {"type": "integer"}}, "title")])
    program = f"from servers.demo import do_it\n\nasync def main() -> object:\n    return await {call}\n"
    (generated.root / "program.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(generated.root / ".cache"), "-m", "program"]
    done = subprocess.run(command, cwd=generated.root, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode == 0) is (complaint == "")
    assert complaint in done.stdout
