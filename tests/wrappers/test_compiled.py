"""What programs call is compiled for the next one, and never instead of what stands in the file."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from workbench.records import Tool
from workbench.wrappers.python_package import compile_functions, write_package

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
