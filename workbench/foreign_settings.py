"""The words in which other code-execution systems are configured, in ours: `sandbox_mode`, `maxExecutionTime`, more.

Taken at the top of `workbench.toml`, in a table `[mcpCodeExecution]` there, or from that object in a JSON file. This
file knows words only; `settings` decides whose word counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.similar_names import similar_names

OBJECT = "mcpCodeExecution"
_OBJECTS = (OBJECT, "mcp_code_execution")
_LEVELS = ("isolation.low", "isolation.medium", "isolation.high", "isolation.critical")
_MODES = {"process": "process", "docker": "container", "podman": "container", "container": "container", "vm": "vm"}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(kb|kib|mb|mib|gb|gib|tb|tib|k|m|g|t|b)?", re.IGNORECASE)
_CORES = re.compile(r"(\d+(?:\.\d+)?)\s*(cores?|cpus?|%)?", re.IGNORECASE)
_POWERS = {"b": 1e-6, "k": 1e-3, "m": 1.0, "g": 1e3, "t": 1e6}


def _security(low: bool, mild: bool, medium: bool, *levels: str) -> dict[str, Any]:  # Any: settings of both types
    automatic = {"approval.auto_low": low, "approval.auto_mild": mild, "approval.auto_medium": medium}
    return automatic | dict(zip(_LEVELS, levels, strict=True))


_SECURITY = {
    "low": _security(True, True, True, "process", "process", "process", "process"),
    "moderate": _security(True, True, False, "process", "process", "process", "container"),
    "medium": _security(True, True, False, "process", "container", "container", "vm"),
    "high": _security(True, False, False, "process", "container", "container", "vm"),
    "critical": _security(False, False, False, "vm", "vm", "vm", "vm"),
    "maximum": _security(False, False, False, "vm", "vm", "vm", "vm"),
}


@dataclass(slots=True)
class Words:
    """Our settings by their dotted names, and what could not be said in them: a sentence and a hint each."""

    values: dict[str, Any] = field(default_factory=dict)  # Any: of the setting's type
    notices: list[tuple[str, str]] = field(default_factory=list)

    def tell(self, message: str, hint: str) -> None:
        self.notices.append((message, hint))


def taken_out(table: dict[str, Any]) -> Words:  # Any: what stands in a file
    """Read these words from the top of a settings file and from their own table there, and remove them from it."""
    words, read = Words(), dict[str, Any]()
    for name in (name for name in _OBJECTS if name in table):
        inner = table.pop(name)
        if isinstance(inner, Mapping):
            read |= inner
        else:
            words.tell(f"{name} is no table.", "Write its keys below it.")
    read |= {key: table.pop(key) for key in tuple(table) if _plain(key) in _KEYS and _plain(key) != "enabled"}
    _read_all(words, read)
    return words


def of_object(found: object) -> Words:
    """Read the object `mcpCodeExecution` of a JSON file."""
    words = Words()
    if not isinstance(found, Mapping):
        words.tell(f"{OBJECT} is no object.", 'It looks like {"sandboxMode": "docker"}.')
        return words
    _read_all(words, found)
    return words


def _read_all(words: Words, read: Mapping[str, Any]) -> None:
    """The mode after the level, because it is the more exact word."""
    known = {_plain(key): (key, value) for key, value in read.items()}
    for key in sorted(known, key=lambda key: list(_KEYS).index(key) if key in _KEYS else -1):
        name, value = known[key]
        if key in _KEYS:
            _KEYS[key](words, str(name), value)
        else:
            near = similar_names(key, _KEYS, 1)
            words.tell(
                f"{OBJECT} knows no {name!r:.60}.",
                f"Did you mean {near[0]}?" if near else f"It knows {', '.join(_KEYS)}.",
            )


def _plain(key: object) -> str:
    """`maxExecutionTime` and `max_execution_time` are one word."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(key)).lower()


def _enabled(words: Words, name: str, value: object) -> None:
    if value is False:
        words.values["run.enabled"] = False
    elif value is not True:
        words.tell(f"{name} takes true or false, not {value!r:.60}.", "It is left out.")


def _level(words: Words, name: str, value: object) -> None:
    _choose(words, name, value, _SECURITY)


def _mode(words: Words, name: str, value: object) -> None:
    _choose(words, name, value, {mode: dict.fromkeys(_LEVELS, level) for mode, level in _MODES.items()})


def _choose(words: Words, name: str, value: object, choices: Mapping[str, Mapping[str, Any]]) -> None:
    found = choices.get(value.lower()) if isinstance(value, str) else None
    if found is None:
        words.tell(f"{name} takes one of {', '.join(choices)}, not {value!r:.60}.", "It is left out.")
    else:
        words.values |= found


def _time(words: Words, name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= 1e12:
        words.tell(f"{name} takes milliseconds, such as 30000, not {value!r:.60}.", "It is left out.")
        return
    words.values["run.seconds"] = max(1, math.ceil(value / 1000))


def _privacy(words: Words, name: str, value: object) -> None:
    if isinstance(value, bool):
        words.values["privacy.enabled"] = value
    else:
        words.tell(f"{name} takes true or false, not {value!r:.60}.", "Personal data is replaced as before.")


def _audit(words: Words, name: str, value: object) -> None:
    if value is not True:
        words.tell(f"{name} = {value!r:.60} is not obeyed: the audit is always written.", "It stays on this machine.")


def _limits(words: Words, name: str, value: object) -> None:
    if not isinstance(value, Mapping):
        words.tell(f"{name} holds memory, cpu and disk.", 'Such as memory = "512MB".')
        return
    for key, limit in value.items():
        place = f"{name}.{key}"
        if key == "memory":
            _set(words, place, "run.memory_mb", _megabytes(limit), limit, '"512MB"')
        elif key == "disk":
            _set(words, place, "run.disk_mb", _megabytes(limit), limit, '"1GB"')
        elif key == "cpu":
            _set(words, place, "run.cpus", _cores(limit), limit, '"1 core"')
        else:
            words.tell(f"{name} knows no {key!r:.60}.", "It knows memory, cpu and disk.")


def _set(words: Words, place: str, setting: str, found: int, given: object, example: str) -> None:
    if found:
        words.values[setting] = found
    else:
        words.tell(f"{place} takes a size such as {example}, not {given!r:.60}.", "It is left out.")


def _megabytes(value: object) -> int:
    """0: nobody can say."""
    if type(value) is int:
        return max(0, value)
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 40 else None
    return max(1, round(float(match[1]) * _POWERS[(match[2] or "m")[0].lower()])) if match else 0


def _cores(value: object) -> int:
    """Whole processors; a part of one is one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return math.ceil(value) if 0 < value < 1e6 else 0
    match = _CORES.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 40 else None
    return math.ceil(float(match[1]) / (100 if match[2] == "%" else 1)) if match else 0


_KEYS: Mapping[str, Callable[[Words, str, object], None]] = {
    "enabled": _enabled,
    "security_level": _level,
    "sandbox_mode": _mode,
    "max_execution_time": _time,
    "pii_tokenization": _privacy,
    "audit_logging": _audit,
    "resource_limits": _limits,
}
