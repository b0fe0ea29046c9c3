"""Tries the detector on lines of JSON, `{"text": …}` or `{"json": …}`: `python -m workbench.privacy < lines`.

Each answer holds the masked form, and for a text also where its values stand: `[start, end, kind]`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator

from workbench.errors import WorkbenchError
from workbench.privacy.detect import detect
from workbench.privacy.vault import Vault
from workbench.records import JsonValue


def answers(lines: Iterable[str]) -> Iterator[dict[str, JsonValue]]:
    """One answer for each line that is not empty, each from a session of its own."""
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
        raise WorkbenchError(f"Line {number} holds neither a text nor a JSON value.", hint)
    return asked


def _answer(asked: dict[str, JsonValue]) -> dict[str, JsonValue]:
    vault = Vault("trial")
    text = asked.get("text")
    if isinstance(text, str):
        spans: list[JsonValue] = [[found.start, found.end, found.kind] for found in detect(text)]
        vault.register(text, "trial")
        return {"spans": spans, "masked": vault.sanitize(text)}
    vault.register(asked["json"], "trial")
    return {"masked": vault.sanitize_json(asked["json"])}


def main() -> None:
    try:
        for answer in answers(sys.stdin):
            print(json.dumps(answer, ensure_ascii=False))
    except WorkbenchError as fault:
        raise SystemExit(str(fault)) from None


if __name__ == "__main__":
    main()
