"""What an editor is told when it is made: where it stands in the form and what it edits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from workbench.gui.forms.shape import Shape, shape_of
from workbench.gui.theme import Theme
from workbench.records import JsonObject, JsonValue

DEEPEST: Final = 12  # levels of fields inside fields; what lies deeper is edited as JSON


class Absent(Enum):
    """Not sent at all, which is something else than null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Brief:
    """One place of the form."""

    name: str  # what the field is called, for labels and screen readers
    schema: JsonValue
    root: JsonObject
    shape: Shape
    theme: Theme
    required: bool = True
    depth: int = 0

    def inner(self, name: str, schema: JsonValue, *, required: bool) -> Brief:
        """The brief of a place inside this one."""
        shape = shape_of(schema, self.root)
        return Brief(name, schema, self.root, shape, self.theme, required, self.depth + 1)

    def branch(self, schema: JsonObject) -> Brief:
        """The same place seen as one of its branches."""
        return replace(self, schema=schema, shape=shape_of(schema, self.root), depth=self.depth + 1)
