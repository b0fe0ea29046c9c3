"""Suggests expectations for a saved call from one answer: properties that later answers will probably have too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from workbench.calls.json_paths import Step, format_path
from workbench.errors import WorkbenchError
from workbench.recordings.comparison import answer_text, answer_value
from workbench.records import Expect, Expectation, JsonValue, Outcome

MOST = 12  # keys of an answer that become expectations of their own
WORDS = 60  # characters of a text that is expected again
LARGEST = 256_000  # characters of an answer that is kept in a file
VOLATILE = (
    re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?"),  # dates and times
    re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE),
    re.compile(r"[0-9a-f]{16,}", re.IGNORECASE),  # hashes, opaque ids
)
VOLATILE_KEYS = re.compile(
    r"(^|_)(at|time|timestamp|date|now|ms|duration|elapsed|uptime|nonce|etag|request_?id)$", re.I
)


def suggest_expectations(outcome: Outcome, *, has_schema: bool) -> tuple[Expectation, ...]:
    """Suggest expectations for an answer without knowing what the tool does."""
    if not outcome.ok:
        message = outcome.fault.message if outcome.fault else ""
        return (Expectation(Expect.ERROR, _stable(message)),)
    found = [Expectation(Expect.OK)]
    if has_schema and not outcome.schema_fault:
        found.append(Expectation(Expect.SCHEMA))
    value = answer_value(outcome)
    if isinstance(value, dict | list):
        return (*found, *_of_structure(value))
    text = _stable(answer_text(outcome))
    return (*found, Expectation(Expect.TEXT, text)) if text else tuple(found)


def keep_answer(outcome: Outcome) -> tuple[JsonValue, Expectation]:
    """The answer to store in the file, and the expectation of an equal answer, except values that change with time."""
    value = answer_value(outcome)
    size = len(json.dumps(value, ensure_ascii=False))
    if size > LARGEST:
        raise WorkbenchError(
            f"This answer has {size:,} characters, which is too long for a file.",
            "Add expectations for single values instead.",
        )
    ignored = dict.fromkeys(format_path(path) for path in _volatile(value, ()))
    return value, Expectation(Expect.KEPT, ignore=tuple(ignored))


def _of_structure(value: JsonValue) -> Iterator[Expectation]:
    if isinstance(value, list):
        yield Expectation(Expect.TYPE, "array")
        if value:
            yield Expectation(Expect.COUNT, 1)
        return
    for key, inner in list(value.items())[:MOST]:
        path = format_path((key,))
        if isinstance(inner, list) and inner:
            yield Expectation(Expect.COUNT, 1, path)
        elif inner is None:
            yield Expectation(Expect.EXISTS, True, path)
        else:
            yield Expectation(Expect.TYPE, _kind(inner), path)


def _kind(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "boolean"
    kinds: list[tuple[type, str]] = [
        (str, "string"), (int, "number"), (float, "number"), (list, "array"), (dict, "object"),
    ]  # fmt: skip
    return next((word for kind, word in kinds if isinstance(value, kind)), "null")


def _stable(text: str) -> str:
    """The longest part of the first line without digits, because digits are what usually changes."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    stretches = [part.strip() for part in re.split(r"\S*\d\S*", line[:1_000])]
    return max(stretches, key=len, default="")[:WORDS].strip()


def _volatile(value: JsonValue, at: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Paths to values that probably change with each call. None as an index means all items of a list."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if VOLATILE_KEYS.search(key) and not isinstance(inner, dict | list):
                yield (*at, key)
            else:
                yield from _volatile(inner, (*at, key))
    elif isinstance(value, list):
        for inner in value:
            yield from _volatile(inner, (*at, None))
    elif isinstance(value, str) and at and any(pattern.fullmatch(value) for pattern in VOLATILE):
        yield at
