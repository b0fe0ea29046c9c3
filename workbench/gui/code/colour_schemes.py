"""Colour schemes of code: the workbench's own and the styles of pygments.

Colours of a style with too little contrast to its background are moved towards black or white until they are readable.
pygments is imported only when one of its styles is chosen.
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
MIN_CONTRAST = 4.5  # of code against its background
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
    """Colours of code; the window's colours fill in what a scheme does not define."""

    name: str
    base: Colours
    own: Mapping[str, str] = field(default_factory=dict)

    def colour(self, role: str) -> QColor:
        return QColor(self.hex_colour(role))

    def hex_colour(self, role: str) -> str:
        """A role's colour as #rrggbb."""
        return self.own.get(role) or str(getattr(self.base, role))

    def soft(self, role: str, share: float = 0.14) -> QColor:
        """A tint of the background in the colour of a role."""
        return QColor(blend(self.hex_colour(role), self.hex_colour("sunken"), share))


def scheme_named(name: str, base: Colours) -> Scheme:
    """The scheme with this name; the workbench's own if there is none."""
    own = _style_colours(name) if name else None
    return Scheme(name, base, own) if own is not None else Scheme(OWN, base)


def scheme_names(*, dark: bool) -> tuple[str, ...]:
    """The styles of pygments with a dark or a light background."""
    from pygments.styles import get_all_styles  # type: ignore[import-untyped]  # it ships no types

    styles = ((name, _style_colours(name)) for name in sorted(get_all_styles()))
    return tuple(name for name, own in styles if own is not None and is_dark(own["sunken"]) == dark)


def is_dark(colour: str) -> bool:
    return contrast(colour, "#ffffff") > contrast(colour, "#000000")


def readable(colour: str, background: str) -> str:
    """The colour, or the nearest one towards black or white that is readable on the background."""
    goal = "#ffffff" if is_dark(background) else "#000000"
    for step in range(11):
        mixed = blend(goal, colour, step / 10)
        if contrast(mixed, background) >= MIN_CONTRAST:
            return mixed
    return goal


@cache
def _style_colours(name: str) -> dict[str, str] | None:
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
    colours = {"sunken": ground, "code_text": readable(text, ground), "hover": blend(goal, ground, 0.08)}
    colours |= {"muted": readable(blend(goal, ground, 0.5), ground), "text": readable(text, ground)}
    for role, path in _ROLES.items():
        kind = Token
        for part in path:
            kind = getattr(kind, part)
        colours[role] = readable(_colour(style, kind) or text, ground)
    return colours


def _colour(style: Any, kind: Any) -> str:  # Any: a style and a token type of pygments
    digits = style.style_for_token(kind)["color"]
    return f"#{digits}" if digits else ""


def _full(colour: str) -> str:
    """#rrggbb for #rgb and for names of colours; "" for anything else."""
    parsed = QColor(colour)
    return parsed.name() if parsed.isValid() else ""


MIN_ZOOM, MAX_ZOOM = -4, 20  # points relative to the window's font size


class EditorAppearance(QObject):
    """Font size and colour scheme of all tabs, stored in a file."""

    changed = Signal()

    def __init__(self, theme: Theme, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._file = file
        self.zoom_steps = 0
        self._schemes = {"light": OWN, "dark": OWN}
        self._read()

    def zoom(self, by: int) -> None:
        """Change the font size by points; 0 resets it to the window's."""
        wanted = 0 if by == 0 else max(MIN_ZOOM, min(self.zoom_steps + by, MAX_ZOOM))
        if wanted != self.zoom_steps:
            self.zoom_steps = wanted
            self._save()

    @property
    def scheme_name(self) -> str:
        """The scheme chosen for the current theme, light or dark."""
        return self._schemes[self._side]

    def choose_scheme(self, name: str) -> None:
        """Choose a scheme for the current theme; light and dark have one each."""
        if name != self.scheme_name:
            self._schemes[self._side] = name
            self._save()

    def scheme(self) -> Scheme:
        return scheme_named(self.scheme_name, self._theme.colours)

    @property
    def _side(self) -> str:
        return "dark" if self._theme.dark else "light"

    def _save(self) -> None:
        with contextlib.suppress(WorkbenchError):  # without a file, they last as long as the window
            write_file(self._file, json.dumps({"steps": self.zoom_steps, **self._schemes}), durable=False)
        self.changed.emit()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            stored = json.loads(self._file.read_text(encoding="utf-8"))
            self.zoom_steps = max(MIN_ZOOM, min(int(stored.get("steps", 0)), MAX_ZOOM))
            for side in self._schemes:
                self._schemes[side] = str(stored.get(side, OWN))
