"""Settings with the value in force and where it comes from."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from workbench.records.common_types import JsonValue


class SettingSource(StrEnum):
    """Where the value of a setting comes from."""

    DEFAULT = "default"
    PROJECT = "project"
    USER = "user"
    BOTH = "both"  # a list whose entries of project and user are joined


class SettingValue(Struct, frozen=True):
    """One setting. `workbench.settings.DEFINITIONS` describes it."""

    name: str
    value: JsonValue  # in force
    source: SettingSource = SettingSource.DEFAULT
    file: str = ""  # name of the file that the value comes from
    user: JsonValue = None  # what the user's file says; None: nothing
    project: JsonValue = None  # what the project's `workbench.toml` says; None: nothing
    notice: str = ""  # why what a file says is not used
