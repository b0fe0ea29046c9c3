"""TypeScript functions as programs in the sandbox import them."""

from __future__ import annotations

from pathlib import Path

from workbench.records import Tool
from workbench.wrappers.typescript_sandbox_package import CLIENT, write_inside_package


def test_a_door_reads_no_function_before_it_is_called(tmp_path: Path) -> None:
    assert (
        write_inside_package("my-server", [Tool("my-server", "get_order"), Tool("my-server", "from")], tmp_path) == ()
    )
    door = (tmp_path / "my_server" / "index.js").read_text()
    assert 'export const get_order = $load("get_order", "get_order");' in door
    assert "import {" not in door
    assert (tmp_path / "client.js").read_text() == CLIENT
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
