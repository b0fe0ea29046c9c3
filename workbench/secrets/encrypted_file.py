"""Stores secrets in a file encrypted with a passphrase (scrypt, ChaCha20-Poly1305).

Half of scrypt's output is the key. The other half is a check value, which distinguishes a wrong passphrase from a
modified file.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file

COST = 1 << 17  # scrypt's n: 128 MB and about half a second for each guess
_R, _P = 8, 1
_DEAREST = 1 << 20  # upper limit for n: the Workbench writes no file with a larger one
_FORMAT = 1
_LEAST = 8  # shortest passphrase in characters


class EncryptedFile:
    """A decrypted file of secrets."""

    kind = "file"

    def __init__(self, file: Path, key: bytes, head: Mapping[str, Any], values: dict[str, str]) -> None:
        self._file = file
        self._key = key
        self._head = head
        self._values = values

    def names(self) -> tuple[str, ...]:
        return tuple(self._values)

    def get_secret(self, name: str) -> str | None:
        return self._values.get(name)

    def set_secret(self, name: str, value: str) -> None:
        self._write(self._values | {name: value})

    def delete_secret(self, name: str) -> None:
        self._write({known: value for known, value in self._values.items() if known != name})

    def _write(self, values: dict[str, str]) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        nonce = os.urandom(12)
        sealed = ChaCha20Poly1305(self._key).encrypt(
            nonce, json.dumps(values).encode("ascii"), _authenticated_head(self._head)
        )
        whole = {**self._head, "nonce": _text(nonce), "sealed": _text(sealed)}
        write_file(self._file, json.dumps(whole).encode("ascii"))
        self._values = values


def create(file: Path, passphrase: str, values: Mapping[str, str], cost: int = COST) -> EncryptedFile:
    """Create a file with these secrets. Blocks: call it on a thread."""
    if len(passphrase) < _LEAST:
        raise WorkbenchError(
            f"The passphrase needs at least {_LEAST} characters.", "Several words are easy to remember."
        )
    salt = os.urandom(16)
    key, check = _derive(passphrase, salt, cost)
    head = {"format": _FORMAT, "kdf": "scrypt", "n": cost, "r": _R, "p": _P, "salt": _text(salt), "check": _text(check)}
    made = EncryptedFile(file, key, head, {})
    made._write(dict(values))
    return made


def unlock(file: Path, passphrase: str) -> EncryptedFile:
    """Decrypt a file. Raises if the passphrase is wrong or the file was modified. Blocks: call it on a thread."""
    head, nonce, sealed = _read(file)
    key, check = _derive(passphrase, base64.b64decode(head["salt"]), head["n"])
    if not hmac.compare_digest(check, base64.b64decode(head["check"])):
        raise WorkbenchError(
            "The passphrase is wrong.", f"If you have forgotten it, delete {file}. The secrets in it are then lost."
        )
    return EncryptedFile(file, key, head, _open(file, key, head, nonce, sealed))


def _open(file: Path, key: bytes, head: Mapping[str, Any], nonce: bytes, sealed: bytes) -> dict[str, str]:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    try:
        found = json.loads(ChaCha20Poly1305(key).decrypt(nonce, sealed, _authenticated_head(head)))
    except (InvalidTag, ValueError) as fault:
        raise _damaged_file_error(file, "it was changed or damaged after it was written") from fault
    return {str(name): str(value) for name, value in found.items()}


def _read(file: Path) -> tuple[dict[str, Any], bytes, bytes]:
    try:
        whole = json.loads(read_plain(file))
        nonce, sealed = base64.b64decode(whole.pop("nonce")), base64.b64decode(whole.pop("sealed"))
        parts = [base64.b64decode(whole[name]) for name in ("salt", "check")]
        fits = (whole["format"], whole["kdf"], whole["r"], whole["p"]) == (_FORMAT, "scrypt", _R, _P)
        cost = whole["n"]
    except OSError as fault:
        raise WorkbenchError(f"{file.name} cannot be read: {fault.strerror}.", f"Check {file}.") from fault
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise _damaged_file_error(file, "its format is not valid") from fault
    usable = type(cost) is int and 2 <= cost <= _DEAREST and cost & (cost - 1) == 0
    if not (fits and usable and len(nonce) == 12 and all(parts)):
        raise _damaged_file_error(file, "its format is not valid")
    return whole, nonce, sealed


def _derive(passphrase: str, salt: bytes, cost: int) -> tuple[bytes, bytes]:
    """Derive the key and the check value of the passphrase."""
    memory = 128 * _R * cost + (1 << 20)
    made = hashlib.scrypt(passphrase.encode(), salt=salt, n=cost, r=_R, p=_P, maxmem=memory, dklen=64)
    return made[:32], hashlib.sha256(made[32:]).digest()


def _authenticated_head(head: Mapping[str, Any]) -> bytes:
    return json.dumps(dict(head), sort_keys=True).encode("ascii")


def _damaged_file_error(file: Path, why: str) -> WorkbenchError:
    return WorkbenchError(
        f"The file of secrets cannot be opened: {why}.", f"Restore {file} from a backup, or delete it."
    )


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
