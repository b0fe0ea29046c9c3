"""All settings: their definitions, and reading and writing the files that hold their values."""

from __future__ import annotations

from workbench.settings.definitions import DEFINITIONS, ISOLATION_LEVELS, OLD_NAMES, Definition, Settings, differing
from workbench.settings.files import (
    PROFILES,
    SettingsReading,
    change,
    definition_of,
    explain,
    files_signature,
    project_maximum,
    read,
    remove,
    write,
)

__all__ = [
    "DEFINITIONS",
    "ISOLATION_LEVELS",
    "OLD_NAMES",
    "PROFILES",
    "Definition",
    "Settings",
    "SettingsReading",
    "change",
    "definition_of",
    "differing",
    "explain",
    "files_signature",
    "project_maximum",
    "read",
    "remove",
    "write",
]
