"""Finds values of an entry that look like secrets, and replaces them with a mask or a reference."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from workbench.privacy.detectors import credentials
from workbench.privacy.detectors.field_names import kind_of
from workbench.privacy.detectors.key_words import words_of
from workbench.privacy.detectors.text_search import merge_findings
from workbench.records import ServerConfig

MASK = "••••••"  # fixed width, which does not reveal the length
_LAST_WORDS_LISTED = "key token secret password passwd pass pat pwd credential credentials auth apikey dsn"
_LAST_WORDS = frozenset(_LAST_WORDS_LISTED.split())
_FILLED_IN = re.compile(r"\$\{[^{}]*\}|<[^<>]*>")
_FLAG = re.compile(r"-{1,2}([A-Za-z][\w-]*)(?:=(.*))?", re.DOTALL)
_LOGIN = re.compile(r"(?<=://)[^/@\s:]*:([^/@\s]+)(?=@)")
_QUERY = re.compile(r"(?<=[?&])([\w.-]+)=([^&#\s]+)")

Swap = Callable[[str, str], str]  # place and value of a secret → its replacement


def mask(config: ServerConfig) -> tuple[ServerConfig, tuple[str, ...]]:
    """Return the masked entry that the user sees first, and the places of hidden values."""
    places: list[str] = []

    def hide(place: str, value: str) -> str:
        places.append(place)
        return MASK

    return swap(config, hide), tuple(dict.fromkeys(places))


def swap(config: ServerConfig, swapped: Swap) -> ServerConfig:
    """Return the entry with each secret replaced by the result of `swapped`."""
    return replace(
        config,
        args=_args(config.args, swapped),
        env=_table("env", config.env, swapped),
        headers=_table("header", config.headers, swapped),
        url=_address("url", config.url, swapped),
    )


def secret_name(name: str) -> bool:
    """Whether the name of a key, variable or option indicates a secret."""
    kind, words = kind_of(name), words_of(name)
    return (kind is not None and kind.name == "SECRET") or bool(words and words[-1] in _LAST_WORDS)


def _table(place: str, values: Mapping[str, str], swapped: Swap) -> dict[str, str]:
    return {name: _value(f"{place} {name}", name, value, swapped) for name, value in values.items()}


def _value(place: str, name: str, value: str, swapped: Swap) -> str:
    """Replace a secret value. A scheme before it, as in "Bearer …", stays."""
    if secret_name(name) and not _FILLED_IN.search(value):
        scheme, space, rest = value.partition(" ")
        if space and scheme.lower() in ("bearer", "basic", "token") and rest.strip():
            return f"{scheme} {swapped(place, rest.strip())}"
        if len(value.strip()) >= 3:
            return swapped(place, value)
    return _inside(place, value, swapped)


def _args(args: tuple[str, ...], swapped: Swap) -> tuple[str, ...]:
    written: list[str] = []
    announced = ""  # the preceding option, when its value is a secret
    for number, arg in enumerate(args, 1):
        flag = _FLAG.fullmatch(arg)
        place = f"option {announced or (flag and flag[1])}" if announced or (flag and flag[2]) else f"argument {number}"
        if flag and flag[2] is not None and secret_name(flag[1]) and not _FILLED_IN.search(flag[2]):
            written.append(f"{arg[: flag.start(2)]}{swapped(place, flag[2])}")
        elif announced and not flag and not _FILLED_IN.search(arg):
            written.append(swapped(place, arg))
        else:
            written.append(_inside(place, arg, swapped))
        announced = flag[1] if flag and flag[2] is None and secret_name(flag[1]) else ""
    return tuple(written)


def _inside(place: str, text: str, swapped: Swap) -> str:
    """Replace secrets of a known form inside a longer text, and logins in URLs."""
    parts, at = [], 0
    for found in merge_findings(credentials.find_secrets(text)):  # a token after "Bearer" matches twice
        parts += [text[at : found.start], swapped(place, text[found.start : found.end])]
        at = found.end
    text = "".join((*parts, text[at:]))
    return _address(place, text, swapped) if "://" in text else text


def _address(place: str, text: str, swapped: Swap) -> str:
    def query(match: re.Match[str]) -> str:
        if not secret_name(match[1]) or _FILLED_IN.search(match[2]) or match[2] == MASK:
            return match[0]
        return f"{match[1]}={swapped(place, match[2])}"

    def login(match: re.Match[str]) -> str:
        whole = match[0][: -len(match[1])]
        kept = _FILLED_IN.search(match[1]) or match[1] == MASK
        return match[0] if kept else whole + swapped(place, match[1])

    return _QUERY.sub(query, _LOGIN.sub(login, text))
