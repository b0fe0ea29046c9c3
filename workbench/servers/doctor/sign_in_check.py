"""Checks the OAuth metadata of a server that answers 401, document by document."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from workbench.records import Check
from workbench.servers.doctor.check_results import bad, doubt, good
from workbench.servers.doctor.http_probe import ProbeAnswer
from workbench.servers.doctor.network_check import ServerAddress
from workbench.servers.ssrf_guard import may_request

_PATIENCE = 5.0  # seconds for each document
_READ = 64 * 1024  # bytes of it
_PARAMETER = re.compile(r'(\w+)=(?:"([^"]*)"|([^\s,]+))')
Document = Mapping[str, Any]  # Any: a stranger's JSON


async def check_sign_in(address: ServerAddress, answer: ProbeAnswer) -> tuple[Check, ...]:
    """The resource's metadata, then that of the server that gives out tokens."""
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
    """The parameters of a WWW-Authenticate header."""
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
    """A server must not make us ask its neighbours: only itself, or something encrypted elsewhere."""
    return may_request(url, address.url) and (
        urlsplit(url).hostname == address.host or url.lower().startswith("https:")
    )


def _split(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")


async def _first(places: list[str]) -> tuple[Document | None, list[str]]:
    """The first place that has a JSON object, and what each said until then."""
    import httpx2

    tried = []
    async with httpx2.AsyncClient(timeout=_PATIENCE, follow_redirects=False) as client:
        for place in dict.fromkeys(places):
            try:
                async with client.stream("GET", place, headers={"Accept": "application/json"}) as response:
                    body = await _beginning(response)
            except (httpx2.HTTPError, OSError, ValueError) as fault:
                tried.append(f"{place}: {fault!s:.200}")
                continue
            document = _object(body) if response.status_code == 200 else None
            tried.append(f"{place}: HTTP {response.status_code}{'' if document else ', no JSON object'}")
            if document is not None:
                return document, tried
    return None, tried


async def _beginning(response: Any) -> bytes:  # Any: httpx2.Response, imported late
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _READ:
            break
    return body


def _object(body: bytes) -> Document | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
