"""Passes open network connections to a program as file descriptors. The program itself cannot open connections.

The descriptors are sent over a separate socket. This socket is passed with the first frame of the run, and only if the
run may use the network; it carries data in one direction only. Containers and virtual machines cannot receive
descriptors of this machine: there, connection data travels as requests and answers.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from pathlib import Path

from workbench.errors import WorkbenchError

_KNOWN_CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


class ConnectionPassing:
    """Socket for passing descriptors to one run. Opened with the run, closed with it."""

    def __init__(self) -> None:
        self.nearby = True  # the child runs on this machine and can receive descriptors
        self._ours: socket.socket | None = None
        self._last = 0

    @property
    def received(self) -> bool:
        """Whether the program received the other end of the socket."""
        return self._ours is not None

    def give(self, transport: asyncio.Transport, data: bytes) -> bytes:
        """Send the other end of the socket with the first byte of this frame. Returns the remaining bytes."""
        found = transport.get_extra_info("socket")
        if transport.get_write_buffer_size() or found is None:
            raise WorkbenchError("The program cannot be connected to the network.", "Run it again.")
        self.close()
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours.setblocking(False)
        self._ours.shutdown(socket.SHUT_RD)
        certificates = certificates_file()
        files = [os.open(certificates, os.O_RDONLY | os.O_CLOEXEC)] if certificates else []
        try:
            with theirs, found.dup() as channel:
                socket.send_fds(channel, [data[:1]], [theirs.fileno(), *files])
        finally:
            for file in files:
                os.close(file)
        return data[1:]

    def hand(self, end: socket.socket) -> int:
        """Pass one connection to the program. Returns the number that identifies the connection."""
        assert self._ours is not None
        self._last += 1
        try:
            socket.send_fds(self._ours, [self._last.to_bytes(8, "big")], [end.fileno()])
        except OSError as fault:
            raise WorkbenchError("The program cannot receive more connections.", "Close some of them first.") from fault
        return self._last

    def close(self) -> None:
        if self._ours is not None:
            self._ours.close()
            self._ours = None


def certificates_file() -> str:
    """Path of this system's CA certificates, or "" if no known place has them."""
    told = ssl.get_default_verify_paths().cafile
    places = [told, *_KNOWN_CERTIFICATES] if told else list(_KNOWN_CERTIFICATES)
    return next((os.path.realpath(place) for place in places if Path(place).is_file()), "")
