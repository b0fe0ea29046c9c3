"""Parses the address of a remote server once, and checks what is wrong with it without using the network."""

from __future__ import annotations

import ipaddress
import urllib.request
from urllib.parse import urlsplit

from msgspec import Struct

from workbench.records import Check
from workbench.servers.doctor.check_results import bad, doubt, good

_PORTS = {"http": 80, "https": 443}


class ServerAddress(Struct, frozen=True):
    """Where a server listens, and what stands between."""

    url: str
    scheme: str
    host: str
    port: int
    proxy: str = ""  # an HTTP proxy that will be asked instead

    @property
    def secure(self) -> bool:
        return self.scheme == "https"

    @property
    def local(self) -> bool:
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def read_address(url: str) -> tuple[Check, ServerAddress | None]:
    """The address, or why it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as fault:
        return bad("Address", f"{url:.200} is no address: {fault}.", "It should look like https://host/mcp."), None
    if parts.scheme not in _PORTS or not parts.hostname:
        fix = "It should look like https://host/mcp or http://127.0.0.1:3000/mcp."
        return bad("Address", f"{url:.200} is no http or https address.", fix), None
    if parts.username or parts.password:
        return bad("Address", "The address holds a name and a password.", "Give them as a header instead."), None
    made = ServerAddress(
        url, parts.scheme, parts.hostname, port or _PORTS[parts.scheme], _proxy(parts.scheme, parts.hostname)
    )
    return _judge(made), made


def _judge(address: ServerAddress) -> Check:
    if not address.secure and not address.local:
        fix = "Use https, or reach it through a tunnel: what you send, keys included, can be read on the way."
        return doubt("Address", f"{address.host} is reached without encryption.", fix)
    if address.host == "0.0.0.0":
        return bad("Address", "0.0.0.0 is where a server listens, not where it is reached.", "Write 127.0.0.1 instead.")
    through = f", through the proxy {address.proxy}" if address.proxy else ""
    return good("Address", f"{address.host}, port {address.port}{through}.")


def _proxy(scheme: str, host: str) -> str:
    """What the environment says of proxies; only its host and port, for it may hold a password."""
    if urllib.request.proxy_bypass(host):
        return ""
    found = urllib.request.getproxies_environment().get(scheme, "")
    parts = urlsplit(found if "//" in found else f"//{found}")
    return f"{parts.hostname}:{parts.port or 80}" if parts.hostname else ""
