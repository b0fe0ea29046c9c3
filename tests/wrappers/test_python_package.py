"""Packages of generated functions on disk."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from workbench.records import Tool
from workbench.wrappers.python_package import INDEX, compile_functions, remove_package, write_package

if TYPE_CHECKING:
    from conftest import Generated

SHAPES: dict[str, dict[str, Any]] = {
    "create_issue": {
        "description": 'Create */ an """issue"""\nsecond line',
        "input": {"properties": {"title": {"type": "string"}, "labels": {"type": "array"}}, "required": ["title"]},
        "output": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
    },
    "with_ref": {
        "input": {
            "$defs": {"P": {"type": "object", "properties": {"x": {"type": "integer"}, "next": {"$ref": "#/$defs/P"}}}},
            "properties": {"p": {"$ref": "#/$defs/P"}},
            "required": ["p"],
        },
        "output": {"$ref": "#/$defs/T", "$defs": {"T": {"properties": {"kids": {"items": {"$ref": "#/$defs/T"}}}}}},
    },
    "json": {
        "input": {
            "$defs": {"J": {"anyOf": [{"type": "string"}, {"additionalProperties": {"$ref": "#/$defs/J"}}]}},
            "properties": {"j": {"$ref": "#/$defs/J"}},
        }
    },
    "one_of": {
        "input": {
            "properties": {"v": {"oneOf": [{"properties": {"kind": {"const": "a"}}}, {"properties": {"str": {}}}]}}
        }
    },
    "kw_params": {
        "input": {
            "properties": {"from": {}, "class": {}, "x-api-key": {"type": "string"}, "a b": {}, "2nd": {}},
            "required": ["from"],
        }
    },
    "names_of_ours": {
        "input": {"properties": {key: {} for key in ("typing", "call_tool", "given", "whole", "NOT_GIVEN")}}
    },
    "call_tool": {"input": {"properties": {"call_tool": {"type": "string"}}}, "output": {"properties": {"result": {}}}},
    "typing": {"input": {"properties": {"list": {"type": "array"}, "str": {"type": "string"}}}},
    "enum": {"input": {"properties": {"n": {"enum": [1, 2, None, 'a"b', 1.5]}}, "required": ["n"]}},
    "tuple": {"input": {"properties": {"n": {"prefixItems": [{"type": "string"}, {"type": "integer"}]}}}},
    "free": {"input": {}},
    "more": {"input": {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"}}},
    "3d-render": {"input": {"properties": {}}},
    "a.b/c d": {"input": {"properties": {}}},
    "a-b": {"input": {"properties": {"one": {"type": "string"}}}},
    "a_b": {"input": {"properties": {"two": {"type": "string"}}}},
    "bool_schema": {"input": {"properties": {"any": True, "never": False}}},
    "__init__": {"input": {}},
    "../../x": {"input": {}},
    "CON": {"input": {}},
    "con": {"input": {}},
    "class": {"input": {"properties": {"self": {}}}},
}


def shapes(server: str = "sha-pes") -> list[Tool]:
    return [
        Tool(server, name, "", shape.get("description", ""), shape["input"], shape.get("output"))
        for name, shape in SHAPES.items()
    ]


def simple(name: str, hash: str = "") -> Tool:
    return Tool("demo", name, description=f"Do {name}.", input_schema={"properties": {"a": {}}}, hash=hash)


def test_every_shape_imports_and_sends_what_it_was_given(generated: Generated) -> None:
    assert generated.write("sha-pes", shapes()) == ()
    package = generated.load("servers.sha_pes")
    assert len(package.__all__) == len(SHAPES)
    for name in package.__all__:
        function = getattr(package, name)
        assert inspect.iscoroutinefunction(function)
        asyncio.run(function({"key": name}))
    sent = generated.sent()
    assert {one[1] for one in sent} == set(SHAPES)
    assert all(one[0] == "sha-pes" for one in sent)


def test_everything_generated_satisfies_a_strict_type_checker(generated: Generated) -> None:
    generated.write("sha-pes", shapes())
    call = "from servers.sha_pes import create_issue, kw_params, more\n\n\nasync def use() -> int:\n"
    call += "    await kw_params(from_='x', x_api_key='y')\n    await kw_params({'from': 1, 'a b': 2})\n"
    call += "    await more(a='b', c=1.5)\n    issue = await create_issue({'title': 'a'})\n    return issue['number']\n"
    (generated.root / "use.py").write_text(call)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        "cache",
        "--explicit-package-bases",
        "client.py",
        "use.py",
        "servers",
    ]
    done = subprocess.run(command, cwd=generated.root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_one_tool_reads_one_file(generated: Generated) -> None:
    generated.write("demo", [simple(f"tool_{number}") for number in range(344)])
    generated.load("servers.demo").tool_7  # noqa: B018
    loaded = [name for name in sys.modules if name.startswith("servers.demo.")]
    assert loaded == ["servers.demo.tool_7"]


def test_a_function_is_not_hidden_by_its_own_file(generated: Generated) -> None:
    generated.write("demo", [simple("get_order")])
    module = generated.load("servers.demo.get_order")
    package = generated.load("servers.demo")
    assert package.get_order is module.get_order


def test_a_raw_name_that_python_reserves_is_found_under_it_as_well(generated: Generated) -> None:
    generated.write("demo", [simple("list")])
    package = generated.load("servers.demo")
    assert package.list is package.list_


def test_an_unknown_tool_is_an_import_error_that_says_how_to_find_the_right_one(generated: Generated) -> None:
    generated.write("demo", [simple("get_order")])
    with pytest.raises(AttributeError, match="search_tools"):
        generated.load("servers.demo").get_odrer  # noqa: B018


def test_only_changed_definitions_are_written_again(generated: Generated) -> None:
    folder = generated.servers / "demo"
    generated.write("demo", [simple("a", "1"), simple("b", "1")])
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    generated.write("demo", [simple("a", "1"), Tool("demo", "b", input_schema={"properties": {"new": {}}}, hash="2")])
    changed = {path.name for path in folder.iterdir() if before[path.name] != path.stat().st_ino}
    assert changed == {"b.py", "b.pyi", INDEX}


def test_a_change_of_the_definition_is_written(generated: Generated) -> None:
    generated.write("demo", [simple("a")])
    generated.write("demo", [Tool("demo", "a", description="Now different.", input_schema={})])
    assert "Now different." in generated.load("servers.demo").a.__doc__


def test_tools_that_are_gone_leave_no_file(generated: Generated) -> None:
    generated.write("demo", [simple("a"), simple("b")])
    generated.write("demo", [simple("b")])
    names = {path.name for path in (generated.servers / "demo").iterdir()}
    assert names == {"b.py", "b.pyi", "__init__.py", "__init__.pyi", INDEX}


def test_one_impossible_definition_is_one_warning_and_the_tool_is_still_callable(generated: Generated) -> None:
    bad = Tool("demo", "bad", input_schema={"properties": {"n": {"enum": [10**5000]}}}, hash="1")
    (warning,) = generated.write("demo", [simple("good"), bad])
    assert warning.startswith("bad accepts any arguments")
    package = generated.load("servers.demo")
    asyncio.run(package.bad(anything=1))
    assert generated.sent() == [("demo", "bad", {"anything": 1})]


def test_a_name_listed_twice_is_told_and_its_first_definition_used(generated: Generated) -> None:
    (warning,) = generated.write("demo", [simple("a"), Tool("demo", "a", description="Second.")])
    assert "twice" in warning
    assert generated.load("servers.demo").a.__doc__.startswith("Do a.")


def test_files_differ_where_names_differ_only_in_case(generated: Generated) -> None:
    generated.write("demo", [simple("getOrder"), simple("getorder"), simple("CON")])
    stems = [path.stem.casefold() for path in (generated.servers / "demo").glob("*.py")]
    assert len(stems) == len(set(stems))
    assert "con" not in stems
    assert {"CON", "getOrder", "getorder"} <= set(generated.load("servers.demo").__all__)


def test_a_broken_index_only_means_that_all_is_written_again(generated: Generated) -> None:
    generated.write("demo", [simple("a")])
    for text in ("{", "[]", '{"tools": 3}', "\0"):
        (generated.servers / "demo" / INDEX).write_text(text)
        assert generated.write("demo", [simple("a")]) == ()
    assert json.loads((generated.servers / "demo" / INDEX).read_text())["server"] == "demo"


def test_a_server_whose_package_another_holds_exactly_is_told(generated: Generated) -> None:
    generated.write("a_b", [simple("exact")])
    (warning,) = generated.write("a-b", [simple("other")])
    assert "servers.a_b" in warning
    assert generated.load("servers.a_b").__all__ == ("exact",)
    remove_package("a-b", generated.servers)
    assert (generated.servers / "a_b").exists()


def test_a_removed_server_leaves_nothing(generated: Generated) -> None:
    generated.write("demo", [simple("a")])
    remove_package("demo", generated.servers)
    remove_package("demo", generated.servers)
    assert list(generated.servers.iterdir()) == []


def test_hostile_names_stay_in_their_folder(generated: Generated) -> None:
    generated.write("../../evil", [Tool("../../evil", "../../../x"), Tool("../../evil", "/etc/passwd")])
    everywhere = {path for path in Path(generated.root).rglob("*.py") if path.name != "client.py"}
    assert all(path.parent == generated.servers / "evil" for path in everywhere)


# ── what programs call is compiled for the next one, and never instead of what stands in the file ────
READS = """
import sys, types
sys.path.insert(0, sys.argv[1])
client = sys.modules["client"] = types.ModuleType("client")
client.call_tool = None
import shop
file = shop.list_orders.__code__.co_filename
print(shop.list_orders.__doc__.splitlines()[0], file == sys.argv[1] + "/shop/list_orders.py")
"""


def _tools(words: str) -> list[Tool]:
    return [Tool("shop", name, "", words) for name in ("list_orders", "send")]


def _read(root: Path) -> str:
    return subprocess.run([sys.executable, "-B", "-c", READS, root], check=True, capture_output=True, text=True).stdout


def test_only_what_was_called_is_compiled_and_it_is_what_the_file_says(tmp_path):
    write_package("shop", _tools("Lists."), tmp_path)
    compile_functions(tmp_path, "shop", ["list_orders", "gone", "../send"])
    made = Path(importlib.util.cache_from_source(str(tmp_path / "shop/list_orders.py")))
    assert sorted(path.name.partition(".")[0] for path in made.parent.iterdir()) == ["__init__", "list_orders"]
    assert _read(tmp_path) == "Lists. True\n"
    compiled = made.read_bytes()
    assert str(tmp_path).encode() not in compiled
    write_package("shop", _tools("Sorts."), tmp_path)
    made.parent.mkdir()
    made.write_bytes(compiled)  # as if both happened at once
    assert _read(tmp_path) == "Sorts. True\n"


def test_a_server_that_is_not_there_is_no_fault(tmp_path):
    compile_functions(tmp_path, "network", ["example.org"])
