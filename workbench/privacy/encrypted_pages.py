"""Temporary file of encrypted pages. Its key exists in memory only, and the file has no name, so nothing can be read
after the core has ended."""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from typing import Final

_NONCE: Final = 12


class EncryptedPages:
    """Pages by number, encrypted with AES-GCM."""

    def __init__(self) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._cipher = AESGCM(AESGCM.generate_key(256))
        self._file = tempfile.TemporaryFile(prefix="mcp-workbench-", buffering=0)  # noqa: SIM115 - closed by the next line
        weakref.finalize(self, self._file.close)
        self._places: dict[int, tuple[int, int]] = {}

    def append(self, number: int, data: bytes) -> None:
        """Write a page; raises OSError if the disk is full."""
        sealed = self._cipher.encrypt(number.to_bytes(_NONCE, "big"), data, None)
        at = self._file.seek(0, os.SEEK_END)
        if self._file.write(sealed) < len(sealed):  # unbuffered: what fits is written without an error
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._places[number] = at, len(sealed)

    def read(self, number: int) -> bytes:
        """The page; raises an error if the file was changed."""
        at, size = self._places[number]
        return self._cipher.decrypt(number.to_bytes(_NONCE, "big"), os.pread(self._file.fileno(), size, at), None)
