"""Translates settings of other code-execution systems (`sandbox_mode`, `maxExecutionTime`, …) into ours.

They are read from the top level of `workbench.toml`, from its table `[mcpCodeExecution]`, or from that object in a JSON
file. `settings/files.py` decides which of them are used.
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
class Translation:
    """Values of our settings by name, and notices (message and hint) about what could not be translated."""

    values: dict[str, Any] = field(default_factory=dict)  # Any: of the setting's type
    notices: list[tuple[str, str]] = field(default_factory=list)

    def add_notice(self, message: str, hint: str) -> None:
        self.notices.append((message, hint))


def translate_table(table: dict[str, Any]) -> Translation:  # Any: TOML
    """Translate and remove the other systems' keys at the top level of a settings file and in their own table."""
    result, read = Translation(), dict[str, Any]()
    for name in (name for name in _OBJECTS if name in table):
        inner = table.pop(name)
        if isinstance(inner, Mapping):
            read |= inner
        else:
            result.add_notice(f"{name} is not a table.", "Write it as [mcpCodeExecution], with its keys below.")
    read |= {key: table.pop(key) for key in tuple(table) if _plain(key) in _KEYS and _plain(key) != "enabled"}
    _read_all(result, read)
    return result


def translate_object(found: object) -> Translation:
    """Translate the object `mcpCodeExecution` of a JSON file."""
    result = Translation()
    if not isinstance(found, Mapping):
        result.add_notice(f"{OBJECT} is not an object.", 'Example: {"sandboxMode": "docker"}.')
        return result
    _read_all(result, found)
    return result


def _read_all(result: Translation, read: Mapping[str, Any]) -> None:
    """Translate all settings. The sandbox mode is read after the security level, because it is more specific."""
    known = {_plain(key): (key, value) for key, value in read.items()}
    for key in sorted(known, key=lambda key: list(_KEYS).index(key) if key in _KEYS else -1):
        name, value = known[key]
        if key in _KEYS:
            _KEYS[key](result, str(name), value)
        else:
            near = similar_names(key, _KEYS, 1)
            result.add_notice(
                f"{OBJECT} has no setting {name!r:.60}.",
                f"Did you mean {near[0]}?" if near else f"Its settings are {', '.join(_KEYS)}.",
            )


def _plain(key: object) -> str:
    """Normalize a key: `maxExecutionTime` and `max_execution_time` are the same key."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(key)).lower()


def _enabled(result: Translation, name: str, value: object) -> None:
    if value is False:
        result.values["run.enabled"] = False
    elif value is not True:
        result.add_notice(f"{name} must be true or false, not {value!r:.60}.", "This setting is ignored.")


def _level(result: Translation, name: str, value: object) -> None:
    _choose(result, name, value, _SECURITY)


def _mode(result: Translation, name: str, value: object) -> None:
    _choose(result, name, value, {mode: dict.fromkeys(_LEVELS, level) for mode, level in _MODES.items()})


def _choose(result: Translation, name: str, value: object, choices: Mapping[str, Mapping[str, Any]]) -> None:
    found = choices.get(value.lower()) if isinstance(value, str) else None
    if found is None:
        result.add_notice(f"{name} must be one of {', '.join(choices)}, not {value!r:.60}.", "This setting is ignored.")
    else:
        result.values |= found


def _time(result: Translation, name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= 1e12:
        message = f"{name} must be a number of milliseconds such as 30000, not {value!r:.60}."
        result.add_notice(message, "This setting is ignored.")
        return
    result.values["run.seconds"] = max(1, math.ceil(value / 1000))


def _privacy(result: Translation, name: str, value: object) -> None:
    if isinstance(value, bool):
        result.values["privacy.enabled"] = value
    else:
        result.add_notice(f"{name} must be true or false, not {value!r:.60}.", "Personal data is replaced as before.")


def _audit(result: Translation, name: str, value: object) -> None:
    if value is not True:
        result.add_notice(
            f"{name} = {value!r:.60} has no effect: the audit is always written.", "The audit stays on this machine."
        )


def _limits(result: Translation, name: str, value: object) -> None:
    if not isinstance(value, Mapping):
        result.add_notice(f"{name} must contain memory, cpu or disk.", 'Example: memory = "512MB".')
        return
    for key, limit in value.items():
        place = f"{name}.{key}"
        if key == "memory":
            _set(result, place, "run.memory_mb", _megabytes(limit), limit, '"512MB"')
        elif key == "disk":
            _set(result, place, "run.disk_mb", _megabytes(limit), limit, '"1GB"')
        elif key == "cpu":
            _set(result, place, "run.cpus", _cores(limit), limit, '"1 core"')
        else:
            result.add_notice(f"{name} has no setting {key!r:.60}.", "Its settings are memory, cpu and disk.")


def _set(result: Translation, place: str, setting: str, found: int, given: object, example: str) -> None:
    if found:
        result.values[setting] = found
    else:
        result.add_notice(f"{place} must be a value such as {example}, not {given!r:.60}.", "This setting is ignored.")


def _megabytes(value: object) -> int:
    """The size in megabytes; 0 if it cannot be read."""
    if type(value) is int:
        return max(0, value)
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 40 else None
    return max(1, round(float(match[1]) * _POWERS[(match[2] or "m")[0].lower()])) if match else 0


def _cores(value: object) -> int:
    """The number of processors, rounded up; 0 if it cannot be read."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return math.ceil(value) if 0 < value < 1e6 else 0
    match = _CORES.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 40 else None
    return math.ceil(float(match[1]) / (100 if match[2] == "%" else 1)) if match else 0


_KEYS: Mapping[str, Callable[[Translation, str, object], None]] = {
    "enabled": _enabled,
    "security_level": _level,
    "sandbox_mode": _mode,
    "max_execution_time": _time,
    "pii_tokenization": _privacy,
    "audit_logging": _audit,
    "resource_limits": _limits,
}
