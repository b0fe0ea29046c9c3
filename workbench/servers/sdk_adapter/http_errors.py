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
                f"{host} does not speak TLS as we do: {getattr(cause, 'reason', '') or cause}.",
                "Is it http:// instead of https://?",
            )
        if isinstance(cause, socket.gaierror):
            return ServerFault(f"The name {host} is not known.", "Check the address, the network and the proxy.")
        if isinstance(cause, OSError) and cause.errno == errno.ECONNREFUSED:
            return ServerFault(f"Nobody answers at {host}.", "Is the server running there? Check address and port.")
    words = " ".join(str(fault).split())[:_QUOTED] or type(fault).__name__
    return ServerFault(f"{host} cannot be reached: {words}.", "Check the address, the network and the proxy.")


def broken(fault: BaseException) -> str:
    words = " ".join(str(fault).split())[:_QUOTED].rstrip(".") or type(fault).__name__
    return f"The connection broke before the answer came: {words}."


def status(number: int, url: str, words: str = "") -> ServerFault:
    """Fault for an HTTP status with which the server refused a request."""
    host, said = _host(url), f" It says: {words}" if words else ""
    match number:
        case 401:
            return ServerFault(
                f"{host} wants to know who you are (401).{said}",
                "Sign in, or give its entry a header such as Authorization; if it has one, the key in it is not taken.",
            )
        case 403:
            return ServerFault(f"{host} does not let you in (403).{said}", "Your token may lack a right.")
        case 404 | 405:
            return ServerFault(
                f"There is no MCP server at this address ({number}).{said}", "Most addresses end in /mcp or /sse."
            )
        case 429:
            return ServerFault(f"{host} is asked too often (429).{said}", "Wait a moment.")
        case _ if number >= 500:
            return ServerFault(f"{host} failed ({number}).{said}", "The fault is on its side; its log may tell more.")
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


_WHY = {
    9: ("The certificate is not valid yet.", "Is the clock of this computer right?"),
    10: ("The certificate has expired.", "Whoever runs the server must renew it. Is the clock of this computer right?"),
    18: ("The certificate was signed by itself.", "Trust it in the system's store, or set SSL_CERT_FILE to it."),
    19: ("The chain ends in a certificate nobody here trusts.", "Add that CA to the system's store, or SSL_CERT_FILE."),
    20: ("The issuer of the certificate is not known here.", "Add its CA to the system's store, or to SSL_CERT_FILE."),
    21: ("The server sends only its own certificate, without the chain.", "Whoever runs it must send the whole chain."),
    62: ("The certificate is for another name.", "Use the name it was made for."),
    64: ("The certificate is for another address.", "Use the name it was made for."),
}
_ELSE = (
    "The certificate was not taken.",
    "It must be known to this system. A company's own authority belongs into the system's store, or SSL_CERT_FILE.",
)


def why_refused(fault: ssl.SSLCertVerificationError) -> tuple[str, str]:
    """Return the reason of a rejected certificate and a remedy."""
    return _WHY.get(getattr(fault, "verify_code", 0), _ELSE)
