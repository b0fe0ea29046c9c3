"""Colour schemes of code: the workbench's own, and those of pygments with their colours made readable.

A style of pygments is a ground and colours; what has too little contrast against its ground is moved towards the
text's colour until it can be read. pygments is asked only when somebody chose one of its styles.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor

from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.gui.kit.colours import Colours, blend, contrast
from workbench.gui.kit.theme import Theme

OWN = ""  # the workbench's own scheme
LEAST = 4.5  # contrast of code against its ground
_ROLES = {
    "code_keyword": ("Keyword",),
    "code_string": ("Literal", "String"),
    "code_number": ("Literal", "Number"),
    "code_comment": ("Comment",),
    "code_function": ("Name", "Function"),
    "code_type": ("Name", "Class"),
    "code_builtin": ("Name", "Builtin"),
    "code_operator": ("Operator",),
    "code_key": ("Name", "Tag"),
}


class Scheme(Struct, frozen=True):
    """The colours that code has; what a scheme does not say, the window's colours say."""

    name: str
    base: Colours
    own: Mapping[str, str] = field(default_factory=dict)

    def colour(self, role: str) -> QColor:
        return QColor(self.word(role))

    def word(self, role: str) -> str:
        """The same as a text like #rrggbb."""
        return self.own.get(role) or str(getattr(self.base, role))

    def soft(self, role: str, share: float = 0.14) -> QColor:
        """A quiet ground in the colour of a role, over the ground of the code."""
        return QColor(blend(self.word(role), self.word("sunken"), share))


def scheme_named(name: str, base: Colours) -> Scheme:
    """A scheme by its name; one that is not there any more is the workbench's own."""
    own = _of_style(name) if name else None
    return Scheme(name, base, own) if own is not None else Scheme(OWN, base)


def names(*, dark: bool) -> tuple[str, ...]:
    """The styles of pygments whose ground is dark, or light."""
    from pygments.styles import get_all_styles  # type: ignore[import-untyped]  # it ships no types

    found = ((name, _of_style(name)) for name in sorted(get_all_styles()))
    return tuple(name for name, own in found if own is not None and is_dark(own["sunken"]) == dark)


def is_dark(colour: str) -> bool:
    return contrast(colour, "#ffffff") > contrast(colour, "#000000")


def readable(colour: str, ground: str) -> str:
    """The colour, or the nearest one towards black or white that can be read on the ground."""
    goal = "#ffffff" if is_dark(ground) else "#000000"
    for step in range(11):
        mixed = blend(goal, colour, step / 10)
        if contrast(mixed, ground) >= LEAST:
            return mixed
    return goal


@cache
def _of_style(name: str) -> dict[str, str] | None:
    from pygments.styles import get_style_by_name
    from pygments.token import Token  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        style = get_style_by_name(name)
    except ClassNotFound:
        return None
    ground = _full(style.background_color) or "#ffffff"
    text = _colour(style, Token.Text) or _colour(style, Token) or ("#ffffff" if is_dark(ground) else "#000000")
    goal = "#ffffff" if is_dark(ground) else "#000000"
    made = {"sunken": ground, "code_text": readable(text, ground), "hover": blend(goal, ground, 0.08)}
    made |= {"muted": readable(blend(goal, ground, 0.5), ground), "text": readable(text, ground)}
    for role, path in _ROLES.items():
        kind = Token
        for part in path:
            kind = getattr(kind, part)
        made[role] = readable(_colour(style, kind) or text, ground)
    return made


def _colour(style: Any, kind: Any) -> str:  # Any: a style and a token type of pygments
    told = style.style_for_token(kind)["color"]
    return f"#{told}" if told else ""


def _full(colour: str) -> str:
    """#rrggbb also of #rgb and of words."""
    made = QColor(colour)
    return made.name() if made.isValid() else ""


SMALLEST, LARGEST = -4, 20  # points away from the window's size


class Looks(QObject):
    """One for all tabs; `changed` tells them."""

    changed = Signal()

    def __init__(self, theme: Theme, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._file = file
        self.steps = 0
        self._schemes = {"light": OWN, "dark": OWN}
        self._read()

    def zoom(self, by: int) -> int:
        """So many points larger or smaller; 0 is the window's size again. Answers how far away from that it is."""
        wanted = 0 if by == 0 else max(SMALLEST, min(self.steps + by, LARGEST))
        if wanted != self.steps:
            self.steps = wanted
            self._tell()
        return wanted

    @property
    def scheme_name(self) -> str:
        """The chosen scheme for the window's brightness of now."""
        return self._schemes[self._side]

    def choose(self, name: str) -> None:
        """Take a scheme for this brightness; the other one keeps its own."""
        if name != self.scheme_name:
            self._schemes[self._side] = name
            self._tell()

    def scheme(self) -> Scheme:
        return scheme_named(self.scheme_name, self._theme.colours)

    @property
    def _side(self) -> str:
        return "dark" if self._theme.dark else "light"

    def _tell(self) -> None:
        with contextlib.suppress(WorkbenchError):  # looks that cannot be kept are looks of this window
            write_file(self._file, json.dumps({"steps": self.steps, **self._schemes}), durable=False)
        self.changed.emit()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            told = json.loads(self._file.read_text(encoding="utf-8"))
            self.steps = max(SMALLEST, min(int(told.get("steps", 0)), LARGEST))
            for side in self._schemes:
                self._schemes[side] = str(told.get(side, OWN))
