"""The named colours of the window in light and dark, as data; nothing else in the window names a colour.

Contrast is tested: text on every ground at least 7:1, quiet text and the meaning colours at least 4.5:1.
"""

from __future__ import annotations

from msgspec import Struct

from workbench.records import Risk


class Colours(Struct, frozen=True):
    """Named colours by role: a pane says what a colour means, the theme decides how it looks."""

    background: str  # behind docks and between panes
    surface: str  # panes, lists
    raised: str  # inputs, cards, menus, buttons
    sunken: str  # code and output
    hover: str
    selected: str  # background of a selected row
    border: str  # lines that separate
    edge: str  # lines around buttons and fields
    text: str
    muted: str  # secondary text
    faint: str  # decoration and disabled text, never the only carrier of meaning
    accent: str  # links, focus, active things; readable as text
    accent_fill: str  # background of a primary button
    on_accent: str  # text on that background
    success: str
    warning: str
    danger: str
    danger_fill: str
    info: str
    critical: str
    code_text: str
    code_keyword: str
    code_string: str
    code_number: str
    code_comment: str
    code_function: str
    code_type: str
    code_builtin: str
    code_operator: str
    code_key: str  # keys of JSON objects


DARK = Colours(
    background="#101115",
    surface="#16171c",
    raised="#1e2027",
    sunken="#121318",
    hover="#22242c",
    selected="#272d48",
    border="#25272f",
    edge="#383b46",
    text="#e8e9ed",
    muted="#a0a4b0",
    faint="#6b7080",
    accent="#93a0ff",
    accent_fill="#5261d6",
    on_accent="#ffffff",
    success="#5bc994",
    warning="#e8b059",
    danger="#ff7b7e",
    danger_fill="#c23b41",
    info="#6db4f5",
    critical="#ff6fae",
    code_text="#dfe1e8",
    code_keyword="#b49bff",
    code_string="#8fd49f",
    code_number="#f0b072",
    code_comment="#858b9b",
    code_function="#7cb7ff",
    code_type="#6fd3cf",
    code_builtin="#e9a3c9",
    code_operator="#a8adbb",
    code_key="#7cb7ff",
)

LIGHT = Colours(
    background="#eeeff2",
    surface="#fafafb",
    raised="#ffffff",
    sunken="#f5f6f8",
    hover="#ececf1",
    selected="#dfe4fd",
    border="#e0e2e8",
    edge="#c6c9d3",
    text="#1b1c21",
    muted="#565b67",
    faint="#8c909c",
    accent="#4150cc",
    accent_fill="#4a59d6",
    on_accent="#ffffff",
    success="#16704a",
    warning="#8a5200",
    danger="#bd2630",
    danger_fill="#c4313a",
    info="#1b62ad",
    critical="#a5156f",
    code_text="#24262d",
    code_keyword="#6f3fd0",
    code_string="#1d6f42",
    code_number="#99500a",
    code_comment="#646a77",
    code_function="#1f5fbf",
    code_type="#0b6e75",
    code_builtin="#a4246c",
    code_operator="#565b67",
    code_key="#1f5fbf",
)

RISK_ROLES: dict[Risk, str] = {
    Risk.LOW: "success",
    Risk.MEDIUM: "warning",
    Risk.HIGH: "danger",
    Risk.CRITICAL: "critical",
}
"""The colour of each risk; its name is always shown too."""


def blend(front: str, ground: str, share: float) -> str:
    """Mix two colours: `share` of the front colour over the background."""
    mixed = (round(share * a + (1 - share) * b) for a, b in zip(_parts(front), _parts(ground), strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def contrast(one: str, other: str) -> float:
    """The WCAG contrast ratio of two colours, 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(part / 255) for part in _parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
