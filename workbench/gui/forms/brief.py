"""What an editor is told when it is made: where it stands in the form and what it edits."""

from __future__ import annotations

from enum import Enum
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from workbench.gui.forms.shape import Shape, shape_of
from workbench.gui.theme import Theme
from workbench.records import JsonObject, JsonValue

DEEPEST: Final = 12  # levels of fields inside fields; what lies deeper is edited as JSON


class Absent(Enum):
    """Not sent at all, which is something else than null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


_BY_ITSELF = 50  # nested editors that a form opens without being asked
_SO_DEEP = 6  # and down to this level


class Openings:
    """How many nested editors a form may still open by itself: a schema that contains itself twice would go on for
    ever."""

    def __init__(self) -> None:
        self._left = _BY_ITSELF

    def spend(self, depth: int) -> bool:
        """Whether one more may open at that depth."""
        if depth > _SO_DEEP or self._left <= 0:
            return False
        self._left -= 1
        return True


class Brief(Struct, frozen=True):
    """One place of the form."""

    name: str  # what the field is called, for labels and screen readers
    schema: JsonValue
    root: JsonObject
    shape: Shape
    theme: Theme
    required: bool = True
    depth: int = 0
    openings: Openings = field(default_factory=Openings)  # shared by all places of one form

    def inner(self, name: str, schema: JsonValue, *, required: bool) -> Brief:
        """The brief of a place inside this one."""
        shape = shape_of(schema, self.root)
        return Brief(name, schema, self.root, shape, self.theme, required, self.depth + 1, self.openings)

    def branch(self, schema: JsonObject) -> Brief:
        """The same place seen as one of its branches."""
        return replace(self, schema=schema, shape=shape_of(schema, self.root), depth=self.depth + 1)
