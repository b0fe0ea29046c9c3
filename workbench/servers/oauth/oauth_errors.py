"""Explains failed sign-ins and what the user can do. The SDK's message is quoted, shortened."""

from __future__ import annotations

from urllib.parse import urlsplit

from workbench.servers.server_faults import ServerFault

_QUOTED = 300
_ASK = 'Ask its owner for a client id and write it into the entry: "oauth": { "clientId": "…" }.'
_KEY = 'If it takes an API key, give its entry a header: "headers": { "Authorization": "Bearer ${keyring:name}" }.'


class SignInNeeded(ServerFault):
    """Fault of a request that needs the user to sign in. Carries the server's refusal and the requested scope."""

    def __init__(self, url: str, status: int, challenge: str, scope: str = "") -> None:
        asked = f" It asks for: {scope:.200}." if scope else ""
        if status == 403:
            sentence = f"{host(url)} wants more rights than your sign-in gave.{asked}"
            super().__init__(sentence, "Press Sign in… to grant them.")
        else:
            super().__init__(f"{host(url)} wants you to sign in.{asked}", "Press Sign in… at this server.")
        self.status = status
        self.challenge = challenge


def unavailable(url: str, status: int) -> ServerFault:
    """Fault for an authorization server that is temporarily unavailable; stored tokens are kept."""
    return ServerFault(f"{host(url)} could not renew your sign-in: it failed ({status}).", "Try again in a while.")


def declined(error: str, description: str) -> ServerFault:
    """Fault for a redirect that carries an error of the authorization server."""
    said = (f"{error}: {description}" if description else error).rstrip(".")
    if error == "access_denied":
        return ServerFault(f"The sign-in was declined: {said:.{_QUOTED}}.", "Sign in again and allow it there.")
    return ServerFault(f"The sign-in page refused: {said:.{_QUOTED}}.", "The steps below show what it was asked.")


def explain(fault: BaseException, *, metadata: bool, registration: bool) -> ServerFault:
    """Convert an exception of the flow to a fault. `metadata`, `registration`: whether the server offers them."""
    from mcp.client.auth import OAuthRegistrationError, OAuthTokenError

    words = " ".join(str(fault).split())[:_QUOTED].rstrip(".") or type(fault).__name__
    if isinstance(fault, ServerFault):
        return fault
    if isinstance(fault, OAuthRegistrationError):
        if not metadata:
            return ServerFault("The server says nowhere how to sign in, and takes no registration.", _KEY, words)
        if not registration:
            return no_registration()
        return ServerFault(f"The authorization server did not register this app: {words}.", _ASK)
    if isinstance(fault, OAuthTokenError):
        return _token(words)
    if "issuer mismatch" in words or "iss mismatch" in words or "missing iss" in words:
        return ServerFault(
            f"The answer came from another authorization server than the one that was asked: {words}.",
            "Do not go on. Tell the server's owner; its metadata names the wrong issuer.",
        )
    if "does not match expected" in words:
        return ServerFault(
            f"The server's metadata is about another server: {words}.", "Is the address in the entry exactly right?"
        )
    return ServerFault(f"The sign-in did not work: {words}.", "The steps below show where it went wrong.")


def no_registration() -> ServerFault:
    return ServerFault("The authorization server registers no apps by itself.", _ASK)


def unsafe(url: str) -> ServerFault:
    """Fault for a metadata URL that the SSRF guard rejects."""
    return ServerFault(
        f"The server's metadata leads to {url:.200}, which is not asked.",
        "Only https is, or this machine for a server on this machine. Tell the server's owner.",
    )


def too_late(seconds: float) -> ServerFault:
    return ServerFault(f"Nobody came back from the sign-in page within {seconds:g} seconds.", "Press Sign in… again.")


def port_taken(redirect: str) -> ServerFault:
    return ServerFault(
        f"{redirect} cannot be listened at: its port is taken.", "End what uses it, or change it in the oauth part."
    )


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
        return ServerFault(f"The token endpoint did not take the code: {words}.", "Sign in again; codes end quickly.")
    return ServerFault(f"The token endpoint gave no token: {words}.", "The steps below show what it was asked.")
