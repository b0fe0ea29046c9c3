"""What a skill takes: the arguments of its function as a JSON Schema, and the program that calls it with values.

Forms are made of the schema, so that a person can run a skill as they call a tool; agents get refused what would only
fail inside.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Mapping
from typing import Any, Final

from workbench.analysis.parsed_program import ParsedProgram
from workbench.errors import WorkbenchError
from workbench.identifiers import skill_module_name
from workbench.records import JsonObject, JsonValue, Skill
from workbench.skills.importable_module import module_source

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_PLAIN: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
_LISTS: Final = frozenset({"list", "List", "Sequence", "Iterable", "tuple", "set"})
_MAPS: Final = frozenset({"dict", "Dict", "Mapping", "JsonObject"})


def function_of(skill: Skill) -> _Function | None:
    """The function that the skill is; None where its code is a plain program, or none at all."""
    return ParsedProgram(skill.code).function(skill_module_name(skill.name))


def schema_of(skill: Skill) -> JsonObject:
    """The arguments as the input schema of a tool."""
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
    """The program that calls the skill with these arguments; wrong names are refused with the right ones."""
    function = skill_module_name(skill.name)
    call = _call(skill, function_of(skill), arguments)
    return f"from skills.{function} import {function}\n\nresult = {call}\n"


def trying(skill: Skill, arguments: Mapping[str, JsonValue]) -> str:
    """The same for a skill that programs cannot import yet: its own text, and the call below it."""
    program, function = ParsedProgram(skill.code), skill_module_name(skill.name)
    call = _call(skill, program.function(function), arguments)
    return f"{module_source(program, function).rstrip()}\n\n\nresult = {call}\n"


def _call(skill: Skill, definition: _Function | None, arguments: Mapping[str, JsonValue]) -> str:
    if not skill.code:
        raise WorkbenchError(f"{skill.name} is instructions only.", "There is nothing to run; load_skill reads them.")
    function = skill_module_name(skill.name)
    schema = _schema_of_function(definition)
    known = schema["properties"]
    names = ", ".join(known) if isinstance(known, dict) and known else "none"
    wrong = [name for name in arguments if isinstance(known, dict) and name not in known]
    if wrong and not schema["additionalProperties"]:
        raise WorkbenchError(f"{skill.name} takes no {wrong[0]!r:.60}.", f"Its arguments: {names}.")
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
    """The arguments with which a program calls this skill once, where they are written out; None where they are not."""
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
    """What an annotation says in JSON Schema; nothing, where it says more than that can."""
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
