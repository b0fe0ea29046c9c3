"""A file that says what each token of masked texts stands for, readable by the user only."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.privacy.detectors.json_fields import rebuild
from workbench.privacy.pii_tokens import LOOKALIKE, normalize_token
from workbench.records import JsonValue

_TOKENS = "tokens"
_LARGEST = 500_000_000  # bytes


class TokenMap:
    """Tokens and their values."""

    def __init__(self, values: Mapping[str, JsonValue] | None = None) -> None:
        self._values: dict[str, JsonValue] = {}
        self._by_name: dict[str, JsonValue] = {}
        self.unknown: set[str] = set()  # tokens that `restore` met and that are not in the map
        self.add(values or {})

    def add(self, values: Mapping[str, JsonValue]) -> None:
        self._values.update(values)
        self._by_name.update((normalize_token(token), value) for token, value in values.items())

    def write(self, path: Path) -> None:
        """Write the map for the user only."""
        content = json.dumps({_TOKENS: self._values}, indent=1)
        write_file(path, content + "\n", mode=0o600, name=f"the token map {path}", hint="Choose a different file.")

    def restore(self, value: JsonValue) -> JsonValue:
        """A text or JSON value with values in place of tokens. Unknown tokens stay."""
        if isinstance(value, str):
            return self._restore_text(value)
        return rebuild(value, lambda leaf, _: self._restore_leaf(leaf))

    def _restore_leaf(self, leaf: JsonValue) -> JsonValue:
        if not isinstance(leaf, str):
            return leaf
        whole = self._by_name.get(normalize_token(leaf)) if LOOKALIKE.fullmatch(leaf) else None
        return whole if isinstance(whole, int | float) else self._restore_text(leaf)

    def _restore_text(self, text: str) -> str:
        return LOOKALIKE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        value = self._by_name.get(normalize_token(match.group()))
        if value is None:
            self.unknown.add(match.group())
            return match.group()
        return str(value)


def read_token_map(path: Path) -> TokenMap:
    """Read the map that `--map` wrote."""
    hint = "Name a file that `mcp-workbench sanitize --map FILE` wrote."
    try:
        if path.stat().st_size > _LARGEST:
            raise WorkbenchError(f"{path} is too large for a token map.", hint)
        found = json.loads(path.read_bytes())
    except OSError as fault:
        raise WorkbenchError(f"The token map {path} cannot be read: {fault.strerror}.", hint) from fault
    except (ValueError, RecursionError) as fault:
        raise WorkbenchError(f"{path} is not a token map.", hint) from fault
    tokens = found.get(_TOKENS) if isinstance(found, dict) else None
    if not isinstance(tokens, dict) or not all(isinstance(value, str | int | float) for value in tokens.values()):
        raise WorkbenchError(f"{path} is not a token map.", hint)
    return TokenMap(tokens)
