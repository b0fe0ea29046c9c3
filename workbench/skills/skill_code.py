"""Reads and rewrites the code of a skill: its importable module, the JSON Schema of its arguments, calls to it, and
renaming its function.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from workbench.analysis.parsed_program import ParsedProgram
from workbench.errors import WorkbenchError
from workbench.identifiers import skill_module_name
from workbench.records import JsonObject, JsonValue, Skill

_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def module_source(program: ParsedProgram, function: str) -> str:
    """The module of a skill. A program without the function becomes its body. Raises SyntaxError if not Python."""
    tree = program.require_tree()
    if program.function(function) is None:
        return _wrapped(tree, function)
    waits = next((at for at, statement in enumerate(tree.body) if _belongs_in_function(statement)), None)
    if waits is None:
        return program.text
    later = [statement for statement in tree.body[waits:] if _is_definition(statement)]
    return ast.unparse(ast.Module([*tree.body[:waits], *later], [])) + "\n"


def missing_module(function: str, reason: str) -> str:
    """A module that raises ImportError with the reason why the skill cannot be imported."""
    fault = ast.Call(ast.Name("ImportError"), [ast.Constant(f"The skill {function} is not available: {reason}")], [])
    return ast.unparse(ast.fix_missing_locations(ast.Module([ast.Raise(fault, None)], []))) + "\n"


def usage(program: ParsedProgram, function: str) -> str:
    """Example code that imports and calls the skill."""
    found = program.function(function)
    call = f"{function}({', '.join(_placeholders(found.args)) if found else ''})"
    wait = "" if isinstance(found, ast.FunctionDef) else "await "
    return f"from skills.{function} import {function}\n\nresult = {wait}{call}"


def _wrapped(program: ast.Module, function: str) -> str:
    """The program as an async function: imports stay outside, the rest becomes the body, which returns the result."""
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
    """The body, returning the variable `result` or else the value of the last expression."""
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
    """Whether a statement awaits or returns at the top level, which a run allows and a module does not."""
    if _is_definition(statement):
        return False
    awaits = (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Return)
    return any(isinstance(node, awaits) for node in _own_nodes(statement))


def _is_definition(statement: ast.stmt) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return isinstance(statement, kinds)


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all nodes below it in the same scope."""
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
    """The module that programs import. For a skill that cannot be imported, it raises ImportError with the reason."""
    function = skill_module_name(skill.name)
    if not skill.code and not skill.faults:
        return missing_module(function, "it contains only instructions; read them with load_skill")
    if skill.faults:
        return missing_module(function, skill.faults[0])
    try:
        return module_source(ParsedProgram(skill.code), function)
    except (SyntaxError, ValueError, RecursionError) as fault:
        return missing_module(function, f"its code is not valid Python: {fault}")


_Function = ast.FunctionDef | ast.AsyncFunctionDef
_PLAIN: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
_LISTS: Final = frozenset({"list", "List", "Sequence", "Iterable", "tuple", "set"})
_MAPS: Final = frozenset({"dict", "Dict", "Mapping", "JsonObject"})


def function_of(skill: Skill) -> _Function | None:
    """The function of a skill; None if its code is a plain program or empty."""
    return ParsedProgram(skill.code).function(skill_module_name(skill.name))


def schema_of(skill: Skill) -> JsonObject:
    """The JSON Schema of a skill's arguments, like the input schema of a tool."""
    return _schema_of_function(function_of(skill))


def _schema_of_function(function: _Function | None) -> JsonObject:
    if function is None:
        return {"type": "object", "properties": {}, "additionalProperties": False}
    given = function.args
    places = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [None] * (len(places) - len(given.defaults)) + list(given.defaults)
    pairs = [*zip(places, defaults, strict=True), *zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    properties: dict[str, JsonValue] = {one.arg: _property(one.annotation, default) for one, default in pairs}
    required: list[JsonValue] = [one.arg for one, default in pairs if default is None]
    schema: dict[str, JsonValue] = {"type": "object", "properties": properties}
    schema["additionalProperties"] = given.kwarg is not None
    return schema | ({"required": required} if required else {})


def calling(skill: Skill, arguments: Mapping[str, JsonValue]) -> str:
    """The program that calls the skill with these arguments. Rejects wrong names with the list of the right ones."""
    function = skill_module_name(skill.name)
    call = _call(skill, function_of(skill), arguments)
    return f"from skills.{function} import {function}\n\nresult = {call}\n"


def trying(skill: Skill, arguments: Mapping[str, JsonValue]) -> str:
    """As `calling`, for a skill that programs cannot import yet: the skill's code followed by the call."""
    program, function = ParsedProgram(skill.code), skill_module_name(skill.name)
    call = _call(skill, program.function(function), arguments)
    return f"{module_source(program, function).rstrip()}\n\n\nresult = {call}\n"


def _call(skill: Skill, definition: _Function | None, arguments: Mapping[str, JsonValue]) -> str:
    if not skill.code:
        raise WorkbenchError(f"{skill.name} contains only instructions and no code.", "Read them with load_skill.")
    function = skill_module_name(skill.name)
    schema = _schema_of_function(definition)
    known = schema["properties"]
    names = ", ".join(known) if isinstance(known, dict) and known else "none"
    wrong = [name for name in arguments if isinstance(known, dict) and name not in known]
    if wrong and not schema["additionalProperties"]:
        raise WorkbenchError(f"{skill.name} has no argument {wrong[0]!r:.60}.", f"Its arguments: {names}.")
    required = schema.get("required", [])
    missing = [str(name) for name in required if name not in arguments] if isinstance(required, list) else []
    if missing:
        raise WorkbenchError(f"{skill.name} needs {', '.join(missing)}.", f"Its arguments: {names}.")
    plain = [name for name in arguments if name.isidentifier() and not keyword.iskeyword(name)]
    parts = [f"{name}={arguments[name]!r}" for name in plain]
    rest = {name: value for name, value in arguments.items() if name not in plain}
    parts += [f"**{rest!r}"] if rest else []
    wait = "" if isinstance(definition, ast.FunctionDef) else "await "
    return f"{wait}{function}({', '.join(parts)})"


def called_with(code: str, name: str) -> JsonObject | None:
    """The arguments of a program's only call of this skill, if they are literals passed by name; else None."""
    function = skill_module_name(name)
    found = [
        node
        for node in ParsedProgram(code).nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
    ]
    if len(found) != 1 or found[0].args or any(word.arg is None for word in found[0].keywords):
        return None
    try:
        return {str(word.arg): ast.literal_eval(word.value) for word in found[0].keywords}
    except (ValueError, TypeError, RecursionError):
        return None


def _property(annotation: ast.expr | None, default: ast.expr | None) -> dict[str, JsonValue]:
    found = _schema(annotation)
    if default is not None:
        try:
            value: Any = ast.literal_eval(default)  # Any: a literal
        except (ValueError, TypeError, RecursionError):
            return found
        if isinstance(value, str | int | float | bool | list | dict):
            found = {**found, "default": value}
    return found


def _schema(annotation: ast.expr | None) -> dict[str, JsonValue]:
    """An annotation as JSON Schema; empty if JSON Schema cannot express it."""
    match annotation:
        case ast.Name(id=word) if word in _PLAIN:
            return {"type": _PLAIN[word]}
        case ast.Constant(value=None):
            return {"type": "null"}
        case ast.Constant(value=str(words)):
            try:
                return _schema(ast.parse(words, mode="eval").body)
            except (SyntaxError, ValueError, RecursionError):
                return {}
        case ast.Name(id=word) | ast.Subscript(value=ast.Name(id=word)) if word in _LISTS:
            inner = annotation.slice if isinstance(annotation, ast.Subscript) else None
            return {"type": "array"} | ({"items": items} if (items := _schema(inner)) else {})
        case ast.Name(id=word) | ast.Subscript(value=ast.Name(id=word)) if word in _MAPS:
            return {"type": "object"}
        case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
            return _choices(inner)
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            return {"anyOf": [_schema(inner), {"type": "null"}]}
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return {"anyOf": [_schema(left), _schema(right)]}
    return {}


def _choices(inner: ast.expr) -> dict[str, JsonValue]:
    try:
        found = ast.literal_eval(inner)
    except (ValueError, TypeError, RecursionError):
        return {}
    return {"enum": list(found) if isinstance(found, tuple) else [found]}


def renamed(code: str, before: str, after: str) -> str:
    """The code with an identifier renamed; strings and comments are not changed."""
    lines = code.split("\n")  # as Python counts lines: a form feed does not end one
    try:
        found = [
            token.start
            for token in tokenize.generate_tokens(io.StringIO(code).readline)
            if token.type == tokenize.NAME and token.string == before
        ]
    except (tokenize.TokenError, SyntaxError):
        return code  # not Python: it cannot be kept anyway
    for row, column in reversed(found):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + after + line[column + len(before) :]
    return "\n".join(lines)


def renamed_words(notes: str, before: str, after: str) -> str:
    """The text of a card with the old folder name and function name replaced."""
    words = re.sub(rf"(?<![\w-]){re.escape(before)}(?![\w-])", after, notes)
    return re.sub(rf"\b{re.escape(before.replace('-', '_'))}\b", after.replace("-", "_"), words)
