"""Writes a tool as the TypeScript module that a program imports."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from workbench.identifiers import type_name
from workbench.records import JsonValue, Tool
from workbench.wrappers.generated_comments import (
    LONGEST_DESCRIPTION,
    LONGEST_NOTE,
    cut,
    hint_words,
    jsdoc,
    result_words,
)
from workbench.wrappers.schema_reader import read_definition, wraps_result
from workbench.wrappers.type_shapes import (
    AliasShape,
    AnyShape,
    ChoiceShape,
    ListShape,
    MapShape,
    NamedShape,
    NothingShape,
    RecordField,
    RecordShape,
    ScalarShape,
    Shape,
    ToolShapes,
    TupleShape,
    UnionShape,
    union,
)

_KEPT = frozenset(("Promise", "any", "unknown"))  # types that a generated module uses itself


def typescript_source(tool: Tool, function: str, written: str) -> str:
    """Return the module of one tool. `written` is the time in its header."""
    return _Script(tool, function).source(written)


def interface_names(function: str) -> tuple[str, str]:
    """Return the names of a function's input and result types."""
    base = type_name(function)
    return f"{base}Input", f"{base}Response"


class _Script:
    """Builds one tool's module."""

    def __init__(self, tool: Tool, function: str) -> None:
        self._tool, self._function = tool, function
        self._definition: ToolShapes = read_definition(tool, function)
        self._input, self._response = interface_names(function)
        taken = {*_KEPT, function, self._input, self._response}
        self._given_names = type_names(self._definition.given, taken)
        self._back_names = type_names(self._definition.back, taken)
        if isinstance(result := self._definition.result, NamedShape) and result.name in self._back_names:
            self._back_names[result.name] = self._response
        self._given = TypeScriptTypeWriter({**self._given_names, self._input: self._input}, given=True)
        self._back = TypeScriptTypeWriter({**self._back_names, self._response: self._response}, given=False)

    def source(self, written: str) -> str:
        inputs = RecordShape(self._input, self._definition.fields, self._definition.more)
        given = [self._given.declare(one) for one in (*self._definition.given, inputs)]
        back = [self._back.declare(one) for one in self._definition.back]
        back += [self._answer(self._definition.result)] if self._response not in self._back_names.values() else []
        return "\n".join([self._head(written), *given, *back, self._body()])

    def _head(self, written: str) -> str:
        about = f"// The tool {quoted(self._tool.name)} of the server {quoted(self._tool.server)}."
        return f'{about}\n// Generated at {written}\nimport {{ callMCPTool }} from "../client.js";\n'

    def _answer(self, result: Shape) -> str:
        return self._back.declare(AliasShape(self._response, result))

    def _body(self) -> str:
        needed = any(field.required for field in self._definition.fields)
        head = f"export async function {self._function}(input: {self._input}{'' if needed else ' = {}'})"
        return f"{self._comment()}{head}: Promise<{self._response}> {{\n{self._statements()}}}\n"

    def _statements(self) -> str:
        server = self._tool.server
        # otherwise the first "__" ends the server's name
        whole = "__" in server or wraps_result(self._tool.output_schema)
        named = f", {quoted(server)}" if whole else ""
        given = f"{quoted(f'{server}__{self._tool.name}')}, input{named}"
        if not wraps_result(self._tool.output_schema):
            return f"  return callMCPTool<{self._response}>({given});\n"
        return (
            f"  const answer: any = await callMCPTool<{{ result: {self._response} }}>({given});\n"
            "  return answer?.result === undefined ? answer : answer.result;\n"
        )

    def _comment(self) -> str:
        claims = hint_words(self._tool.hints)
        about = cut(self._tool.description.strip() or self._tool.title or self._tool.name, LONGEST_DESCRIPTION)
        text = f"{about}\n\nThe server says: {', '.join(claims)}." if claims else about
        back = result_words(self._tool)
        return jsdoc(text, f"returns {back}" if back else "")


# ── Type shapes as TypeScript types; text from a schema only becomes quoted constants or comments ───────
_SCALARS = {"str": "string", "int": "number", "float": "number", "bool": "boolean", "None": "null"}
_BARE = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_EXACT = 2**53 - 1  # above it, a JavaScript number is inexact


class TypeScriptTypeWriter:
    """Writes types for one direction: an untyped argument is `unknown`, an untyped result is `any`."""

    def __init__(self, names: Mapping[str, str], *, given: bool) -> None:
        self._names = names  # name of a shape → its name in this module
        self._unclaimed = "unknown" if given else "any"
        self._given = given

    def write(self, shape: Shape) -> str:
        match shape:
            case NothingShape():
                return "never"
            case ScalarShape(name):
                return _SCALARS[name]
            case ChoiceShape(values):
                return " | ".join(dict.fromkeys(map(_constant, values)))
            case ListShape(item):
                return self._array(item)
            case TupleShape():
                return self._row(shape)
            case MapShape(value):
                return f"{{ [key: string]: {self.write(value)} }}"
            case UnionShape(members):
                return " | ".join(dict.fromkeys(map(self.write, members)))
            case NamedShape(name):
                return self._names[name]
            case _:
                return self._unclaimed

    def _array(self, item: Shape) -> str:
        inner = self.write(item)
        return f"{inner}[]" if inner.isidentifier() else f"({inner})[]"

    def _row(self, row: TupleShape) -> str:
        """Write a tuple. Schemas allow shorter ones, so a list of its item types is accepted, too."""
        rest = [row.rest] if row.rest else []
        as_list = self._array(union([*row.items, *rest]))
        places = ", ".join(self.write(item) for item in row.items)
        return as_list if rest or not self._given else f"[{places}] | {as_list}"

    def declare(self, named: RecordShape | AliasShape) -> str:
        name = self._names[named.name]
        if isinstance(named, AliasShape):
            return f"export type {name} = {self.write(named.shape)};\n"
        fields = "".join(map(self._field, named.fields))
        return f"export interface {name} {{\n{fields}{self._more(named)}}}\n"

    def _field(self, field: RecordField) -> str:
        mark = "" if field.required else "?"
        return f"{jsdoc(_note(field), indent='  ')}  {_key(field.key)}{mark}: {self.write(field.shape)};\n"

    def _more(self, record: RecordShape) -> str:
        """Return the index signature for other keys.

        Next to listed keys its type would also apply to those, so there it is unspecified."""
        if record.more is None:
            return ""
        return f"  [key: string]: {self.write(AnyShape() if record.fields else record.more)};\n"


def quoted(text: str) -> str:
    """Return a text as a TypeScript constant, in ASCII."""
    return json.dumps(text)


def type_names(named: Sequence[RecordShape | AliasShape], taken: set[str]) -> dict[str, str]:
    """Return a name for each shape that is not in `taken`. The new names are added to `taken`."""
    given = {}
    for one in named:
        name = one.name
        while name in taken:
            name += "_"
        taken.add(name)
        given[one.name] = name
    return given


def _note(field: RecordField) -> str:
    facts = [field.limits[:80]] if field.limits else []
    if field.has_default and field.default is not None:
        facts.append(f"default {cut(_json(field.default), 60)}")
    note = " ".join(cut(field.note, LONGEST_NOTE).split())
    return f"{note}{' ' if note and facts else ''}{'(' + ', '.join(facts) + ')' if facts else ''}"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else quoted(key)


def _constant(value: str | int | bool | None) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _EXACT:
        return "number"
    return quoted(value) if isinstance(value, str) else _json(value)


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
