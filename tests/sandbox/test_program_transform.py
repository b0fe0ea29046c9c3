"""Program texts are compiled without a change of meaning."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path
from typing import Any

import pytest

import workbench.sandbox
from workbench.sandbox.inside.program_transform import NOTHING, prepare


def answer(text: str) -> Any:
    prepared, names = prepare(text), {"__name__": "__main__"}
    value = prepared.start(names)
    return prepared.answer(asyncio.run(value) if asyncio.iscoroutine(value) else value, names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 1", 2),
        ("x = 1", NOTHING),
        ("None", NOTHING),
        ("result = None", None),
        ("result = 1\n2", 1),
        ("def f():\n    return 9\nf()", 9),
        ("word = 'return'\n(\n    word\n)", "return"),
        ("for i in range(3):\n    if i == 1:\n        return i", 1),
        ("def f():\n    return total\ntotal = 3\nreturn f()", 3),
        ("total = 0\ndef add():\n    global total\n    total += 2\nadd()\nreturn total", 2),
        (
            "import os.path as p\nwith open('/dev/null') as f, open('/dev/null') as g:\n    return [p.sep, f.name]",
            ["/", "/dev/null"],
        ),
        ("x = [y for y in range(3)]\nif (n := len(x)) > 2:\n    return n", 3),
        ("from __future__ import annotations\nx: list[int] = [1]\ny: int\nreturn x", [1]),
        ("import asyncio\nawait asyncio.sleep(0)\nreturn [x async for x in g()] if False else 5", 5),
        ("class A:\n    def f(self):\n        return 8\nA().f()", 8),
        ("try:\n    return 1\nfinally:\n    z = 2", 1),
        ("", NOTHING),
    ],
)
def test_the_answer_of_a_program(text: str, expected: object) -> None:
    assert answer(text) == expected


@pytest.mark.parametrize("text", ["x = (", "await = 3", "def f(:", "yield 1"])
def test_what_is_no_python_is_a_syntax_error(text: str) -> None:
    with pytest.raises(SyntaxError):
        answer(text)


def test_what_lives_inside_imports_the_standard_library_and_itself_only() -> None:
    files = sorted((Path(workbench.sandbox.__file__).parent / "inside").rglob("*.py"))
    assert {"runner.py", "client.py"} <= {file.name for file in files}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            ours = [name for name in named if name.partition(".")[0] == "workbench"]
            assert all(name.startswith("workbench.sandbox.inside") for name in ours), (file, ours)
