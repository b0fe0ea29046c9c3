"""Type shapes: the content of a JSON schema in types that any language can express.

Each language has its own writer.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from workbench.records import JsonValue


class AnyShape(Struct, frozen=True):
    """No restriction, or one that types cannot express."""


class NothingShape(Struct, frozen=True):
    """The shape that no value fits."""


class ScalarShape(Struct, frozen=True):
    """A plain value, by its Python type name: str, int, float, bool or None."""

    name: str


class ChoiceShape(Struct, frozen=True):
    """One of these values: strings, integers, booleans, null."""

    values: tuple[str | int | bool | None, ...]

    def __eq__(self, other: object) -> bool:
        """Compare by representation: 1 and True are different values in JSON."""
        return isinstance(other, ChoiceShape) and repr(self.values) == repr(other.values)

    def __hash__(self) -> int:
        return hash(repr(self.values))


class ListShape(Struct, frozen=True):
    """Any number of items of one shape."""

    item: Shape


class TupleShape(Struct, frozen=True):
    """Items with one shape per position; `rest` is the shape of additional items, if allowed."""

    items: tuple[Shape, ...]
    rest: Shape | None = None


class MapShape(Struct, frozen=True):
    """Any keys, with values of one shape."""

    value: Shape


class UnionShape(Struct, frozen=True):
    """A value of one of several shapes."""

    members: tuple[Shape, ...]


class NamedShape(Struct, frozen=True):
    """Reference to a named shape, which also allows recursive shapes."""

    name: str


Shape: TypeAlias = (
    AnyShape | NothingShape | ScalarShape | ChoiceShape | ListShape | TupleShape | MapShape | UnionShape | NamedShape
)


class RecordField(Struct, frozen=True):
    """One key of a record, with its description from the server."""

    key: str
    shape: Shape
    required: bool
    note: str = ""  # the description, as its author wrote it
    limits: str = ""  # limits that types cannot express: "1 to 500", "format date"
    default: JsonValue = None
    has_default: bool = False


class RecordShape(Struct, frozen=True):
    """A named object with known keys; `more` is the shape of other keys, if allowed."""

    name: str
    fields: tuple[RecordField, ...]
    more: Shape | None = None


class AliasShape(Struct, frozen=True):
    """A name for a recursive shape that is not a record."""

    name: str
    shape: Shape


class ToolShapes(Struct, frozen=True):
    """A tool's input and output as shapes, and the named shapes that each of them uses."""

    fields: tuple[RecordField, ...]
    more: Shape | None  # other allowed keywords of the input
    result: Shape
    given: tuple[RecordShape | AliasShape, ...]
    back: tuple[RecordShape | AliasShape, ...]
    too_large: bool = False  # a limit was exceeded, so the tool takes or returns anything


def union(shapes: list[Shape]) -> Shape:
    """Return the union without duplicates. A single member is returned itself; AnyShape replaces all members."""
    if len(shapes) == 1:
        return shapes[0]
    flat: list[Shape] = []
    for shape in shapes:
        flat.extend(shape.members if isinstance(shape, UnionShape) else (shape,))
    members = tuple(dict.fromkeys(member for member in flat if not isinstance(member, NothingShape)))
    if not members:
        return NothingShape() if shapes else AnyShape()
    if len(members) > MOST_MEMBERS or any(isinstance(member, AnyShape) for member in members):
        return AnyShape()
    return members[0] if len(members) == 1 else UnionShape(members)


MOST_MEMBERS = 60  # a larger union helps no reader
