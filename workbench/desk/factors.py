"""How many tokens other families of models count for each one that is shown.

Claude's tokenizer is not published. Where ctok is installed (the extra `tokens`, Python 3.12 or newer), which rebuilds
its counts, the factor is measured on definitions of this very catalogue; else it is what was measured elsewhere once.
ctok reads 0.1 to 0.6 MB a second, so it reads a sample, on a thread, when somebody asks for the report, and each once.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.records import ModelFactor
from workbench.tokens import count

# Beside o200k, over tool definitions, code, prose and tool results.
_ESTIMATED = (ModelFactor("Claude 3 to 4.6", 1.13, 1.24), ModelFactor("Claude 4.7 and later", 1.5, 1.65))
_VERSIONS = ("3.0", "4.8")  # of ctok, for each of them
_SAMPLE = 24_000  # characters read
_LONGEST = 3_000  # of one definition: more of them say more than a long one
_measured: dict[str, tuple[ModelFactor, ...]] = {}  # by the hash of the sample; only the last is kept

Definition = Mapping[str, Any]  # Any: foreign JSON


def factors(definitions: Sequence[Definition]) -> tuple[ModelFactor, ...]:
    """Takes up to half a second where it measures."""
    read = _reader()
    sample = _sampled(definitions) if read is not None else []
    if read is None or not sample:
        return _ESTIMATED
    key = hashlib.sha256("\0".join(sample).encode("utf-8", "replace")).hexdigest()
    if key not in _measured:
        found = tuple(_factor(one.models, sample, read, at) for one, at in zip(_ESTIMATED, _VERSIONS, strict=True))
        _measured.clear()
        _measured[key] = found
    return _measured[key]


def _reader() -> Callable[[str, str], int] | None:
    try:
        found: Callable[[str, str], int] = importlib.import_module("ctok").token_count
    except (ImportError, SyntaxError):  # it is written for newer Pythons
        return None
    return found


def _sampled(definitions: Sequence[Definition]) -> list[str]:
    """Evenly from the whole list."""
    step = max(1, len(definitions) * _LONGEST // (4 * _SAMPLE))
    texts = (json.dumps(dict(one), ensure_ascii=False, default=str)[:_LONGEST] for one in definitions[::step])
    found: list[str] = []
    for text in texts:
        if sum(map(len, found)) > _SAMPLE:
            break
        found.append(text)
    return found


def _factor(models: str, sample: Sequence[str], read: Callable[[str, str], int], version: str) -> ModelFactor:
    """ctok counts a frame around each message, too; that of an empty one is taken off."""
    frame = read("", version)
    share = sum(read(text, version) - frame for text in sample) / max(1, sum(map(count, sample)))
    return ModelFactor(models, round(share, 2), round(share, 2), measured=True)
