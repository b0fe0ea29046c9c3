"""Detects the protocol of a connection by its first byte, and applies the filter for that protocol."""

from __future__ import annotations

from collections.abc import Set

from workbench.network.http_host_filter import HttpWatch
from workbench.network.network_errors import Blocked
from workbench.network.tls_hello_filter import HANDSHAKE, TlsWatch


class Watch:
    """Looks at what goes out. `protocol` says what it is, once that is known."""

    def __init__(self, host: str, port: int, allowed: Set[str]) -> None:
        self._host = host
        self._port = port
        self._allowed = allowed
        self._inner: TlsWatch | HttpWatch | None = None
        self.protocol = "tcp" if "tcp" in allowed else ""

    def feed(self, data: bytes) -> bytes:
        """What may go on now."""
        if self.protocol == "tcp":
            return data
        if self._inner is None:
            self._inner = self._chosen(data[0])
        return self._inner.feed(data)

    def _chosen(self, first: int) -> TlsWatch | HttpWatch:
        self.protocol = "tls" if first == HANDSHAKE else "http"
        if self.protocol not in self._allowed:
            wanted = " or ".join(sorted(self._allowed))
            raise Blocked(f"{self._host}:{self._port} is allowed for {wanted} only, and it speaks something else.")
        return TlsWatch(self._host) if self.protocol == "tls" else HttpWatch(self._host, self._port)
