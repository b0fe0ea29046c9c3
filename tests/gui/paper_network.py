"""The paper project's answers about the places outside: the real rules over files of a folder of their own."""

from __future__ import annotations

import functools
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

from workbench.events import NetworkChanged
from workbench.network.network_access import Network
from workbench.records import NetworkRules
from workbench.settings import Settings


class PaperNetwork:
    """Nothing is connected; rules are read and written as the core does it."""

    bus: Any

    @functools.cached_property
    def network_files(self) -> tuple[Path, Path, Path]:
        """The project's, the person's, and what was accepted."""
        folder = Path(tempfile.mkdtemp(prefix="paper-network-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder / "workbench.toml", folder / "settings.toml", folder / "network.json"

    @functools.cached_property
    def rooms_network(self) -> Network:
        return Network(*self.network_files, Settings)

    async def network(self) -> NetworkRules:
        return self.rooms_network.rules()

    async def add_host(self, domain: str, ports: tuple[int, ...], protocols: tuple[str, ...]) -> NetworkRules:
        self.rooms_network.add(domain, ports, protocols)
        return self.network_changed()

    async def remove_host(self, sha: str) -> NetworkRules:
        self.rooms_network.remove(sha)
        return self.network_changed()

    async def accept_host(self, sha: str) -> NetworkRules:
        self.rooms_network.accept(sha)
        return self.network_changed()

    async def withdraw_host(self, sha: str) -> NetworkRules:
        self.rooms_network.withdraw(sha)
        return self.network_changed()

    def network_changed(self) -> NetworkRules:
        """Tell everybody; a test calls it after it changed a file."""
        rules = self.rooms_network.rules()
        self.bus.tell(NetworkChanged(rules))
        return rules
