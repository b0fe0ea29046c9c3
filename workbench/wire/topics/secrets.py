"""What a person asks of secrets. Values go in, they never come out."""

from __future__ import annotations

from typing import Protocol

from workbench.records import SecretStore, ServerState


class SecretQuestions(Protocol):
    """Secrets and the place where they are kept."""

    async def secrets(self) -> SecretStore:
        """What is known without opening anything: a locked keyring must not ask because a window was opened."""

    async def open_secrets(self) -> SecretStore:
        """Open the place where secrets are kept; where there was no keyring, look for it once more."""

    async def put_secret(self, name: str, value: str) -> SecretStore: ...

    async def drop_secret(self, name: str) -> SecretStore: ...

    async def move_secrets(self, server: str) -> ServerState:
        """Keep the secrets that stand in a server's entry as they are, and refer to them there instead."""

    async def unlock_secrets(self, passphrase: str) -> SecretStore:
        """Open the encrypted file; where there is none and no keyring either, make one."""
