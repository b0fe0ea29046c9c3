"""Writes type shapes as TypeScript types. A schema author's texts become quoted constants or comments, nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from workbench.records import JsonValue
from workbench.wrappers.generated_comments import LONGEST_NOTE, cut, jsdoc
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
    TupleShape,
    UnionShape,
    union,
)

_SCALARS = {"str": "string", "int": "number", "float": "number", "bool": "boolean", "None": "null"}
_BARE = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_EXACT = 2**53 - 1  # beyond it a number of JavaScript is another number


class TypeScriptTypeWriter:
    """Writes types for one direction: what is given unclaimed is `unknown`, what comes back unclaimed may be used."""

    def __init__(self, names: Mapping[str, str], *, given: bool) -> None:
        self._names = names  # the name of a shape → its name in this module
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
        """Schemas let a row be short, so any list of what may stand in it is right as well."""
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
        """Other keys. Beside listed ones their type would bind those too, so there it claims nothing."""
        if record.more is None:
            return ""
        return f"  [key: string]: {self.write(AnyShape() if record.fields else record.more)};\n"


def quoted(text: str) -> str:
    """A text as a constant of TypeScript, in ASCII."""
    return json.dumps(text)


def type_names(named: Sequence[RecordShape | AliasShape], taken: set[str]) -> dict[str, str]:
    """A name for each shape that is not among those taken, which grow by the names given."""
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
