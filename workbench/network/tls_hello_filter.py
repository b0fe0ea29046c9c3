"""Reads the first words of TLS: whether it is TLS at all, and for which host. Nothing is decrypted."""

from __future__ import annotations

from workbench.analysis.host_names import host_name, is_address
from workbench.errors import WorkbenchError
from workbench.network.network_errors import Blocked

HANDSHAKE = 22  # the first byte of every TLS connection
_LONGEST_RECORD = 1 << 14
_LONGEST = 1 << 16  # bytes until the hello must be whole
_CLIENT_HELLO = 1
_SERVER_NAME = 0
_HIDDEN_NAME = (0xFE0D,)  # encrypted client hello: the name that counts cannot be seen


class TlsWatch:
    """Holds the first bytes back until they are a hello for this host; then lets everything pass."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._held = bytearray()
        self._said = False

    def feed(self, data: bytes) -> bytes:
        """What may go on now; Blocked: it speaks something else, or means somebody else."""
        if self._said:
            return data
        self._held += data
        hello = _hello(bytes(self._held))
        if hello is None:
            if len(self._held) > _LONGEST:
                raise Blocked("The first words of TLS are too long.")
            return b""
        self._check(_names(hello))
        self._said = True
        return bytes(self._held)

    def _check(self, names: list[bytes]) -> None:
        if not names and is_address(self._host):
            return  # an address has no name to be called by
        if len(names) != 1:
            raise Blocked(f"TLS without the name of its host; it must name {self._host}.")
        try:
            name = host_name(names[0].decode("ascii"))
        except (UnicodeDecodeError, WorkbenchError):
            name = ""
        if name != self._host:
            raise Blocked(f"TLS that names another host than {self._host}.")


class _Words:
    """Cuts pieces off the front of bytes; running out of them is a fault of whoever wrote them."""

    def __init__(self, data: bytes) -> None:
        self.left = data

    def take(self, size: int) -> bytes:
        if len(self.left) < size:
            raise Blocked("Broken first words of TLS.")
        taken, self.left = self.left[:size], self.left[size:]
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> bytes:
        return self.take(self.number(size))


def _hello(data: bytes) -> bytes | None:
    """The body of the client's hello, which may be spread over records; None: not all of it is there."""
    message, at = b"", 0
    while len(data) - at >= 5:
        kind, major, length = data[at], data[at + 1], int.from_bytes(data[at + 3 : at + 5], "big")
        if kind != HANDSHAKE or major != 3 or not 0 < length <= _LONGEST_RECORD:
            raise Blocked("It does not speak TLS.")
        message += data[at + 5 : at + 5 + length]
        if message[0] != _CLIENT_HELLO if message else False:
            raise Blocked("It does not begin TLS as a client does.")
        if len(message) >= 4 and len(message) - 4 >= (whole := int.from_bytes(message[1:4], "big")):
            return message[4 : 4 + whole]
        at += 5 + length
    if data and data[0] != HANDSHAKE:
        raise Blocked("It does not speak TLS.")
    return None


def _names(hello: bytes) -> list[bytes]:
    """The host names that a hello calls."""
    words = _Words(hello)
    words.take(2 + 32)
    words.vector(1)
    words.vector(2)
    words.vector(1)
    extensions = _Words(words.vector(2)) if words.left else _Words(b"")
    names: list[bytes] = []
    while extensions.left:
        kind, body = extensions.number(2), extensions.vector(2)
        if kind in _HIDDEN_NAME:
            raise Blocked("TLS that hides the name of its host.")
        if kind == _SERVER_NAME:
            listed = _Words(_Words(body).vector(2))
            while listed.left:
                listed.take(1)
                names.append(listed.vector(2))
    return names
