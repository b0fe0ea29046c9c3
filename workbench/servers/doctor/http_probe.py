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
    400: ("The server does not take the request.", "Its words are below. It may want another protocol version."),
    402: ("The server wants to be paid.", "See the account at whoever runs it."),
    403: ("The server forbids it.", "The key may lack a permission, or the server refuses this host or origin."),
    404: ("There is nothing at this path.", "Check the end of the address: often it is /mcp, or /sse for old servers."),
    405: ("The path takes no POST.", "It may be a server of the old kind: set its type to sse, or check the path."),
    406: ("The server cannot answer in a form the protocol has.", "It may not be an MCP server."),
    415: ("The server does not take JSON.", "It may not be an MCP server."),
    421: ("The server does not know itself by this name.", "Use the name or address that it allows as host."),
    429: ("The server has had too many requests.", "Wait a little, then try again."),
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
        fix = "It accepts connections and then is silent: look at the server's own log."
        return bad("Answer", f"No answer came within {_PATIENCE:g} seconds.", fix), None
    except (httpx2.HTTPError, ssl.SSLError, OSError, ValueError) as fault:
        return bad("Answer", "The request failed on its way.", "See the checks above.", str(fault)[:500]), None
    keyed = any(name.lower() in _KEYS for name in headers)
    return judge_answer(answer, keyed=keyed), answer


def judge_answer(answer: ProbeAnswer, *, keyed: bool = False) -> Check:
    """Explain an answer. `keyed`: the request carried a key."""
    if answer.status == 401 and keyed:
        fix = "Store the right one under Secrets… in the Workbench menu, or edit its entry (F2)."
        return bad("Answer", "The server does not take the key that was sent (401).", fix, _describe_answer(answer))
    if answer.status == 401:
        fix = "Sign in, or give a key as header Authorization: Bearer ${keyring:name}."
        return bad("Answer", "The server wants to know who you are (401).", fix, _describe_answer(answer))
    if 300 <= answer.status < 400:
        place = answer.headers.get("location", "")
        return bad(
            "Answer",
            f"The server sends elsewhere: {place:.200}",
            "Write that address instead.",
            _describe_answer(answer),
        )
    if answer.status >= 500:
        fix = "The fault is on its side; its own log says more."
        return bad("Answer", f"The server failed ({answer.status}).", fix, _describe_answer(answer))
    if answer.status >= 400:
        meaning, fix = _STATUS.get(answer.status, ("The server refuses.", "Its words are below."))
        return bad("Answer", f"{meaning} ({answer.status})", fix, _describe_answer(answer))
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
        fix = "The address is that of a site, not of its MCP server: look for the path in its documentation."
        return bad("Answer", f"A web page{called} answered, not an MCP server.", fix, _describe_answer(answer))
    message = _message(answer.body)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        fix = "Something answers, but it does not speak the protocol. Is the path right?"
        return bad("Answer", "The answer is no JSON-RPC message.", fix, _describe_answer(answer))
    return _greeting(message, answer)


def _greeting(message: Mapping[str, object], answer: ProbeAnswer) -> Check:
    result, error = message.get("result"), message.get("error")
    if isinstance(result, dict) and isinstance(result.get("protocolVersion"), str):
        return good(
            "Answer", f"An MCP server answered, protocol {result['protocolVersion']:.40}.", _describe_answer(answer)
        )
    if isinstance(error, dict):
        words = str(error.get("message", ""))[:300]
        fix = "It may speak the newest protocol only; the next check tells."
        return doubt("Answer", f"The server answered with an error: {words}", fix, _describe_answer(answer))
    return bad(
        "Answer", "The server answered, but not with a greeting.", "It may be a gateway.", _describe_answer(answer)
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
        return (bad("Key", f"The key that was sent is not taken: {words:.300}", "Sign in again, or renew the key."),)
    resource, tried = await _first(_resource_places(address, challenge))
    if resource is None:
        fix = "It wants a key rather than a sign-in: ask whoever runs it, and send it as a header."
        return (doubt("Sign-in", "The server does not say how to sign in.", fix, "\n".join(tried)),)
    found = good("Sign-in", "The server says who gives out tokens for it.", json.dumps(resource, indent=1)[:2000])
    return (found, await _check_issuer(resource, address))


def read_challenge(header: str) -> dict[str, str]:
    """Parse the parameters of a WWW-Authenticate header."""
    return {name.lower(): quoted or plain for name, quoted, plain in _PARAMETER.findall(header[:4000])}


async def _check_issuer(resource: Document, address: ServerAddress) -> Check:
    servers = resource.get("authorization_servers")
    issuer = servers[0] if isinstance(servers, list) and servers and isinstance(servers[0], str) else ""
    if not issuer:
        return bad("Authorization", "It names no authorization server.", "Whoever runs the server must mend that.")
    if not may_request(issuer, address.url):
        words = f"It names {issuer:.200} as its authorization server, which is not asked."
        return bad("Authorization", words, "Only https is, or this machine for a server on this machine.")
    document, tried = await _first(_issuer_places(issuer))
    if document is None:
        fix = "Whoever runs it must mend that; without it nobody can sign in."
        return bad("Authorization", f"{issuer:.200} does not say how it works.", fix, "\n".join(tried))
    missing = [name for name in ("authorization_endpoint", "token_endpoint") if name not in document]
    if missing:
        return bad("Authorization", f"{issuer:.200} does not name its {' and '.join(missing)}.", "It must be mended.")
    detail = json.dumps(document, indent=1)[:2000]
    methods = document.get("code_challenge_methods_supported")
    if not isinstance(methods, list) or "S256" not in methods:
        words = "It does not offer PKCE with S256, which the protocol demands."
        return bad("Authorization", words, "Whoever runs it must switch that on.", detail)
    ways = document.get("registration_endpoint") or document.get("client_id_metadata_document_supported")
    if not ways:
        fix = "Register a client by hand there, and write its client_id under oauth of this server."
        return doubt("Authorization", f"{issuer:.200} does not register clients by itself.", fix, detail)
    return good("Authorization", f"{issuer:.200} can be signed in to.", detail)


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
