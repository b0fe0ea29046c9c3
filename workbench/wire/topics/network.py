"""What a person asks of the places outside that programs may reach."""

from __future__ import annotations

from typing import Protocol

from workbench.records import NetworkRules


class NetworkQuestions(Protocol):
    """Rules; what was reached stands in the audit, as `net.` entries."""

    async def network(self) -> NetworkRules: ...

    async def add_host(self, domain: str, ports: tuple[int, ...], protocols: tuple[str, ...]) -> NetworkRules:
        """A rule of the person's own; without ports, those where the protocols are at home."""

    async def remove_host(self, sha: str) -> NetworkRules: ...

    async def accept_host(self, sha: str) -> NetworkRules:
        """Let count what the bench offers, exactly as it stands there now."""

    async def withdraw_host(self, sha: str) -> NetworkRules: ...
