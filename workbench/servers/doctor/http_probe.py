"""Checks a remote server by plain HTTP: explains its answer to an initialize request, and reads its OAuth metadata
after a 401.

The SDK reports all of these failures as one exception, so the doctor sends its own request.
"""

from __future__ import annotations

import html
import json
import re
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct

from workbench import __version__
from workbench.records import Check
from workbench.servers.doctor.check_results import bad, doubt, good
from workbench.servers.doctor.network_check import ServerAddress
from workbench.servers.ssrf_guard import may_request

if TYPE_CHECKING:
    import httpx2

_PATIENCE = 10.0  # seconds for the answer
_READ = 64 * 1024  # bytes of the answer that are read
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_KEYS = ("authorization", "x-api-key", "api-key")  # headers that authenticate the client
_VERSION = "2025-11-25"
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": _VERSION,
        "capabilities": {},
        "clientInfo": {"name": "mcp-workbench", "version": __version__},
    },
}
_STATUS = {
    400: (
        "The server rejected the request",
        "See its answer in the details. It may require a different protocol version.",
    ),
    402: ("The server requires payment", "Check your account with the operator of the server."),
    403: ("The server denied access", "The key may lack a permission, or the server refuses this host or origin."),
    404: (
        "Nothing was found at this path",
        "Check the end of the address: it is often /mcp, or /sse for older servers.",
    ),
    405: ("This path does not accept POST", "It may be an older server: set its type to sse, or check the path."),
    406: ("The server cannot answer in a format of the protocol", "It may not be an MCP server."),
    415: ("The server does not accept JSON", "It may not be an MCP server."),
    421: ("The server does not accept this host name", "Use a name or address that it allows as host."),
    429: ("The server received too many requests", "Wait a while, then try again."),
}


class ProbeAnswer(Struct, frozen=True):
    """The first bytes of an answer."""

    status: int
    headers: Mapping[str, str]
    body: str


async def check_answer(address: ServerAddress, headers: Mapping[str, str]) -> tuple[Check, ProbeAnswer | None]:
    """Send an initialize request without the SDK."""
    import httpx2

    try:
        answer = await _ask(address, headers)
    except httpx2.TimeoutException:
        fix = "Check the server's log: it accepts connections but does not answer."
        return bad("Answer", f"The server did not answer within {_PATIENCE:g} seconds.", fix), None
    except (httpx2.HTTPError, ssl.SSLError, OSError, ValueError) as fault:
        return bad("Answer", "The request failed.", "See the checks above.", str(fault)[:500]), None
    keyed = any(name.lower() in _KEYS for name in headers)
    return judge_answer(answer, keyed=keyed), answer


def judge_answer(answer: ProbeAnswer, *, keyed: bool = False) -> Check:
    """Explain an answer. `keyed`: the request carried a key."""
    if answer.status == 401 and keyed:
        fix = "Store the correct key under Secrets… in the File menu, or edit the server's entry (F2)."
        return bad("Answer", "The server did not accept the key (401).", fix, _describe_answer(answer))
    if answer.status == 401:
        fix = "Sign in, or send a key in the header Authorization: Bearer ${keyring:name}."
        return bad("Answer", "The server requires authentication (401).", fix, _describe_answer(answer))
    if 300 <= answer.status < 400:
        place = answer.headers.get("location", "")
        return bad(
            "Answer",
            f"The server redirects to a different address: {place:.200}",
            "Use that address instead.",
            _describe_answer(answer),
        )
    if answer.status >= 500:
        fix = "Check the server's log: the problem is on its side."
        return bad("Answer", f"The server failed ({answer.status}).", fix, _describe_answer(answer))
    if answer.status >= 400:
        meaning, fix = _STATUS.get(answer.status, ("The server refused the request", "See its answer in the details."))
        return bad("Answer", f"{meaning} ({answer.status}).", fix, _describe_answer(answer))
    return _read(answer)


async def _ask(address: ServerAddress, headers: Mapping[str, str]) -> ProbeAnswer:
    import httpx2

    told = {"Accept": "application/json, text/event-stream", **headers}
    async with (
        httpx2.AsyncClient(timeout=_PATIENCE, follow_redirects=False) as client,
        client.stream("POST", address.url, json=_HELLO, headers=told) as response,
    ):
        found = {name.lower(): value for name, value in response.headers.items()}
        beginning = await _beginning(response, if_broken_off=True)
        return ProbeAnswer(response.status_code, found, beginning.decode("utf-8", "replace"))


async def _beginning(response: httpx2.Response, *, if_broken_off: bool) -> bytes:
    """Read up to the first complete event, because an event stream may stay open for ever. `if_broken_off`: return what
    was received of an answer that breaks off instead of raising."""
    import httpx2

    body = b""
    events = "text/event-stream" in response.headers.get("content-type", "")
    try:
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) >= _READ or (events and b"\n\n" in body.replace(b"\r", b"") and b"data:" in body):
                break
    except httpx2.HTTPError:
        if not if_broken_off:
            raise
    return body[:_READ]


def _read(answer: ProbeAnswer) -> Check:
    kind = answer.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind == "text/html" or answer.body.lstrip()[:15].lower().startswith(("<!doctype html", "<html")):
        title = _TITLE.search(answer.body)
        called = f" called “{html.unescape(title[1]).strip():.80}”" if title else ""
        fix = "Look up the path of the MCP server in its documentation: this is the address of a website."
        return bad("Answer", f"A web page{called} answered instead of an MCP server.", fix, _describe_answer(answer))
    message = _message(answer.body)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        fix = "Check the path: what answers there does not speak the protocol."
        return bad("Answer", "The answer is not a JSON-RPC message.", fix, _describe_answer(answer))
    return _greeting(message, answer)


def _greeting(message: Mapping[str, object], answer: ProbeAnswer) -> Check:
    result, error = message.get("result"), message.get("error")
    if isinstance(result, dict) and isinstance(result.get("protocolVersion"), str):
        return good(
            "Answer", f"An MCP server answered, protocol {result['protocolVersion']:.40}.", _describe_answer(answer)
        )
    if isinstance(error, dict):
        words = str(error.get("message", ""))[:300]
        fix = "It may support only the newest protocol; see the next check."
        return doubt("Answer", f"The server answered with an error: {words}", fix, _describe_answer(answer))
    return bad(
        "Answer",
        "The server did not answer with an initialize result.",
        "It may be a gateway.",
        _describe_answer(answer),
    )


def _message(body: str) -> object:
    """Return the JSON of a plain body, or of the first event that has data."""
    text = body.strip()
    if not text.startswith("{"):
        lines = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
        text = next((line for line in lines if line.startswith("{")), "")
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None


def _describe_answer(answer: ProbeAnswer) -> str:
    told = ("content-type", "www-authenticate", "server", "location", "mcp-session-id", "retry-after")
    shown = [f"{name}: {answer.headers[name]:.300}" for name in told if name in answer.headers]
    return "\n".join((f"HTTP {answer.status}", *shown, "", answer.body[:1500]))


_DOCUMENT_SECONDS = 5.0  # seconds for each document
_PARAMETER = re.compile(r'(\w+)=(?:"([^"]*)"|([^\s,]+))')
Document = Mapping[str, Any]  # Any: untrusted JSON


async def check_sign_in(address: ServerAddress, answer: ProbeAnswer) -> tuple[Check, ...]:
    """Check the metadata of the resource, then that of its authorization server."""
    challenge = read_challenge(answer.headers.get("www-authenticate", ""))
    if "error" in challenge:
        words = challenge.get("error_description", challenge["error"])
        return (bad("Key", f"The server did not accept the key: {words:.300}", "Sign in again, or renew the key."),)
    resource, tried = await _first(_resource_places(address, challenge))
    if resource is None:
        fix = "It probably needs a key instead: ask its operator for one, and send it in a header."
        return (doubt("Sign-in", "The server does not say how to sign in.", fix, "\n".join(tried)),)
    found = good("Sign-in", "The server publishes how to sign in.", json.dumps(resource, indent=1)[:2000])
    return (found, await _check_issuer(resource, address))


def read_challenge(header: str) -> dict[str, str]:
    """Parse the parameters of a WWW-Authenticate header."""
    return {name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(header[:4000])}


async def _check_issuer(resource: Document, address: ServerAddress) -> Check:
    servers = resource.get("authorization_servers")
    issuer = servers[0] if isinstance(servers, list) and servers and isinstance(servers[0], str) else ""
    if not issuer:
        return bad("Authorization", "The server names no authorization server.", "Ask its operator to correct that.")
    if not may_request(issuer, address.url):
        words = f"The server names {issuer:.200} as its authorization server, which the workbench does not contact."
        return bad("Authorization", words, "Only https is allowed, or this machine for a server on this machine.")
    document, tried = await _first(_issuer_places(issuer))
    if document is None:
        fix = "Ask its operator to correct that; signing in is impossible without it."
        return bad("Authorization", f"{issuer:.200} publishes no metadata.", fix, "\n".join(tried))
    missing = [name for name in ("authorization_endpoint", "token_endpoint") if name not in document]
    if missing:
        return bad("Authorization", f"{issuer:.200} does not name its {' and '.join(missing)}.", "Ask its operator.")
    detail = json.dumps(document, indent=1)[:2000]
    methods = document.get("code_challenge_methods_supported")
    if not isinstance(methods, list) or "S256" not in methods:
        words = f"{issuer:.200} does not support PKCE with S256, which the protocol requires."
        return bad("Authorization", words, "Ask its operator to enable that.", detail)
    ways = document.get("registration_endpoint") or document.get("client_id_metadata_document_supported")
    if not ways:
        fix = "Register a client there manually, and write its client_id into the oauth part of this server."
        return doubt("Authorization", f"{issuer:.200} does not register clients automatically.", fix, detail)
    return good("Authorization", f"You can sign in at {issuer:.200}.", detail)


def _resource_places(address: ServerAddress, challenge: Mapping[str, str]) -> list[str]:
    base, path = _split(address.url)
    told = challenge.get("resource_metadata", "")
    wanted = [told] if _may_ask(told, address) else []
    known = f"{base}/.well-known/oauth-protected-resource"
    return [*wanted, f"{known}{path}", known]


def _issuer_places(issuer: str) -> list[str]:
    base, path = _split(issuer)
    return [
        f"{base}/.well-known/oauth-authorization-server{path}",
        f"{base}/.well-known/openid-configuration{path}",
        f"{base}{path}/.well-known/openid-configuration",
    ]


def _may_ask(url: str, address: ServerAddress) -> bool:
    """SSRF guard: whether a URL is on the server itself or an encrypted address elsewhere."""
    return may_request(url, address.url) and (
        urlsplit(url).hostname == address.host or url.lower().startswith("https:")
    )


def _split(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")


async def _first(places: list[str]) -> tuple[Document | None, list[str]]:
    """Return the first JSON object found at these URLs, and the failures before it."""
    import httpx2

    tried = []
    async with httpx2.AsyncClient(timeout=_DOCUMENT_SECONDS, follow_redirects=False) as client:
        for place in dict.fromkeys(places):
            try:
                async with client.stream("GET", place, headers={"Accept": "application/json"}) as response:
                    body = await _beginning(response, if_broken_off=False)
            except (httpx2.HTTPError, OSError, ValueError) as fault:
                tried.append(f"{place}: {fault!s:.200}")
                continue
            document = _object(body) if response.status_code == 200 else None
            tried.append(f"{place}: HTTP {response.status_code}{'' if document else ', no JSON object'}")
            if document is not None:
                return document, tried
    return None, tried


def _object(body: bytes) -> Document | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
