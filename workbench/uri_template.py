"""URI templates as servers write them (RFC 6570): which blanks one has, and the URI that comes of filling them.

The catalog reads the blanks, a door fills them while somebody types; so it stands below both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

LONGEST = 8_192  # characters of a template that is looked at

_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]*)\}")
_VARIABLE = re.compile(r"([A-Za-z0-9_.%-]{1,200})(\*|:(\d{1,4}))?\Z")
_UNRESERVED = "-._~"
_RESERVED = ":/?#[]@!$&'()*+,;=" + _UNRESERVED
_ESCAPED = re.compile(r"(%[0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class _Way:
    """How one operator writes its values."""

    first: str
    between: str
    named: bool
    empty: str  # what follows the name of an empty value
    safe: str


_WAYS = {
    "": _Way("", ",", False, "", _UNRESERVED),
    "+": _Way("", ",", False, "", _RESERVED),
    "#": _Way("#", ",", False, "", _RESERVED),
    ".": _Way(".", ".", False, "", _UNRESERVED),
    "/": _Way("/", "/", False, "", _UNRESERVED),
    ";": _Way(";", ";", True, "", _UNRESERVED),
    "?": _Way("?", "&", True, "=", _UNRESERVED),
    "&": _Way("&", "&", True, "=", _UNRESERVED),
}


def variables(template: str) -> tuple[str, ...]:
    """The names of the blanks, each once, in the order they stand in."""
    names: dict[str, None] = {}
    for match in _EXPRESSION.finditer(template[:LONGEST]):
        names.update(dict.fromkeys(name for name, _, _ in _parts(match[2])))
    return tuple(names)


def optional(template: str) -> frozenset[str]:
    """The blanks of a query: whoever leaves them empty asks for less, not for something else."""
    found = ((match[1], name) for match in _EXPRESSION.finditer(template[:LONGEST]) for name, _, _ in _parts(match[2]))
    return frozenset(name for operator, name in found if operator in ("?", "&", ";", "#"))


def expand(template: str, values: Mapping[str, str]) -> str:
    """The URI. A blank without a value, or with an empty one, is left out; of an exploded one the parts are taken:
    those of a path lie between slashes, others between commas."""
    return _EXPRESSION.sub(lambda match: _expression(match, values), template)


def _expression(match: re.Match[str], values: Mapping[str, str]) -> str:
    way, parts = _WAYS[match[1]], tuple(_parts(match[2]))
    if not parts:
        return match[0]  # not a template's expression; the server may know what it means
    written = [piece for part in parts for piece in _written(way, part, values)]
    return way.first + way.between.join(written) if written else ""


def _written(way: _Way, part: tuple[str, bool, int], values: Mapping[str, str]) -> Iterator[str]:
    name, exploded, prefix = part
    value = values.get(name, "")
    if not value:
        return
    several = value.split("/" if way.first == "/" else ",") if exploded else [value[: prefix or None]]
    for one in several:
        text = _escaped(one, way.safe)
        if not way.named:
            yield text
        else:
            yield f"{name}={text}" if text else name + way.empty


def _escaped(text: str, safe: str) -> str:
    """What is escaped already stays so where reserved characters may stand."""
    if safe != _RESERVED:
        return quote(text, safe=safe, errors="replace")
    pieces = _ESCAPED.split(text)
    return "".join(piece if at % 2 else quote(piece, safe=safe, errors="replace") for at, piece in enumerate(pieces))


def _parts(inner: str) -> Iterator[tuple[str, bool, int]]:
    """Name, whether exploded, and how many letters (0: all); an expression with anything else in it has no parts."""
    found = [_VARIABLE.match(word) for word in inner.split(",")]
    for match in found if all(found) else ():
        if match is not None:
            yield match[1], match[2] == "*", int(match[3] or 0)
