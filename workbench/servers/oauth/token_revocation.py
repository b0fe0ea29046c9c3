"""Revokes tokens at the authorization server if it supports that. Imports the SDK: import it late."""

from __future__ import annotations

import time
from typing import Any

import httpx2
from mcp.client.auth.oauth2 import OAuthContext
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata
from pydantic import ValidationError

from workbench.errors import WorkbenchError
from workbench.servers.oauth import oauth_errors
from workbench.servers.oauth.client_credentials import proof
from workbench.servers.oauth.oauth_provider import given_client
from workbench.servers.oauth.oauth_settings import OAuthSettings
from workbench.servers.oauth.sign_in_log import SignInLog
from workbench.servers.sdk_adapter.http_errors import unreachable
from workbench.servers.ssrf_guard import may_request

_SECONDS = 10.0
_SHOWN = 4_000  # bytes read of an answer
_TITLE = "Revoke the token"
_UNTIL = "The tokens were deleted here, but the authorization server accepts them until they expire."


async def revoke(url: str, wish: OAuthSettings, facts: dict[str, Any], steps: SignInLog) -> None:  # Any: stored JSON
    """Revoke the refresh token first, because that ends the others too. The result is recorded in the steps."""
    metadata = facts.get("metadata") or {}
    place = str(metadata.get("revocation_endpoint") or "")
    tokens = [(kind, (facts.get("tokens") or {}).get(kind)) for kind in ("refresh_token", "access_token")]
    if not place or not any(token for _, token in tokens):
        return
    try:
        if not may_request(place, url):
            raise oauth_errors.unsafe(place)
        async with httpx2.AsyncClient(timeout=_SECONDS, follow_redirects=False) as client:
            for kind, token in tokens:
                if token:
                    request = await _request(place, wish, facts, {"token": str(token), "token_type_hint": kind})
                    await _send(client, request, steps)
    except (WorkbenchError, ValidationError, ValueError) as fault:
        words = fault.message if isinstance(fault, WorkbenchError) else "The stored sign-in cannot be read."
        steps.note(_TITLE, f"{words} {_UNTIL}", ok=False)


async def _request(place: str, wish: OAuthSettings, facts: dict[str, Any], form: dict[str, str]) -> httpx2.Request:
    metadata = facts["metadata"]
    if wish.private_key:
        from workbench.servers.oauth.client_credentials import assertion

        return httpx2.Request("POST", place, data={**form, **await assertion(wish, str(metadata.get("issuer", "")))})
    client = given_client(wish) if wish.client_id else OAuthClientInformationFull.model_validate(facts.get("client"))
    if wish.client_id and wish.client_secret and not wish.method:
        offered = metadata.get("revocation_endpoint_auth_methods_supported")
        client.token_endpoint_auth_method = proof(offered or metadata.get("token_endpoint_auth_methods_supported"))
    about: Any = None  # Any: `prepare_token_auth` does not use the storage
    context = OAuthContext(place, OAuthClientMetadata(redirect_uris=None), about, None, None)
    context.client_info = client
    data, headers = context.prepare_token_auth({**form, "client_id": client.client_id})
    return httpx2.Request("POST", place, data=data, headers=headers)


async def _send(client: httpx2.AsyncClient, request: httpx2.Request, steps: SignInLog) -> None:
    started = time.perf_counter()
    try:
        answer = await client.send(request, stream=True)
        try:
            body = b""
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > _SHOWN:
                    break
        finally:
            await answer.aclose()
    except httpx2.HTTPError as fault:
        trouble = unreachable(str(request.url), fault).message
        steps.add_request(request, 0, b"", (time.perf_counter() - started) * 1000, f"{trouble} {_UNTIL}")
        return
    steps.add_request(request, answer.status_code, body[:_SHOWN], (time.perf_counter() - started) * 1000)
