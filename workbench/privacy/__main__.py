"""Masks lines of JSON, `{"text": …}` or `{"json": …}`: `python -m workbench.privacy < lines`.

Each answer contains the masked form and the spans of the masked values: `[start, end, kind]` in a text; in a JSON value
`[pointer, start, end, kind]`, where a JSON pointer (RFC 6901) names the string or number. Keys are masked too, but have
no pointer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator

from workbench.errors import WorkbenchError
from workbench.privacy.detectors.kinds import LITERAL
from workbench.privacy.pii_tokens import unmask_with_spans
from workbench.privacy.vault import Vault
from workbench.records import JsonValue


def answers(lines: Iterable[str]) -> Iterator[dict[str, JsonValue]]:
    """One answer for each non-empty line, each from a separate session."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _answer(_read(line, number))


def _read(line: str, number: int) -> dict[str, JsonValue]:
    hint = 'Write {"text": "…"} or {"json": …} on each line.'
    try:
        asked = json.loads(line)
    except ValueError as fault:
        raise WorkbenchError(f"Line {number} is not JSON: {fault}.", hint) from fault
    if not isinstance(asked, dict) or not (isinstance(asked.get("text"), str) or "json" in asked):
        raise WorkbenchError(f"Line {number} contains neither a text nor a JSON value.", hint)
    return asked


def _answer(asked: dict[str, JsonValue]) -> dict[str, JsonValue]:
    vault = Vault("trial")
    text = asked.get("text")
    if isinstance(text, str):
        vault.register(text, "trial")
        masked = vault.sanitize(text)
        return {"spans": [[*span] for span in _spans(masked, vault)], "masked": masked}
    value = asked["json"]
    vault.register(value, "trial")
    clean = vault.sanitize_json(value)
    spans: list[JsonValue] = [[at, *span] for at, leaf in _leaves(clean, value, "") for span in _spans(leaf, vault)]
    return {"spans": spans, "masked": clean}


def _spans(masked: str, vault: Vault) -> list[tuple[int, int, str]]:
    """The spans of the masked values in the original text, with their kinds."""
    _, hidden = unmask_with_spans(masked, vault.restore)
    return [(one.start, one.end, one.kind) for one in hidden if one.kind != LITERAL]


def _leaves(masked: JsonValue, value: JsonValue, pointer: str) -> Iterator[tuple[str, str]]:
    """The masked strings, each with its JSON pointer."""
    if isinstance(masked, dict) and isinstance(value, dict):
        for key, child, was in zip(value, masked.values(), value.values(), strict=True):
            yield from _leaves(child, was, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(masked, list) and isinstance(value, list):
        for at, (child, was) in enumerate(zip(masked, value, strict=True)):
            yield from _leaves(child, was, f"{pointer}/{at}")
    elif isinstance(masked, str):
        yield pointer, masked


def main() -> None:
    try:
        for answer in answers(sys.stdin):
            print(json.dumps(answer, ensure_ascii=False))
    except WorkbenchError as fault:
        raise SystemExit(str(fault)) from None


if __name__ == "__main__":
    main()
