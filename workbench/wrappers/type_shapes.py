"""Shapes: what a JSON schema says, in the types that any language can express. Each language writes them by itself."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from workbench.records import JsonValue


class AnyShape(Struct, frozen=True):
    """No claim, or one that types cannot express."""


class NothingShape(Struct, frozen=True):
    """The shape that no value fits."""


class ScalarShape(Struct, frozen=True):
    """A plain value, by its Python name: str, int, float, bool or None."""

    name: str


class ChoiceShape(Struct, frozen=True):
    """One of these values: texts, whole numbers, truth values, null."""

    values: tuple[str | int | bool | None, ...]

    def __eq__(self, other: object) -> bool:
        """1 and True are different values in JSON."""
        return isinstance(other, ChoiceShape) and repr(self.values) == repr(other.values)

    def __hash__(self) -> int:
        return hash(repr(self.values))


class ListShape(Struct, frozen=True):
    """Any number of items of one shape."""

    item: Shape


class TupleShape(Struct, frozen=True):
    """Items with a shape for each place; `rest` is the shape of those after, if any may follow."""

    items: tuple[Shape, ...]
    rest: Shape | None = None


class MapShape(Struct, frozen=True):
    """Any keys, values of one shape."""

    value: Shape


class UnionShape(Struct, frozen=True):
    """A value of one of several shapes."""

    members: tuple[Shape, ...]


class NamedShape(Struct, frozen=True):
    """A shape that stands elsewhere under a name; so shapes may hold themselves."""

    name: str


Shape: TypeAlias = (
    AnyShape | NothingShape | ScalarShape | ChoiceShape | ListShape | TupleShape | MapShape | UnionShape | NamedShape
)


class RecordField(Struct, frozen=True):
    """One key of a record, with what its author says of it."""

    key: str
    shape: Shape
    required: bool
    note: str = ""  # the description, as its author wrote it
    limits: str = ""  # what types cannot say: "1 to 500", "format date"
    default: JsonValue = None
    has_default: bool = False


class RecordShape(Struct, frozen=True):
    """A named object with known keys; `more` is the shape of other keys when the schema invites them."""

    name: str
    fields: tuple[RecordField, ...]
    more: Shape | None = None


class AliasShape(Struct, frozen=True):
    """A name for a shape that holds itself without being a record."""

    name: str
    shape: Shape


class ToolShapes(Struct, frozen=True):
    """A tool's input and output as shapes, and the named shapes that each of them uses."""

    fields: tuple[RecordField, ...]
    more: Shape | None  # other keywords the input invites
    result: Shape
    given: tuple[RecordShape | AliasShape, ...]
    back: tuple[RecordShape | AliasShape, ...]
    too_large: bool = False  # more than is read of one tool, so it takes or answers anything


def union(shapes: list[Shape]) -> Shape:
    """The union without repetitions; one member stands alone, and anything swallows the others."""
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


MOST_MEMBERS = 60  # a union with more members helps nobody who reads it
