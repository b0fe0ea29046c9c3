"""Makes a kept program importable: `from skills.x import x` works whether it was written as a function or not."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from workbench.analysis.parsed_program import ParsedProgram
from workbench.identifiers import skill_module_name
from workbench.records import Skill

_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def module_source(program: ParsedProgram, function: str) -> str:
    """The module of a skill. A program without the function becomes its body; what is no Python: SyntaxError."""
    tree = program.require_tree()
    if program.function(function) is None:
        return _wrapped(tree, function)
    waits = next((at for at, statement in enumerate(tree.body) if _belongs_in_function(statement)), None)
    if waits is None:
        return program.text
    later = [statement for statement in tree.body[waits:] if _is_definition(statement)]
    return ast.unparse(ast.Module([*tree.body[:waits], *later], [])) + "\n"


def missing_module(function: str, reason: str) -> str:
    """A module that says why the skill cannot be imported."""
    fault = ast.Call(ast.Name("ImportError"), [ast.Constant(f"The skill {function} is not available: {reason}")], [])
    return ast.unparse(ast.fix_missing_locations(ast.Module([ast.Raise(fault, None)], []))) + "\n"


def usage(program: ParsedProgram, function: str) -> str:
    """How a program calls the skill."""
    found = program.function(function)
    call = f"{function}({', '.join(_placeholders(found.args)) if found else ''})"
    wait = "" if isinstance(found, ast.FunctionDef) else "await "
    return f"from skills.{function} import {function}\n\nresult = {wait}{call}"


def _wrapped(program: ast.Module, function: str) -> str:
    """Imports stay outside; the rest becomes the body, and what a run would give as its result is returned."""
    outside: list[ast.stmt] = []
    inside: list[ast.stmt] = []
    if ast.get_docstring(program) is not None:
        inside.append(program.body[0])
    for statement in program.body[len(inside) :]:
        (outside if isinstance(statement, ast.Import | ast.ImportFrom) else inside).append(statement)
    if shared := sorted({name for node in ast.walk(program) if isinstance(node, ast.Global) for name in node.names}):
        inside.insert(1 if ast.get_docstring(program) is not None else 0, ast.Global(shared))
    arguments = ast.arguments([], [], None, [], [], None, [])
    body = _with_result(inside) or [ast.Pass()]
    whole = ast.AsyncFunctionDef(function, arguments, body, [], None, lineno=0)
    return ast.unparse(ast.fix_missing_locations(ast.Module([*outside, whole], []))) + "\n"


def _with_result(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """`result = …` or the last expression is what the program is for."""
    if any(_assigns_result(statement) for statement in body):
        return [*body, ast.Return(ast.Name("result"))]
    last = body[-1] if body else None
    if isinstance(last, ast.Expr) and not (len(body) == 1 and isinstance(last.value, ast.Constant)):
        return [*body[:-1], ast.Return(last.value)]
    return list(body)


def _assigns_result(statement: ast.stmt) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == "result" and isinstance(node.ctx, ast.Store)
        for node in _own_nodes(statement)
    )


def _belongs_in_function(statement: ast.stmt) -> bool:
    """Waits or returns at the top: a run allows it, a module does not."""
    if _is_definition(statement):
        return False
    awaits = (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Return)
    return any(isinstance(node, awaits) for node in _own_nodes(statement))


def _is_definition(statement: ast.stmt) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return isinstance(statement, kinds)


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it that run in the same scope."""
    yield node
    if not isinstance(node, _Scope):
        for child in ast.iter_child_nodes(node):
            yield from _own_nodes(child)


def _placeholders(given: ast.arguments) -> list[str]:
    """Arguments without a default, by name."""
    plain = [*given.posonlyargs, *given.args]
    needed = [argument.arg for argument in plain[: len(plain) - len(given.defaults)]]
    pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return [*needed, *(f"{argument.arg}={argument.arg}" for argument, default in pairs if default is None)]


def importable(skill: Skill) -> str:
    """The module that programs import; of a skill that cannot be imported one that says why."""
    function = skill_module_name(skill.name)
    if not skill.code and not skill.faults:
        return missing_module(function, "it is instructions only; load_skill reads them")
    if skill.faults:
        return missing_module(function, skill.faults[0])
    try:
        return module_source(ParsedProgram(skill.code), function)
    except (SyntaxError, ValueError, RecursionError) as fault:
        return missing_module(function, f"its code is not Python: {fault}")
