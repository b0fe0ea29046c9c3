"""Devices that may answer approval requests on the review page, and the pairing of a new one.

A device makes its key pair itself and sends the public key together with a pairing code that the user reads from the
window or the terminal. The code works once, for a few minutes, and only for a few attempts.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import logging
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.files import read_plain, typed_entries, write_file
from workbench.records import ReviewDevice

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

log = logging.getLogger(__name__)

PAIRING_SECONDS: Final = 300.0  # how long a pairing code works
ATTEMPTS: Final = 5  # wrong codes, after which the pairing is closed
MOST_DEVICES: Final = 20
LONGEST_NAME: Final = 60  # characters
_ALPHABET: Final = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # no letters or digits that look alike
_CODE_LETTERS: Final = 10
_POINT: Final = 65  # bytes of an uncompressed P-256 point
_SIGNATURE: Final = 64  # bytes of r and s, as browsers make them


class PairedDevices:
    """The devices of one project, in a file that only the user can read."""

    def __init__(self, file: Path, clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._clock = clock
        self._devices = {device.id: device for device in self._read()}
        self._code, self._expires, self._attempts = "", 0.0, 0

    def all(self) -> tuple[ReviewDevice, ...]:
        """The devices, the one that was paired last first."""
        return tuple(sorted(self._devices.values(), key=lambda device: -device.paired))

    def get(self, device_id: str) -> ReviewDevice | None:
        return self._devices.get(device_id)

    def offer_pairing(self) -> tuple[str, float]:
        """Return a new pairing code and when it expires; an earlier code no longer works."""
        if len(self._devices) >= MOST_DEVICES:
            raise WorkbenchError(f"{MOST_DEVICES} devices are already paired.", "Revoke one that you no longer use.")
        self._code = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_LETTERS))
        self._expires, self._attempts = self._clock() + PAIRING_SECONDS, ATTEMPTS
        return self._code, self._expires

    def pair(self, code: str, name: str, public_key: str) -> ReviewDevice:
        """Add a device that knows the pairing code."""
        if not self._code or self._clock() > self._expires:
            raise WorkbenchError("No pairing is open.", "Start it again: `mcp-workbench phone pair`.")
        given = "".join(code.split()).upper().encode("utf-8", "replace")
        if not hmac.compare_digest(given, self._code.encode()):
            self._attempts -= 1
            if self._attempts <= 0:
                self._code = ""
            raise WorkbenchError("The pairing code is wrong.", "Type it as the window or the terminal shows it.")
        shown = " ".join("".join(mark if mark.isprintable() else " " for mark in name).split())[:LONGEST_NAME]
        now = self._clock()
        device = ReviewDevice(secrets.token_hex(8), shown or "a phone", _checked_key(public_key), now, now)
        self._code = ""
        self._devices[device.id] = device
        self._write()
        return device

    def revoke(self, device_id: str) -> ReviewDevice:
        """Remove a device; its signatures are refused from now on."""
        device = self._devices.pop(device_id, None)
        if device is None:
            raise WorkbenchError("There is no such device.", "List them: `mcp-workbench phone list`.")
        self._write()
        return device

    def note_use(self, device_id: str) -> None:
        """Remember in memory that a device was used; it is written with the next change."""
        if device_id in self._devices:
            self._devices[device_id] = replace(self._devices[device_id], used=self._clock())

    def _read(self) -> list[ReviewDevice]:
        try:
            return typed_entries(json.loads(read_plain(self._file)), ReviewDevice, str(self._file))
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as fault:
            log.warning("the paired devices cannot be read, so none may answer: %s", fault)
            return []

    def _write(self) -> None:
        write_file(self._file, msgspec.json.encode(self.all()), name="The list of paired devices")


def is_signed_by(device: ReviewDevice, text: str, signature: str) -> bool:
    """Whether this text was signed with the key of the device (ECDSA P-256, SHA-256, r and s as base64)."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    try:
        raw = base64.b64decode(signature, validate=True)
        if len(raw) != _SIGNATURE:
            return False
        half = _SIGNATURE // 2
        pair = encode_dss_signature(int.from_bytes(raw[:half], "big"), int.from_bytes(raw[half:], "big"))
        _public_key(device.public_key).verify(pair, text.encode(), ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return True


def _public_key(encoded: str) -> ec.EllipticCurvePublicKey:
    from cryptography.hazmat.primitives.asymmetric import ec

    raw = base64.b64decode(encoded, validate=True)
    if len(raw) != _POINT:
        raise ValueError("it is no P-256 point")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw)


def _checked_key(encoded: str) -> str:
    try:
        _public_key(encoded)
    except (ValueError, binascii.Error) as fault:
        raise WorkbenchError("The device's key is not valid.", "Use a current browser.") from fault
    return encoded
