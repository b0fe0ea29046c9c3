"""The SDK's OAuth providers with our token storage. Imports the SDK: import it late.

On a connection, a provider uses and renews the stored token, and reports when the user has to sign in. Only a sign-in
that the user started runs the SDK's complete flow.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any, Protocol

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.auth.utils import extract_field_from_www_auth
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from pydantic import ValidationError

from workbench.servers.oauth.client_credentials import BASIC, choose_proof, machine
from workbench.servers.oauth.oauth_errors import SignInNeeded, explain, unavailable
from workbench.servers.oauth.oauth_settings import MACHINE, OAuthSettings
from workbench.servers.oauth.sign_in_log import SignInLog
from workbench.servers.oauth.token_storage import StoredSignIn

_EARLY = 20.0  # seconds before its expiry at which a token is renewed
_NAME = "MCP Workbench"
_NOWHERE = "http://127.0.0.1/callback"  # required by the SDK; this provider never opens a page
Flow = AsyncGenerator[httpx2.Request, httpx2.Response]
Needed = Callable[[SignInNeeded | None], None]  # None: the server accepted a token, so the user is not needed


class OAuthStorage:
    """Adapts `StoredSignIn` to the SDK's token storage interface."""

    def __init__(self, held: StoredSignIn, wish: OAuthSettings) -> None:
        self._held = held
        self._wish = wish

    async def get_tokens(self) -> OAuthToken | None:
        found: OAuthToken | None = _model(OAuthToken, (await self._held.facts()).get("tokens"))
        return found

    async def set_tokens(self, tokens: OAuthToken) -> None:
        await self._held.keep_tokens(tokens.model_dump(mode="json", exclude_none=True))

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return the client; one in the entry takes precedence over a registered one."""
        if self._wish.client_id:
            return given_client(self._wish)
        kept: OAuthClientInformationFull | None = _model(
            OAuthClientInformationFull, (await self._held.facts()).get("client")
        )
        return kept

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        await self._held.keep(client=client_info.model_dump(mode="json", exclude_none=True))


class SavedTokenProvider(OAuthClientProvider):
    """Provider that signs a server's requests with the stored token. It outlives connections."""

    def __init__(self, url: str, wish: OAuthSettings, held: StoredSignIn, steps: SignInLog, needed: Needed) -> None:
        super().__init__(url, client_metadata(wish, _NOWHERE), OAuthStorage(held, wish))
        self._held = held
        self._steps = steps
        self._needed = needed
        self._wish = wish
        self._machine = machine(url, wish, OAuthStorage(held, wish)) if wish.grant == MACHINE else None
        self._renewing = asyncio.Lock()
        self._seen: object = None  # the stored values that the SDK's context was built from

    async def recall(self) -> None:
        """Update the SDK's context from the stored values; a sign-in may have ended in the meantime."""
        facts = await self._held.facts()
        if facts is self._seen:
            return
        await self._initialize()
        self._seen = facts
        self.context.token_expiry_time = facts.get("expires")
        self.context.oauth_metadata = _model(OAuthMetadata, facts.get("metadata"))
        self.context.protected_resource_metadata = _model(ProtectedResourceMetadata, facts.get("resource"))

    async def async_auth_flow(self, request: httpx2.Request) -> Flow:
        """Sign a request without involving the user: never opens a page."""
        await self.recall()
        self.context.protocol_version = request.headers.get(MCP_PROTOCOL_VERSION_HEADER)
        if self._stale() and self.context.can_refresh_token():
            async with contextlib.aclosing(self._renew(self._token())) as renewing:
                async for exchange in renewing:
                    exchange.answer = yield exchange.request
        used = self._token()
        self._sign(request)
        response = yield request
        if _refused(response) and self._can_renew(response, used):
            async with contextlib.aclosing(self._again(request, response, used)) as renewing:
                async for exchange in renewing:
                    exchange.answer = yield exchange.request
            self._sign(request)
            response = yield request
        if _refused(response):
            raise self._tell_need(response)
        if self._token() and response.is_success:
            self._needed(None)

    def _can_renew(self, response: httpx2.Response, used: str) -> bool:
        """Whether a token can be renewed without the user."""
        fresh = response.status_code == 401 and bool(used) and self.context.can_refresh_token()
        return self._machine is not None or fresh

    def _tell_need(self, response: httpx2.Response) -> SignInNeeded:
        challenge = response.headers.get("www-authenticate", "")[:4_000]
        scope = extract_field_from_www_auth(response, "scope") or ""
        fault = SignInNeeded(self.context.server_url, response.status_code, challenge, scope)
        self._needed(fault)
        return fault

    async def _again(
        self, request: httpx2.Request, response: httpx2.Response, used: str
    ) -> AsyncGenerator[HttpExchange, None]:
        """Get a new token after a refusal: by the refresh token, or by client credentials."""
        if self._machine is None:
            async with contextlib.aclosing(self._renew(used)) as renewing:
                async for exchange in renewing:
                    yield exchange
            return
        async with self._renewing:
            await self.recall()
            if self._token() and self._token() != used:
                return  # another request has renewed the token
            flow = relay(self._machine.async_auth_flow(request), request, response)
            try:
                async with contextlib.aclosing(flow) as asking:
                    async for exchange in asking:
                        yield exchange
                        await self._note(exchange)
            except (OAuthFlowError, ValidationError) as fault:
                metadata = self._machine.context.oauth_metadata is not None
                raise explain(fault, metadata=metadata, registration=True) from fault
            if self._machine.context.oauth_metadata is not None:
                await self._held.keep_metadata(self._machine.context)
            await self.recall()

    async def _refresh_token(self) -> httpx2.Request:
        choose_proof(self.context, self._wish)
        return await super()._refresh_token()

    async def _renew(self, used: str) -> AsyncGenerator[HttpExchange, None]:
        """Renew an expired or refused token, unless another request has renewed it."""
        async with self._renewing:
            await self.recall()
            if self._token() != used or not self.context.can_refresh_token():
                return
            exchange = HttpExchange(await self._refresh_token())
            yield exchange
            await self._note(exchange)
            answer = exchange.answer
            if answer is None:
                return
            if answer.status_code >= 500 or answer.status_code == 429:
                raise unavailable(str(exchange.request.url), answer.status_code)
            if not await self._handle_refresh_response(answer):
                await self._held.keep(tokens=None, expires=None)
            await self.recall()

    async def _note(self, exchange: HttpExchange) -> None:
        if exchange.answer is not None:
            body = await exchange.answer.aread()
            self._steps.add_request(exchange.request, exchange.answer.status_code, body, 0.0)

    def _stale(self) -> bool:
        expires = self.context.token_expiry_time
        return not self._token() or bool(expires and time.time() > expires - _EARLY)

    def _token(self) -> str:
        return self.context.current_tokens.access_token if self.context.current_tokens else ""

    def _sign(self, request: httpx2.Request) -> None:
        if self._token():
            self._add_auth_header(request)


class InteractiveOAuthProvider(OAuthClientProvider):
    """The SDK's complete flow for one sign-in of the user."""

    def __init__(
        self, url: str, wish: OAuthSettings, held: StoredSignIn, redirect: str, handlers: SignInHandlers
    ) -> None:
        metadata = client_metadata(wish, redirect)
        document = wish.metadata_url or None
        super().__init__(url, metadata, OAuthStorage(held, wish), handlers.show, handlers.returned, document)
        self._wish = wish

    def flow(self, request: httpx2.Request) -> Flow:
        return self.async_auth_flow(request)

    async def _exchange_token_authorization_code(self, auth_code: str, code_verifier: str) -> httpx2.Request:
        choose_proof(self.context, self._wish)
        return await super()._exchange_token_authorization_code(auth_code, code_verifier)

    async def _refresh_token(self) -> httpx2.Request:
        choose_proof(self.context, self._wish)
        return await super()._refresh_token()

    @property
    def registers(self) -> bool:
        metadata = self.context.oauth_metadata
        return metadata is not None and metadata.registration_endpoint is not None


class HttpExchange:
    """A request within a flow, and its answer once received."""

    def __init__(self, request: httpx2.Request) -> None:
        self.request = request
        self.answer: httpx2.Response | None = None


async def relay(flow: Flow, request: httpx2.Request, refusal: httpx2.Response) -> AsyncGenerator[HttpExchange, None]:
    """Yield the requests by which a flow reacts to a refusal of `request`. `request` itself is not sent; the flow
    receives `refusal` instead."""
    answered = False
    try:
        outgoing = await anext(flow)
        while not (outgoing is request and answered):
            if outgoing is request:
                answered = True
                outgoing = await flow.asend(refusal)
                continue
            exchange = HttpExchange(outgoing)
            yield exchange
            if exchange.answer is None:
                return
            outgoing = await flow.asend(exchange.answer)
    except StopAsyncIteration:
        return
    finally:
        await flow.aclose()


def _refused(response: httpx2.Response) -> bool:
    more = extract_field_from_www_auth(response, "error") == "insufficient_scope"
    return response.status_code == 401 or (response.status_code == 403 and more)


class SignInHandlers(Protocol):
    """Callbacks for the user's part of a sign-in."""

    async def show(self, url: str) -> None: ...

    async def returned(self) -> Any: ...  # Any: the SDK's AuthorizationCodeResult


def client_metadata(wish: OAuthSettings, redirect: str) -> OAuthClientMetadata:
    """Build the client metadata that is sent for registration."""
    return OAuthClientMetadata.model_validate(
        {
            "client_name": _NAME,
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": wish.method or "none",
            "scope": wish.scope or None,
        }
    )


def given_client(wish: OAuthSettings) -> OAuthClientInformationFull:
    """Build the client from the entry's client id and secret."""
    method = wish.method or (BASIC if wish.client_secret else "none")
    given = {"client_id": wish.client_id, "token_endpoint_auth_method": method, "redirect_uris": None}
    if wish.client_secret:
        given["client_secret"] = wish.client_secret
    if wish.issuer:
        given["issuer"] = wish.issuer
    return OAuthClientInformationFull.model_validate(given)


def _model(kind: Any, facts: object) -> Any:  # Any: one of the SDK's models and an instance of it
    """Decode stored values as a model of the SDK. Values that cannot be decoded, such as those of another version,
    count as missing."""
    try:
        return kind.model_validate(facts) if facts else None
    except ValidationError:
        return None
