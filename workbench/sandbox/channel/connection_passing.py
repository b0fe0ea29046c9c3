"""Gives a program the byte streams of connections that the core made for it; it can make none itself.

The descriptors travel over a socket of their own, which itself arrives with the first frame of the run, and only when
the run may reach something. Nothing can come back over it. Where a child is not of this machine (container, virtual
machine), nothing can be handed: there the bytes travel as questions and answers.
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
    """One run's way for descriptors: made with the run, closed with it."""

    def __init__(self) -> None:
        self.nearby = True  # the child is a process of this machine, and takes descriptors
        self._ours: socket.socket | None = None
        self._last = 0

    @property
    def received(self) -> bool:
        """Whether the program holds the other end."""
        return self._ours is not None

    def give(self, transport: asyncio.Transport, data: bytes) -> bytes:
        """Send the other end along with the first byte of this frame; answers the rest of it."""
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
        """Send one connection's end; the program knows it by the number that is answered."""
        assert self._ours is not None
        self._last += 1
        try:
            socket.send_fds(self._ours, [self._last.to_bytes(8, "big")], [end.fileno()])
        except OSError as fault:
            raise WorkbenchError("The program takes no more connections.", "Close some of them first.") from fault
        return self._last

    def close(self) -> None:
        if self._ours is not None:
            self._ours.close()
            self._ours = None


def certificates_file() -> str:
    """Where this system keeps the certificates it trusts; empty: nowhere we know."""
    told = ssl.get_default_verify_paths().cafile
    places = [told, *_KNOWN_CERTIFICATES] if told else list(_KNOWN_CERTIFICATES)
    return next((os.path.realpath(place) for place in places if Path(place).is_file()), "")
