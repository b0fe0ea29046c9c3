"""Stores the results of a sign-in in the keyring: tokens, the registered client, and where to renew them.

They are bound to the server's URL: an entry of the same name with a different URL gets nothing.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any, Protocol

from workbench.secrets.secret_masking import SecretMasks
from workbench.secrets.secret_references import SIGN_IN

_SECRET_KEYS = ("access_token", "refresh_token", "client_secret", "id_token", "registration_access_token")


class TokenSecretStore(Protocol):
    """The secret store. Its methods block."""

    masks: SecretMasks

    def known_names(self) -> tuple[str, ...]: ...

    def get_secret(self, name: str) -> str | None: ...

    def set_secret(self, name: str, value: str) -> None: ...

    def delete_secret(self, name: str) -> None: ...


def name_of(server: str) -> str:
    """Return the name of a server's sign-in in the secret store."""
    return SIGN_IN + server.replace("{", "(").replace("}", ")")[:180]


class StoredSignIn:
    """Stored values of one server's sign-in, as JSON objects that the SDK's models read and write."""

    def __init__(
        self, secret_store: TokenSecretStore, server: str, url: str, changed: Callable[[], None] = lambda: None
    ) -> None:
        self._secret_store = secret_store
        self._name = name_of(server)
        self._url = url
        self._changed = changed
        self._facts: dict[str, Any] | None = None  # Any: JSON
        self._turn = asyncio.Lock()  # one reader or writer of the secret store at a time

    async def facts(self) -> dict[str, Any]:
        """Return the stored `tokens`, `expires`, `client`, `resource` and `metadata`; unknown values are missing."""
        if self._facts is None:
            async with self._turn:
                # Checked again under the lock: a late reader would restore a token that was renewed in the meantime.
                if self._facts is None:
                    self._facts = await asyncio.to_thread(self._read)
        return self._facts

    async def keep(self, **facts: Any) -> None:
        """Update stored values; None deletes one."""
        await self.facts()
        async with self._turn:
            known = {**(self._facts or {}), **facts, "url": self._url}
            self._facts = {key: value for key, value in known.items() if value is not None}
            self._hide(self._facts)
            await asyncio.to_thread(self._secret_store.set_secret, self._name, json.dumps(self._facts))
        self._changed()

    async def keep_tokens(self, tokens: dict[str, Any]) -> None:
        seconds = tokens.get("expires_in")
        expires = time.time() + seconds if isinstance(seconds, (int, float)) else None
        await self.keep(tokens=tokens, expires=expires)

    async def keep_metadata(self, context: Any) -> None:  # Any: the SDK's OAuthContext
        """Store the discovered metadata: a later process needs it to renew or revoke the token."""
        parts = {"resource": context.protected_resource_metadata, "metadata": context.oauth_metadata}
        found = {key: part.model_dump(mode="json", exclude_none=True) if part else None for key, part in parts.items()}
        known = await self.facts()
        if any(known.get(key) != part for key, part in found.items()):
            await self.keep(**found)

    async def forget(self) -> None:
        """Delete everything, including the registration."""
        async with self._turn:
            self._facts = {}
            await asyncio.to_thread(self._secret_store.delete_secret, self._name)
        self._changed()

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self._secret_store.get_secret(self._name) or "{}")
        except ValueError:
            return {}
        if not isinstance(found, dict) or found.get("url") != self._url:
            return {}
        self._hide(found)
        return found

    def _hide(self, facts: dict[str, Any]) -> None:
        for part in ("tokens", "client"):
            inner = facts.get(part)
            for key in _SECRET_KEYS:
                if isinstance(inner, dict) and isinstance(inner.get(key), str):
                    self._secret_store.masks.add_secret(inner[key])
