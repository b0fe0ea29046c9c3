"""All settings: their definitions, and reading and writing the files that hold their values."""

from __future__ import annotations

from workbench.settings.definitions import DEFINITIONS, ISOLATION_LEVELS, OLD_NAMES, Definition, Settings
from workbench.settings.files import PROFILES, SettingsReading, change, is_combined, read, write

__all__ = [
    "DEFINITIONS",
    "ISOLATION_LEVELS",
    "OLD_NAMES",
    "PROFILES",
    "Definition",
    "Settings",
    "SettingsReading",
    "change",
    "is_combined",
    "read",
    "write",
]
