"""Encrypts the values of one session for storage: AES-GCM, each value by itself, under a key of the session.

That key is wrapped by a master key, which only a keyring or a file protected by a passphrase holds. The session and the
token are authenticated too: a value that was moved, swapped or changed does not open.
"""

from __future__ import annotations

import base64
import json
import os
from typing import Any, Final

_NONCE: Final = 12
KEY: Final = 32  # bytes of a key


class ValueCipher:
    """One session's; `wrapped` is its key as it may be written down."""

    def __init__(self, master: bytes, session: str, wrapped: str = "") -> None:
        """Raises ValueError when what is wrapped is not of this session or under another master key."""
        self._session = session
        if wrapped:
            self._key = _open(master, wrapped, f"key|{session}")
        else:
            self._key = os.urandom(KEY)
        self.wrapped = wrapped or _seal(master, self._key, f"key|{session}")

    def seal(self, about: str, value: Any) -> str:  # Any: JSON
        """`about`: what it belongs to, without which it does not open."""
        return _seal(self._key, json.dumps(value).encode("ascii"), f"{self._session}|{about}")

    def open(self, about: str, sealed: str) -> Any:  # Any: JSON
        """Raises ValueError for what was changed, or belongs elsewhere."""
        return json.loads(_open(self._key, sealed, f"{self._session}|{about}"))


def _seal(key: bytes, data: bytes, about: str) -> str:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE)
    sealed = AESGCM(key).encrypt(nonce, data, about.encode("utf-8", "surrogatepass"))
    return base64.b64encode(nonce + sealed).decode("ascii")


def _open(key: bytes, sealed: str, about: str) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    data = base64.b64decode(sealed, validate=True)
    try:
        return AESGCM(key).decrypt(data[:_NONCE], data[_NONCE:], about.encode("utf-8", "surrogatepass"))
    except InvalidTag:
        raise ValueError("it was changed, or belongs elsewhere") from None
