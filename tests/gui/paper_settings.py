"""The paper project's settings: real files in a folder of their own, read and written as the core does it."""

from __future__ import annotations

import functools
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from workbench.events import SettingsChanged
from workbench.records import SettingValue
from workbench.settings import Settings, change, definition_of, explain, read, remove, write


class PaperSettings:
    """A test may edit the files and call `settings_edited`."""

    bus: Any
    note: Any
    current_settings: Settings

    @functools.cached_property
    def settings_files(self) -> tuple[Path, Path]:
        """The project's and the user's."""
        folder = Path(tempfile.mkdtemp(prefix="paper-settings-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder / "workbench.toml", folder / "settings.toml"

    async def setting_values(self) -> tuple[SettingValue, ...]:
        return explain(*self.settings_files, self.current_settings)

    async def change_setting(self, name: str, value: Any, scope: str = "user") -> Settings:
        self.note("change_setting", name, value, *((scope,) if scope != "user" else ()))
        change(self.current_settings, name, value)
        write(self.settings_files[scope == "user"], name, value)
        return self._apply(name)

    async def reset_setting(self, name: str, scope: str = "user") -> Settings:
        self.note("reset_setting", name, scope)
        remove(self.settings_files[scope == "user"], name)
        return self._apply(name)

    def settings_edited(self) -> None:
        self.current_settings = read(*self.settings_files).settings
        self.bus.tell(SettingsChanged(()))

    def _apply(self, name: str) -> Settings:
        field = definition_of(name).field
        value = getattr(read(*self.settings_files).settings, field)
        self.current_settings = replace(self.current_settings, **{field: value})
        self.bus.tell(SettingsChanged((name,)))
        return self.current_settings
