"""Every module has a docstring, packages import nothing by themselves, and few functions are longer than a screen."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

Tree = Callable[[Path], ast.Module]

LONG_FUNCTION = 60
EMPTY_ROOMS_MAY_HAVE = (ast.Expr, ast.ImportFrom, ast.Assign, ast.AnnAssign)


def _python(root: Path) -> list[Path]:
    return [path for part in ("workbench", "tests", "tools", "benchmarks") for path in (root / part).rglob("*.py")]


def test_every_module_says_why_it_exists(root: Path, tree: Tree) -> None:
    files = [path for path in _python(root) if "tests" not in path.relative_to(root).parts]
    silent = [path for path in files if not ast.get_docstring(tree(path))]
    assert [str(path.relative_to(root)) for path in silent] == []


def test_a_rooms_door_holds_no_code(sources: tuple[Path, ...], root: Path, tree: Tree) -> None:
    """Packages are imported module by module. Only `records` re-exports names, and `workbench` itself has the
    version.
    """
    doors = [path for path in sources if path.name == "__init__.py"]
    for path in doors:
        body = tree(path).body
        assert all(isinstance(node, EMPTY_ROOMS_MAY_HAVE) for node in body), path.relative_to(root)


def test_nothing_is_left_for_later_in_the_sources(sources: tuple[Path, ...], root: Path) -> None:
    words = ("TO" + "DO", "FIX" + "ME", "X" + "XX")
    found = [
        (str(path.relative_to(root)), word) for path in sources for word in words if word in path.read_text("utf-8")
    ]
    assert found == []


def test_long_functions_are_named_after_the_run(
    sources: tuple[Path, ...], root: Path, tree: Tree, long_functions: list[str]
) -> None:
    for path in sources:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
                length = node.end_lineno - node.lineno + 1
                if length > LONG_FUNCTION:
                    long_functions.append(f"{path.relative_to(root)}:{node.lineno} {node.name} {length} lines")
    assert len(long_functions) <= 5, "\n".join(long_functions)
