"""Folders of TypeScript on disk."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.records import Tool
from workbench.wrappers import generated_folder
from workbench.wrappers.typescript_package import (
    CLIENT,
    SANDBOX_CLIENT,
    remove_script_package,
    write_inside_package,
    write_script_package,
)


def names(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()}


def test_a_server_is_a_folder_with_an_index_beside_the_client(tmp_path: Path) -> None:
    assert (
        write_script_package("my-server", [Tool("my-server", "get_order"), Tool("my-server", "class")], tmp_path) == ()
    )
    assert names(tmp_path) == {"client.ts", "my_server"}
    assert names(tmp_path / "my_server") == {"get_order.ts", "class_.ts", "index.ts", generated_folder.INDEX}
    assert (tmp_path / "client.ts").read_text() == CLIENT
    index = (tmp_path / "my_server" / "index.ts").read_text()
    assert 'export { get_order, type GetOrderInput, type GetOrderResponse } from "./get_order.js";' in index
    assert re.search(r"^// Generated at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", index, re.MULTILINE)


def test_only_what_changed_gets_a_new_time(tmp_path: Path) -> None:
    tools = [Tool("demo", "a", hash="1"), Tool("demo", "b", hash="1")]
    write_script_package("demo", tools, tmp_path)
    place = tmp_path / "demo"
    before = {path.name: path.stat().st_ino for path in place.iterdir()}
    for path in place.glob("*.ts"):
        assert "Generated at 20" in path.read_text()
    write_script_package("demo", tools, tmp_path)
    assert before == {path.name: path.stat().st_ino for path in place.iterdir()}
    write_script_package("demo", [tools[0], Tool("demo", "b", description="New.", hash="2")], tmp_path)
    assert (place / "a.ts").stat().st_ino == before["a.ts"]
    assert " * New.\n" in (place / "b.ts").read_text()


def test_a_tool_called_index_does_not_replace_the_index(tmp_path: Path) -> None:
    write_script_package("demo", [Tool("demo", "index"), Tool("demo", "INDEX")], tmp_path)
    index = (tmp_path / "demo" / "index.ts").read_text()
    assert "export { index, " in index
    assert 'from "./index.js"' not in index


def test_types_that_share_a_name_are_exported_once(tmp_path: Path) -> None:
    write_script_package("demo", [Tool("demo", "do_it"), Tool("demo", "doIt"), Tool("demo", "DoItInput")], tmp_path)
    index = (tmp_path / "demo" / "index.ts").read_text()
    assert index.count("type DoItResponse") == 1
    assert "type DoItInput," not in index


def test_a_server_without_tools_is_a_module_all_the_same(tmp_path: Path) -> None:
    write_script_package("demo", [], tmp_path)
    assert (tmp_path / "demo" / "index.ts").read_text().endswith("export {};\n")


def test_one_impossible_definition_is_one_warning(tmp_path: Path) -> None:
    endless: dict[str, object] = {}
    endless["properties"] = {"a": {"default": endless, "description": "x"}}
    (warning,) = write_script_package("demo", [Tool("demo", "bad", input_schema=endless, hash="1")], tmp_path)
    assert warning.startswith("bad accepts any arguments")
    assert "export async function bad" in (tmp_path / "demo" / "bad.ts").read_text()


def test_a_removed_server_leaves_the_others(tmp_path: Path) -> None:
    write_script_package("a", [Tool("a", "x")], tmp_path)
    write_script_package("b", [Tool("b", "x")], tmp_path)
    remove_script_package("a", tmp_path)
    assert names(tmp_path) == {"client.ts", "b"}


# ── typeScript functions as programs in the sandbox import them ──────────────────────────────────────
def test_a_door_reads_no_function_before_it_is_called(tmp_path: Path) -> None:
    assert (
        write_inside_package("my-server", [Tool("my-server", "get_order"), Tool("my-server", "from")], tmp_path) == ()
    )
    door = (tmp_path / "my_server" / "index.js").read_text()
    assert 'export const get_order = $load("get_order", "get_order");' in door
    assert "import {" not in door
    assert (tmp_path / "client.js").read_text() == SANDBOX_CLIENT
    assert (tmp_path / "my_server" / "index.ts").is_file()


def test_a_server_whose_name_holds_the_separator_is_named_beside_it(tmp_path: Path) -> None:
    write_inside_package("a__b", [Tool("a__b", "c")], tmp_path)
    (source,) = (path for path in tmp_path.rglob("c.ts"))
    assert 'callMCPTool<CResponse>("a__b__c", input, "a__b")' in source.read_text()


def test_a_hostile_name_stays_a_text(tmp_path: Path) -> None:
    name = '"); Deno.exit(); ("'
    write_inside_package(name, [Tool(name, name)], tmp_path)
    comment, load, *functions = next(tmp_path.rglob("index.js")).read_text().splitlines()
    assert comment.startswith("// ")
    assert load.startswith("const $load")
    assert functions == ['export const Deno_exit = $load("Deno_exit", "Deno_exit");']
