"""Checks the URL, DNS, TCP and TLS of a remote server, and explains failures."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import socket
import ssl
import time
import urllib.request
from urllib.parse import urlsplit

from msgspec import Struct

from workbench.records import Check
from workbench.servers.doctor.check_results import bad, doubt, good, skipped
from workbench.servers.sdk_adapter.http_errors import why_refused

_PATIENCE = 5.0  # seconds for each step
_EXPIRES_SOON = 14 * 86_400  # seconds
_DETAIL = 2_000  # characters of a certificate's details


async def check_network(address: ServerAddress) -> tuple[Check, ...]:
    """Run the checks in order; a failed step ends them."""
    if address.proxy:
        host, _, port = address.proxy.rpartition(":")
        reached = await _connect(host, int(port), "Proxy")
        return (reached, skipped("TLS", "The proxy makes the encrypted connection; see the next check."))
    names = await _resolve(address)
    if names.fix:
        return (names,)
    reached = await _connect(address.host, address.port, "TCP", local=address.local)
    if reached.fix or not address.secure:
        return (names, reached)
    return (names, reached, await _encrypt(address))


def _milliseconds(started: float) -> str:
    elapsed = (time.perf_counter() - started) * 1000
    return f"{elapsed:.0f} ms" if elapsed >= 1 else "<1 ms"


async def _resolve(address: ServerAddress) -> Check:
    loop, started = asyncio.get_running_loop(), time.perf_counter()
    try:
        async with asyncio.timeout(_PATIENCE):
            found = await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except TimeoutError:
        return bad("DNS", f"{address.host} was not resolved within {_PATIENCE:g} seconds.", "Check the network.")
    except (OSError, UnicodeError) as fault:
        fix = "Check the spelling. Names of a company network or a container are known only inside it."
        return bad("DNS", f"No address was found for {address.host}.", fix, str(fault))
    addresses = sorted({str(entry[4][0]) for entry in found})
    return good("DNS", f"{', '.join(addresses[:4])} ({_milliseconds(started)}).")


async def _connect(host: str, port: int, name: str, *, local: bool = False) -> Check:
    started = time.perf_counter()
    try:
        async with asyncio.timeout(_PATIENCE):
            _, writer = await asyncio.open_connection(host, port)
    except TimeoutError:
        fix = "Check the firewall, the VPN and the address: packets are probably dropped."
        return bad(name, f"{host} does not answer on port {port}.", fix)
    except OSError as fault:
        return _unreached(host, port, name, fault, local=local)
    await _hang_up(writer)
    return good(name, f"Port {port} answers ({_milliseconds(started)}).")


def _unreached(host: str, port: int, name: str, fault: OSError, *, local: bool) -> Check:
    numbers = {fault.errno} | {int(found) for found in _errnos(str(fault))}
    if errno.ECONNREFUSED in numbers or "refused" in str(fault).lower():
        fix = "Start the server, and compare the port that it prints with this one." if local else "Check the port."
        if local and host == "localhost":
            fix += " If it listens only on 127.0.0.1, write that instead of localhost."
        return bad(name, f"Nothing listens on port {port} of {host}.", fix, str(fault))
    return bad(name, f"{host} cannot be reached.", "Check the network and the address.", str(fault))


def _errnos(words: str) -> list[str]:
    """Return the error numbers in a message. asyncio joins several failed attempts into one: `[Errno 111] Connect call
    failed …`."""
    return [part.split("]")[0] for part in words.split("[Errno ")[1:] if part.split("]")[0].isdigit()]


async def _encrypt(address: ServerAddress) -> Check:
    import truststore

    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        async with asyncio.timeout(_PATIENCE):
            _, writer = await asyncio.open_connection(
                address.host, address.port, ssl=context, server_hostname=address.host
            )
    except ssl.SSLCertVerificationError as fault:
        meaning, fix = why_refused(fault)
        return bad("TLS", meaning, fix, fault.verify_message or str(fault))
    except ssl.SSLError as fault:
        plain = "WRONG_VERSION_NUMBER" in str(fault) or "record layer" in str(fault).lower()
        fix = (
            "Write http:// instead of https://." if plain else "Its TLS version may be too old, or a proxy interferes."
        )
        meaning = "The server does not speak TLS on this port." if plain else "No encrypted connection could be made."
        return bad("TLS", meaning, fix, str(fault))
    except (TimeoutError, OSError) as fault:
        fix = "A proxy or firewall may interrupt encrypted connections."
        return bad("TLS", "The TLS handshake was not completed.", fix, str(fault))
    check = _describe(writer)
    await _hang_up(writer)
    return check


def _describe(writer: asyncio.StreamWriter) -> Check:
    certificate = writer.get_extra_info("peercert") or {}
    version = writer.get_extra_info("ssl_object").version()
    detail = "\n".join(f"{key}: {value}" for key, value in certificate.items())[:_DETAIL]
    until = str(certificate.get("notAfter", ""))
    if until and (left := ssl.cert_time_to_seconds(until) - time.time()) < _EXPIRES_SOON:
        return doubt("TLS", f"The certificate expires in {left / 86_400:.0f} days.", "", detail)
    return good("TLS", f"{version}, and the certificate is trusted.", detail)


async def _hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError, ssl.SSLError, TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            await writer.wait_closed()


_PORTS = {"http": 80, "https": 443}


class ServerAddress(Struct, frozen=True):
    """Address of a remote server, and the HTTP proxy for it."""

    url: str
    scheme: str
    host: str
    port: int
    proxy: str = ""  # the HTTP proxy that receives the requests

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
    """Parse a URL; the result is a failed check when it is invalid."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as fault:
        return bad(
            "Address", f"{url:.200} is not a valid address: {fault}.", "It should look like https://host/mcp."
        ), None
    if parts.scheme not in _PORTS or not parts.hostname:
        fix = "It should look like https://host/mcp or http://127.0.0.1:3000/mcp."
        return bad("Address", f"{url:.200} is not an http or https address.", fix), None
    if parts.username or parts.password:
        return bad("Address", "The address contains a user name or password.", "Send it in a header instead."), None
    made = ServerAddress(
        url, parts.scheme, parts.hostname, port or _PORTS[parts.scheme], _proxy(parts.scheme, parts.hostname)
    )
    return _judge(made), made


def _judge(address: ServerAddress) -> Check:
    if not address.secure and not address.local:
        fix = "Use https or a tunnel: everything that you send, including keys, can be read in transit."
        return doubt("Address", f"The connection to {address.host} is not encrypted.", fix)
    if address.host == "0.0.0.0":
        return bad("Address", "0.0.0.0 is an address to listen on, not to connect to.", "Write 127.0.0.1 instead.")
    through = f", through the proxy {address.proxy}" if address.proxy else ""
    return good("Address", f"{address.host}, port {address.port}{through}.")


def _proxy(scheme: str, host: str) -> str:
    """Return host and port of the proxy set in the environment; the full value may hold a password."""
    if urllib.request.proxy_bypass(host):
        return ""
    found = urllib.request.getproxies_environment().get(scheme, "")
    parts = urlsplit(found if "//" in found else f"//{found}")
    return f"{parts.hostname}:{parts.port or 80}" if parts.hostname else ""
