"""Converts saved calls to JSON text and back.

Keys have a fixed order, so that a diff shows only real changes. The parser tolerates hand-written files and reports the
line of each error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from workbench.calls.json_paths import steps
from workbench.errors import WorkbenchError
from workbench.records import Expect, Expectation, JsonValue, SavedCall

KINDS = {kind.value: kind for kind in Expect}
TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
OURS = ("server", "tool", "note", "tags", "arguments", "expect", "kept", "secret")
_PARTS = {
    "note": "a string",
    "tags": "a list of strings",
    "arguments": "an object",
    "expect": "a list",
    "secret": "a list of strings",
}


class _StoredCall(Struct, frozen=True):
    """A saved call as stored in its file. Any: untrusted JSON."""

    server: str
    tool: str
    note: str = ""
    tags: tuple[str, ...] = ()
    arguments: dict[str, Any] = field(default_factory=dict)
    expect: tuple[dict[str, Any], ...] = ()
    kept: Any = None
    secret: tuple[str, ...] = ()


class Misread(WorkbenchError):
    """Error for a text that is not a saved call, with the line of the fault."""

    def __init__(self, message: str, hint: str = "", line: int = 0) -> None:
        super().__init__(message, hint)
        self.line = line


def write(call: SavedCall) -> str:
    """Convert a saved call to the text of its file."""
    parts: dict[str, JsonValue] = {
        "server": call.server,
        "tool": call.tool,
        "note": call.note,
        "tags": list(call.tags),
        "arguments": dict(call.arguments),
        "expect": [_expectation_as_json(one) for one in call.expectations],
        "kept": call.kept,
        "secret": list(call.withheld),
    }
    always: tuple[str, ...] = ("server", "tool", "arguments")
    kept = {
        key: value for key, value in parts.items() if key in always or value or (key == "kept" and value is not None)
    }
    whole = kept | {key: value for key, value in call.more.items() if key not in OURS}
    text = json.dumps(whole, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def read(text: str, collection: str, name: str, file: str) -> SavedCall:
    """Parse the text of a saved call's file."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as fault:
        words = f"line {fault.lineno}, column {fault.colno}: {fault.msg}"
        raise Misread(f"{file} cannot be read: {words}.", "Use double quotes, and no comma after the last item.",
                      fault.lineno) from fault  # fmt: skip
    except (ValueError, RecursionError) as fault:
        raise Misread(f"{file} cannot be read: a number is too long, or it is nested too deeply.") from fault
    if not isinstance(found, dict):
        raise Misread(
            f"{file} does not contain a JSON object.", 'A saved call looks like {"server": "…", "tool": "…"}.', 1
        )
    return _Reader(text, file).call(found, collection, name)


class _Reader:
    """Checks every part of a saved call and finds the line of an invalid part."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file

    def call(self, found: dict[str, Any], collection: str, name: str) -> SavedCall:  # Any: untrusted JSON
        for key in ("server", "tool"):
            if not isinstance(found.get(key), str) or not found[key]:
                raise self._misread(key, f'"{key}" must be a non-empty string', f'Write "{key}": "…".')
        try:
            stored = msgspec.convert(found, _StoredCall)
        except msgspec.ValidationError as fault:
            raise self._wrong_part(str(fault)) from fault
        except RecursionError as fault:
            raise Misread(f"{self._file} cannot be read: it is nested too deeply.") from fault
        expectations = tuple(self._expectation(one, number) for number, one in enumerate(stored.expect, 1))
        more = {key: value for key, value in found.items() if key not in OURS}
        return SavedCall(
            collection, name, stored.server, stored.tool, stored.arguments, stored.note, stored.tags, expectations,
            stored.kept, stored.secret, more, self._file,
        )  # fmt: skip

    def _wrong_part(self, fault: str) -> Misread:
        """Translate msgspec's message, which ends with the path, into an error with its line."""
        found = re.search(r"`\$\.(\w+)(?:\[(\d+)\])?[^`]*`$", fault)
        key, number = found.groups() if found else ("", "")
        if key == "expect" and number:
            return self._unclear(int(number) + 1)
        return self._misread(key, f"{key or 'the file'} is not {_PARTS.get(key, 'valid')}")

    def _unclear(self, number: int) -> Misread:
        hint = f"Give each expectation exactly one of: {', '.join(KINDS)}."
        return self._misread("expect", f"expectation {number} is not valid", hint)

    def _texts(self, found: Mapping[str, Any], key: str) -> tuple[str, ...]:  # Any: untrusted JSON
        try:
            return msgspec.convert(found.get(key, []), tuple[str, ...])
        except msgspec.ValidationError as fault:
            raise self._misread(key, f"{key} is not a list of strings") from fault

    def _expectation(self, found: Mapping[str, Any], number: int) -> Expectation:  # Any: untrusted JSON
        where, kinds = f"expectation {number}", [key for key in found if key in KINDS]
        if len(kinds) != 1:
            raise self._unclear(number)
        kind, value, path = KINDS[kinds[0]], found[kinds[0]], found.get("path", "")
        if not isinstance(path, str):
            raise self._misread("path", f"the path of {where} is not a string")
        try:
            steps(path)
            ignore = self._texts(found, "ignore")
            for other in ignore:
                steps(other)
        except Misread:
            raise
        except WorkbenchError as fault:
            raise self._misread("path", f"{where}: {fault.message}", fault.hint) from fault
        if words := _misfit(kind, value):
            raise self._misread(kind.value, f"{where}: {kind.value} takes {words}")
        return Expectation(kind, value, path, ignore)

    def _misread(self, key: str, words: str, hint: str = "") -> Misread:
        at = self._text.find(f'"{key}"')
        line = self._text.count("\n", 0, at) + 1 if at >= 0 else 1
        return Misread(f"{self._file}, line {line}: {words.rstrip('.')}.", hint, line)


def _misfit(kind: Expect, value: object) -> str:
    """Return what this kind of expectation requires, or "" when `value` fits it."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    fits = {
        Expect.OK: (value is True, "true"),
        Expect.SCHEMA: (value is True, "true"),
        Expect.KEPT: (value is True, "true"),
        Expect.EXISTS: (isinstance(value, bool), "true or false"),
        Expect.ERROR: (isinstance(value, str), "a string; an empty string matches every error"),
        Expect.TEXT: (isinstance(value, str), "a string"),
        Expect.MATCHES: (isinstance(value, str) and len(value) <= 1_000, "a regular expression"),
        Expect.TYPE: (value in TYPES if isinstance(value, str) else False, f"one of {', '.join(TYPES)}"),
        Expect.COUNT: (isinstance(value, int) and number, "a whole number"),
        Expect.UNDER_MS: (number, "a number"),
    }
    good, words = fits.get(kind, (True, ""))
    return "" if good else words


def _expectation_as_json(one: Expectation) -> dict[str, JsonValue]:
    parts: dict[str, JsonValue] = {"path": one.path} if one.path else {}
    parts[one.kind.value] = one.value
    return parts | ({"ignore": list(one.ignore)} if one.ignore else {})
