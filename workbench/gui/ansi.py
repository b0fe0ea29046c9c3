"""What a program prints, with the colours it asks for; every other command of a terminal stays visible as a chip.

Only colour, weight and line are taken over (SGR). Nothing can be hidden that way: there is no ground but the window's,
text that asks to be concealed is shown, and a colour that cannot be read is moved until it can.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

_COLOURS = re.compile(r"\x1b\[([0-9;:]{0,64})m")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;:]{0,64})?$")
_CONCEAL = 8
_ROLES = ("text", "danger", "success", "warning", "info", "code_builtin", "code_type", "text")
_STEPS = (0, 95, 135, 175, 215, 255)


@dataclass(frozen=True, slots=True)
class Style:
    """How a piece of output is written."""

    colour: str = ""  # a role of the window, or #rrggbb; empty: the usual one
    bold: bool = False
    italic: bool = False
    underlined: bool = False


class Printed:
    """One stream; a command that is cut in two between two pieces is put together again."""

    def __init__(self) -> None:
        self._style = Style()
        self._rest = ""

    def pieces(self, text: str, *, last: bool = False) -> Iterator[tuple[str, Style]]:
        """Texts with their styles; what stays of a command that has not ended waits, unless nothing follows."""
        text = self._rest + text
        self._rest = ""
        if not last and (cut := _UNFINISHED.search(text)) is not None:
            text, self._rest = text[: cut.start()], cut.group()
        at = 0
        for match in _COLOURS.finditer(text):
            if match.start() > at:
                yield text[at : match.start()], self._style
            at = match.end()
            if not self._take(match[1]):
                yield match.group(), self._style
        if at < len(text):
            yield text[at:], self._style

    def _take(self, told: str) -> bool:
        """False for what is not taken over, so that it is shown."""
        numbers = [int(part) if part else 0 for part in re.split("[;:]", told)][:32]
        if _CONCEAL in numbers and numbers[0] not in (38, 48):
            return False
        while numbers:
            number = numbers.pop(0)
            if number == 0:
                self._style = Style()
            elif number in (38, 48):
                colour = _extended(numbers)
                if number == 38:
                    self._style = replace(self._style, colour=colour)
            elif 30 <= number <= 37 or 90 <= number <= 97:
                self._style = replace(self._style, colour=_ROLES[number % 10])
            elif number == 39:
                self._style = replace(self._style, colour="")
            elif number in (1, 7, 22):
                self._style = replace(self._style, bold=number != 22)
            elif number in (3, 23):
                self._style = replace(self._style, italic=number == 3)
            elif number in (4, 24):
                self._style = replace(self._style, underlined=number == 4)
        return True


def _extended(numbers: list[int]) -> str:
    """A colour of 256 or of all; what was read is taken away from the numbers."""
    kind = numbers.pop(0) if numbers else 0
    if kind == 2:
        parts, numbers[:3] = numbers[:3], []
        return "#" + "".join(f"{min(part, 255):02x}" for part in parts) if len(parts) == 3 else ""
    if kind != 5 or not numbers:
        return ""
    number = numbers.pop(0)
    if number < 16:
        return _ROLES[number % 8]
    if number < 232:
        red, rest = divmod(number - 16, 36)
        return "#" + "".join(f"{_STEPS[part]:02x}" for part in (red, *divmod(rest, 6)))
    grey = min(8 + (number - 232) * 10, 255)
    return f"#{grey:02x}{grey:02x}{grey:02x}"
