"""The review page for a phone: devices that are paired with it, and how to pair one."""

from __future__ import annotations

from msgspec import Struct


class ReviewDevice(Struct, frozen=True):
    """A phone or browser that may answer approval requests. It proves each answer with a key that never leaves it."""

    id: str
    name: str  # as the user named it when it was paired
    public_key: str  # P-256, uncompressed point, base64
    paired: float
    used: float = 0.0  # its last answer or look


class ReviewPageState(Struct, frozen=True):
    """Whether the review page is open, and the devices that may use it."""

    url: str = ""  # where the page is reached; empty: it is closed
    devices: tuple[ReviewDevice, ...] = ()
    fault: str = ""  # why it could not be opened


class PairingOffer(Struct, frozen=True):
    """A code with which one device can be paired once, until it expires."""

    url: str  # the page's address with the code
    code: str
    expires: float
