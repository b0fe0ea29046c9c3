"""The leanest form that suffices to write a right call: a signature with nesting, a sentence, and notes.

It is what the deepest level of a search shows; about half the tokens of a JSON schema.
"""

from __future__ import annotations

from workbench.identifiers import parameter_names
from workbench.records import Tool
from workbench.wrappers.prose import TOO_LARGE, cut, first_sentence
from workbench.wrappers.schemas import read_definition
from workbench.wrappers.shapes import (
    Alias,
    Anything,
    Choice,
    Definition,
    Field,
    Listing,
    Named,
    Nothing,
    Record,
    Row,
    Scalar,
    Shape,
    Table,
    Union,
)

NOTE = 80  # characters of a note
DEEPEST = 3  # levels of nested keys that are spelled out
MOST_VALUES = 12  # values of an enumeration that are spelled out
MOST_PARTS = 2_000  # shapes that one signature spells out, nested ones as often as they are shown


def signature(tool: Tool, function: str) -> str:
    """The call of a tool in a few lines: names as they are imported, types, defaults, notes."""
    definition = read_definition(tool, function)
    keywords = parameter_names([field.key for field in definition.fields])
    text = _Lean(definition)
    given = [text.parameter(field, keywords[field.key]) for field in _required_first(definition.fields)]
    given += [f"**more: {text.write(definition.more)}"] if definition.more else []
    back = "" if isinstance(definition.result, Anything) else f" -> {text.write(definition.result)}"
    lines = [f"async def {function}({', '.join(['*', *given] if definition.fields else given)}){back}"]
    if sentence := first_sentence(tool.description or tool.title, NOTE):
        lines.append(f"    {sentence}")
    lines += [f"    {note}" for field in definition.fields if (note := _note(field, keywords[field.key]))]
    if definition.too_large:
        lines.append(f"    {TOO_LARGE}")
    if text.hides_notes:
        lines.append("    Nested keys have descriptions: see get_tool_definition.")
    return "\n".join(lines)


def type_words(shape: Shape, definition: Definition) -> str:
    """A shape of this definition as one reads it in a signature."""
    return _Lean(definition).write(shape)


class _Lean:
    """Writes shapes as text, nested records spelled out where they stand."""

    def __init__(self, definition: Definition) -> None:
        self._open: list[str] = []  # records that are being spelled out
        self._parts = 0
        self._named = {one.name: one for one in (*definition.given, *definition.back)}
        self.hides_notes = any(
            field.note for one in definition.given if isinstance(one, Record) for field in one.fields
        )

    def parameter(self, field: Field, keyword: str) -> str:
        kind = self.write(field.shape)
        if field.required:
            return f"{keyword}: {kind}"
        return f"{keyword}: {kind} = {cut(repr(field.default), 40) if field.has_default else '…'}"

    def write(self, shape: Shape, depth: int = 0) -> str:
        self._parts += 1
        match shape:
            case Scalar(name):
                return name
            case Choice(values):
                shown = [repr(value) for value in values[:MOST_VALUES]]
                more = [f"… {len(values) - MOST_VALUES} more"] if len(values) > MOST_VALUES else []
                return f"Literal[{', '.join(shown + more)}]"
            case Listing(item):
                return f"list[{self.write(item, depth)}]"
            case Row(items, rest):
                places = [self.write(item, depth) for item in items] + (["..."] if rest else [])
                return f"tuple[{', '.join(places)}]"
            case Table(value):
                return f"dict[str, {self.write(value, depth)}]"
            case Union(members):
                return " | ".join(self.write(member, depth) for member in members)
            case Named(name):
                return self._nested(self._named.get(name), name, depth)
            case Nothing():
                return "Never"
            case _:
                return "Any"

    def _nested(self, named: Record | Alias | None, name: str, depth: int) -> str:
        if named is None or name in self._open or depth >= DEEPEST or self._parts > MOST_PARTS:
            return "dict" if isinstance(named, Record) else "Any"
        self._open.append(name)
        if isinstance(named, Alias):
            text = self.write(named.shape, depth + 1)
        else:
            keys = [f"{_key(field)}: {self.write(field.shape, depth + 1)}" for field in named.fields]
            text = "{" + ", ".join(keys) + "}"
        self._open.pop()
        return text


def _key(field: Field) -> str:
    name = field.key if field.key.isidentifier() else repr(field.key)
    return name if field.required else f"{name}?"


def _required_first(fields: tuple[Field, ...]) -> list[Field]:
    return sorted(fields, key=lambda field: not field.required)


def _note(field: Field, keyword: str) -> str:
    sent = f"sent as {field.key[:NOTE]!r}" if keyword != field.key else ""
    limits = first_sentence(field.limits, NOTE)
    words = [words for words in (first_sentence(field.note, NOTE), limits, sent) if words]
    return f"{keyword}: {'; '.join(words)}" if words else ""
