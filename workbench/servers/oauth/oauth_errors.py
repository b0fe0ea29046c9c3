"""Explains failed sign-ins and what the user can do. The SDK's message is quoted, shortened."""

from __future__ import annotations

import errno
from urllib.parse import urlsplit

from workbench.servers.server_faults import ServerFault

_QUOTED = 300
_ASK = 'Ask its operator for a client id and write it into the entry: "oauth": { "clientId": "…" }.'
_KEY = 'If it accepts an API key, add a header to its entry: "headers": { "Authorization": "Bearer ${keyring:name}" }.'


class SignInNeeded(ServerFault):
    """Fault of a request that needs the user to sign in. Carries the server's refusal and the requested scope."""

    def __init__(self, url: str, status: int, challenge: str, scope: str = "") -> None:
        asked = f" It asks for: {scope:.200}." if scope else ""
        if status == 403:
            sentence = f"{host(url)} requires more permissions than your sign-in granted.{asked}"
            super().__init__(sentence, "Press Sign in… to grant them.")
        else:
            super().__init__(f"{host(url)} requires you to sign in.{asked}", "Press Sign in… for this server.")
        self.status = status
        self.challenge = challenge


def unavailable(url: str, status: int) -> ServerFault:
    """Fault for an authorization server that is temporarily unavailable; stored tokens are kept."""
    return ServerFault(f"{host(url)} could not renew your sign-in (HTTP {status}).", "Try again later.")


def declined(error: str, description: str) -> ServerFault:
    """Fault for a redirect that carries an error of the authorization server."""
    said = (f"{error}: {description}" if description else error).rstrip(".")
    if error == "access_denied":
        return ServerFault(f"The sign-in was declined: {said:.{_QUOTED}}.", "Sign in again and grant access there.")
    return ServerFault(
        f"The sign-in page reported an error: {said:.{_QUOTED}}.", "See the steps below for the requests."
    )


def explain(fault: BaseException, *, metadata: bool, registration: bool) -> ServerFault:
    """Convert an exception of the flow to a fault. `metadata`, `registration`: whether the server offers them."""
    from mcp.client.auth import OAuthRegistrationError, OAuthTokenError

    words = " ".join(str(fault).split())[:_QUOTED].rstrip(".") or type(fault).__name__
    if isinstance(fault, ServerFault):
        return fault
    if isinstance(fault, OAuthRegistrationError):
        if not metadata:
            return ServerFault("The server does not publish how to sign in and accepts no registration.", _KEY, words)
        if not registration:
            return no_registration()
        return ServerFault(f"The authorization server did not register this app: {words}.", _ASK)
    if isinstance(fault, OAuthTokenError):
        return _token(words)
    if "issuer mismatch" in words or "iss mismatch" in words or "missing iss" in words:
        return ServerFault(
            f"The answer came from a different authorization server than expected: {words}.",
            "Do not continue. Tell the server's operator: its metadata names the wrong issuer.",
        )
    if "does not match expected" in words:
        return ServerFault(
            f"The server's metadata describes a different server: {words}.", "Check the address in the server's entry."
        )
    return ServerFault(f"The sign-in failed: {words}.", "See the failed step below.")


def no_registration() -> ServerFault:
    return ServerFault("The authorization server does not register apps automatically.", _ASK)


def unsafe(url: str) -> ServerFault:
    """Fault for a metadata URL that the SSRF guard rejects."""
    return ServerFault(
        f"The server's metadata names {url:.200}, which the workbench does not contact.",
        "Tell the server's operator: only https is allowed, or this machine for a server on this machine.",
    )


def too_late(seconds: float) -> ServerFault:
    return ServerFault(f"The sign-in was not completed within {seconds:g} seconds.", "Press Sign in… again.")


def port_unavailable(redirect: str, fault: OSError) -> ServerFault:
    """The fault of a sign-in whose redirect address cannot be listened on."""
    if fault.errno == errno.EADDRINUSE:
        return ServerFault(
            f"The port of {redirect} is already in use.",
            "Stop the program that uses it, or change the port in the oauth part.",
        )
    return ServerFault(f"Cannot listen on {redirect}: {fault.strerror or fault}.", "Change the port in the oauth part.")


def host(url: str) -> str:
    """Return the host of a URL in ASCII form, so that look-alike letters of other scripts are visible."""
    try:
        parts = urlsplit(url)
        name = (parts.hostname or "").encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        return "an unreadable address"
    return f"{name}:{parts.port}" if parts.port else name


def _token(words: str) -> ServerFault:
    if "invalid_client" in words:
        return ServerFault(f"The token endpoint does not know this app: {words}.", "Check clientId and clientSecret.")
    if "invalid_grant" in words:
        return ServerFault(
            f"The token endpoint did not accept the code: {words}.", "Sign in again; codes expire quickly."
        )
    return ServerFault(f"The token endpoint issued no token: {words}.", "See the steps below for the requests.")
