"""Writes the typed stub of the API (`workbench/api/client_stub.py`) from the methods that are marked with `@api`.

`tools/write_docs.py` calls it, and a test compares the stub with the generated text.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from typing import Any

HEAD = '''"""The typed stub of the core's API: every method that a client may call, with its types and flags.

Written by tools/write_docs.py from the methods marked with `@api`; change those and run it again.
"""

from __future__ import annotations

'''
CLASS = '''class CoreApi(Protocol):
    """What a client calls on the core. Errors arrive as `WorkbenchError`."""

'''
# Packages whose types may be parameters and results of API methods.
SHARED = ("workbench.records", "workbench.settings", "workbench.events", "collections.abc", "typing")


def stub() -> str:
    """The text of the stub."""
    methods = marked_methods()
    imports: dict[str, set[str]] = defaultdict(set)
    imports["typing"].add("Protocol")
    imports["workbench.api.marker"].add("api")
    body = "\n".join(_method(name, methods[name], imports) for name in sorted(methods))
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items())]
    return _formatted(HEAD + "\n".join(lines) + "\n\n\n" + CLASS + body)


def marked_methods() -> dict[str, Callable[..., Any]]:
    """Every marked method of the core by its API name."""
    importlib.import_module("workbench.core")
    from workbench.api.marker import mark_of
    from workbench.api.registry import check_declaration

    found: dict[str, Callable[..., Any]] = {}
    for name, module in sorted(sys.modules.items()):
        if not name.startswith("workbench.") or name == "workbench.api.client_stub":
            continue
        owners = [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == name]
        for function in (function for owner in owners for function in vars(owner).values()):
            if (mark := mark_of(function)) is None:
                continue
            if found.setdefault(mark.name, function) is not function:
                raise TypeError(f"two API methods are called {mark.name}")
            check_declaration(function)
    return found


def _method(name: str, function: Callable[..., Any], imports: dict[str, set[str]]) -> str:
    from workbench.api.marker import mark_of

    mark = mark_of(function)
    assert mark is not None
    for annotation in function.__annotations__.values():
        _learn_imports(annotation, function, imports)
    flags = ", ".join(f"{flag}=True" for flag in ("decides", "consent") if getattr(mark, flag))
    signature = inspect.signature(function)
    parameters = ", ".join(map(_parameter, signature.parameters.values()))
    words = inspect.cleandoc(function.__doc__ or "")
    body = f'"""{words}"""'.replace("\n", "\n        ") if words else "..."
    return (
        f"    @api{f'({flags})' if flags else ''}\n"
        f"    async def {name}({parameters}) -> {signature.return_annotation}:\n        {body}\n"
    )


def _parameter(parameter: inspect.Parameter) -> str:
    if parameter.name == "self":
        return "self"
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{parameter.name}: {parameter.annotation}{default}"


def _learn_imports(annotation: str, function: Callable[..., Any], imports: dict[str, set[str]]) -> None:
    names = {node.id for node in ast.walk(ast.parse(annotation)) if isinstance(node, ast.Name)}
    for name in names - set(vars(builtins)):
        module = _import_of(name, function.__module__)
        if not module.startswith(SHARED):
            raise TypeError(f"{function.__qualname__}: {name} of {module} is nothing that clients know")
        imports[module].add(name)


def _import_of(name: str, module: str) -> str:
    """The module that this name was imported from, or the defining module itself."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and name in {alias.name for alias in node.names}:
            return node.module
    return module


def _formatted(text: str) -> str:
    for command in (("check", "--select", "I", "--fix", "--quiet"), ("format",)):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", "workbench/api/client_stub.py", "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text
