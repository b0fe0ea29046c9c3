"""Writes a tool as a compact signature with nested types, a sentence and notes: half the model tokens of its schema."""

from __future__ import annotations

from workbench.identifiers import parameter_names
from workbench.records import Tool
from workbench.wrappers.generated_comments import TOO_LARGE, cut, first_sentence
from workbench.wrappers.schema_reader import read_definition
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
)

NOTE = 80  # maximum number of characters of a note
DEEPEST = 3  # maximum depth of nested keys
MOST_VALUES = 12  # maximum number of values of an enumeration
MOST_PARTS = 2_000  # maximum number of shapes in one signature; nested ones count each time they are written


def signature(tool: Tool, function: str) -> str:
    """Return the call of a tool in a few lines: names as they are imported, types, defaults and notes."""
    definition = read_definition(tool, function)
    keywords = parameter_names([field.key for field in definition.fields])
    text = _Lean(definition)
    given = [text.parameter(field, keywords[field.key]) for field in _required_first(definition.fields)]
    given += [f"**more: {text.write(definition.more)}"] if definition.more else []
    back = "" if isinstance(definition.result, AnyShape) else f" -> {text.write(definition.result)}"
    lines = [f"async def {function}({', '.join(['*', *given] if definition.fields else given)}){back}"]
    if sentence := first_sentence(tool.description or tool.title, NOTE):
        lines.append(f"    {sentence}")
    lines += [f"    {note}" for field in definition.fields if (note := _note(field, keywords[field.key]))]
    if definition.too_large:
        lines.append(f"    {TOO_LARGE}")
    if text.hides_notes:
        lines.append("    Nested keys have descriptions: see get_tool_definition.")
    return "\n".join(lines)


def type_words(shape: Shape, definition: ToolShapes) -> str:
    """Return a shape of this definition as written in a signature."""
    return _Lean(definition).write(shape)


class _Lean:
    """Writes shapes as text, with nested records inline."""

    def __init__(self, definition: ToolShapes) -> None:
        self._open: list[str] = []  # records that are being written
        self._parts = 0
        self._named = {one.name: one for one in (*definition.given, *definition.back)}
        self.hides_notes = any(
            field.note for one in definition.given if isinstance(one, RecordShape) for field in one.fields
        )

    def parameter(self, field: RecordField, keyword: str) -> str:
        kind = self.write(field.shape)
        if field.required:
            return f"{keyword}: {kind}"
        return f"{keyword}: {kind} = {cut(repr(field.default), 40) if field.has_default else '…'}"

    def write(self, shape: Shape, depth: int = 0) -> str:
        self._parts += 1
        match shape:
            case ScalarShape(name):
                return name
            case ChoiceShape(values):
                shown = [repr(value) for value in values[:MOST_VALUES]]
                more = [f"… {len(values) - MOST_VALUES} more"] if len(values) > MOST_VALUES else []
                return f"Literal[{', '.join(shown + more)}]"
            case ListShape(item):
                return f"list[{self.write(item, depth)}]"
            case TupleShape(items, rest):
                places = [self.write(item, depth) for item in items] + (["..."] if rest else [])
                return f"tuple[{', '.join(places)}]"
            case MapShape(value):
                return f"dict[str, {self.write(value, depth)}]"
            case UnionShape(members):
                return " | ".join(self.write(member, depth) for member in members)
            case NamedShape(name):
                return self._nested(self._named.get(name), name, depth)
            case NothingShape():
                return "Never"
            case _:
                return "Any"

    def _nested(self, named: RecordShape | AliasShape | None, name: str, depth: int) -> str:
        if named is None or name in self._open or depth >= DEEPEST or self._parts > MOST_PARTS:
            return "dict" if isinstance(named, RecordShape) else "Any"
        self._open.append(name)
        if isinstance(named, AliasShape):
            text = self.write(named.shape, depth + 1)
        else:
            keys = [f"{_key(field)}: {self.write(field.shape, depth + 1)}" for field in named.fields]
            text = "{" + ", ".join(keys) + "}"
        self._open.pop()
        return text


def _key(field: RecordField) -> str:
    name = field.key if field.key.isidentifier() else repr(field.key)
    return name if field.required else f"{name}?"


def _required_first(fields: tuple[RecordField, ...]) -> list[RecordField]:
    return sorted(fields, key=lambda field: not field.required)


def _note(field: RecordField, keyword: str) -> str:
    sent = f"sent as {field.key[:NOTE]!r}" if keyword != field.key else ""
    limits = first_sentence(field.limits, NOTE)
    words = [words for words in (first_sentence(field.note, NOTE), limits, sent) if words]
    return f"{keyword}: {'; '.join(words)}" if words else ""
