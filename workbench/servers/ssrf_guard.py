"""SSRF guard for URLs in a server's metadata: rejects loopback, link-local and plain-HTTP targets."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit


def is_local_host(host: str) -> bool:
    """Whether a host is this machine or one of its link-local addresses, in any spelling."""
    host = host.rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = _parse_ip(host.partition("%")[0])
    if address is None:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_link_local or address.is_unspecified


def may_request(url: str, server: str) -> bool:
    """Whether metadata of `server` may make us request `url`. The URL must be encrypted or on the server's own host; a
    URL on this machine is allowed only for a server on this machine."""
    try:
        parts, own = urlsplit(url), urlsplit(server)
        same = (parts.scheme, parts.hostname, parts.port) == (own.scheme, own.hostname, own.port)
    except ValueError:
        return False
    if parts.username is not None or parts.scheme not in ("https", "http") or not parts.hostname:
        return False
    if is_local_host(parts.hostname):
        return is_local_host(own.hostname or "")
    return parts.scheme == "https" or same


def _parse_ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))  # resolvers accept 127.1 and 0x7f000001 too
    except (OSError, ValueError):
        return None
