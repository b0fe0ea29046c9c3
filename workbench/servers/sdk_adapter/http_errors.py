"""Explains HTTP, TLS and connection failures of a remote server. The server's message is quoted, shortened."""

from __future__ import annotations

import errno
import json
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from workbench.servers.server_faults import ServerFault

BROKE = -32050  # code of an error that replaces a missing answer
_QUOTED = 300  # characters of the server's message


def unreachable(url: str, fault: BaseException) -> ServerFault:
    """Fault for a failed connection; the chained causes say which step failed."""
    host = _host(url)
    for cause in _causes(fault):
        if isinstance(cause, ssl.SSLCertVerificationError):
            why = str(getattr(cause, "verify_message", "") or cause).rstrip(".")
            return ServerFault(f"The certificate of {host} is not trusted: {why}.", why_refused(cause)[1])
        if isinstance(cause, ssl.SSLError):
            return ServerFault(
                f"No TLS connection to {host} could be made: {getattr(cause, 'reason', '') or cause}.",
                "Check whether the address must begin with http:// instead of https://.",
            )
        if isinstance(cause, socket.gaierror):
            return ServerFault(f"The host name {host} was not found.", "Check the address, the network and the proxy.")
        if isinstance(cause, OSError) and cause.errno == errno.ECONNREFUSED:
            return ServerFault(
                f"{host} refused the connection.", "Check that the server is running, and check the address and port."
            )
    words = " ".join(str(fault).split())[:_QUOTED] or type(fault).__name__
    return ServerFault(f"{host} cannot be reached: {words}.", "Check the address, the network and the proxy.")


def broken(fault: BaseException) -> str:
    words = " ".join(str(fault).split())[:_QUOTED].rstrip(".") or type(fault).__name__
    return f"The connection failed before the answer arrived: {words}."


def status(number: int, url: str, words: str = "") -> ServerFault:
    """Fault for an HTTP status with which the server refused a request."""
    host, said = _host(url), f" It says: {words}" if words else ""
    match number:
        case 401:
            return ServerFault(
                f"{host} requires authentication (401).{said}",
                "Sign in, or add a header such as Authorization to the entry. If it has one, its key was rejected.",
            )
        case 403:
            return ServerFault(
                f"{host} denied access (403).{said}", "Check the permissions of your key or access token."
            )
        case 404 | 405:
            return ServerFault(
                f"There is no MCP server at this address ({number}).{said}",
                "Check the address; most end in /mcp or /sse.",
            )
        case 429:
            return ServerFault(f"{host} received too many requests (429).{said}", "Wait a moment, then try again.")
        case _ if number >= 500:
            return ServerFault(f"{host} failed ({number}).{said}", "Look at the server's log for the cause.")
    return ServerFault(f"{host} refused the message ({number}).{said}")


def error_text(body: bytes) -> str:
    """Return the message in an error answer; "" for a web page."""
    text = body.decode("utf-8", "replace").strip()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return "" if text.startswith("<") else " ".join(text.split())[:_QUOTED]
    for key in ("error_description", "message", "detail", "error"):
        value = found.get(key) if isinstance(found, dict) else None
        if isinstance(value, dict):
            value = value.get("message")
        if isinstance(value, str) and value:
            return " ".join(value.split())[:_QUOTED]
    return ""


def is_error(body: bytes) -> bool:
    """Whether a body is a JSON-RPC error, which belongs to the request."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return False
    error = found.get("error") if isinstance(found, dict) and found.get("jsonrpc") == "2.0" else None
    return isinstance(error, dict) and isinstance(error.get("code"), int) and isinstance(error.get("message"), str)


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        return f"{host}:{parts.port}" if parts.port else host or "The address"
    except ValueError:
        return "The address"


def _causes(fault: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while fault is not None and id(fault) not in seen:
        seen.add(id(fault))
        yield fault
        if isinstance(fault, BaseExceptionGroup):
            for inner in fault.exceptions:
                yield from _causes(inner)
        fault = fault.__cause__ or fault.__context__


_ADD_CA = "Add its CA to the system's trust store, or to the file that SSL_CERT_FILE names."
_WHY = {
    9: ("The certificate is not valid yet.", "Check the clock of this computer."),
    10: (
        "The certificate has expired.",
        "Ask the server's operator to renew the certificate, or check the clock of this computer.",
    ),
    18: ("The certificate is self-signed.", "Add it to the system's trust store, or set SSL_CERT_FILE to it."),
    19: ("The certificate chain ends in a CA that this system does not trust.", _ADD_CA),
    20: ("This system does not know the issuer of the certificate.", _ADD_CA),
    21: (
        "The server sends its certificate without the chain.",
        "Ask the server's operator to send the complete chain.",
    ),
    62: ("The certificate is for a different host name.", "Use a host name that the certificate contains."),
    64: ("The certificate is for a different address.", "Use an address that the certificate contains."),
}
_ELSE = ("The certificate was rejected.", f"This system must trust its issuer. {_ADD_CA}")


def why_refused(fault: ssl.SSLCertVerificationError) -> tuple[str, str]:
    """Return the reason of a rejected certificate and a remedy."""
    return _WHY.get(getattr(fault, "verify_code", 0), _ELSE)
