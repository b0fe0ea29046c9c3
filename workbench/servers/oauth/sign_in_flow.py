"""One sign-in that the user started: metadata, registration, browser, token.

The refused request itself is not sent again: the SDK's flow receives the refusal, and each request that it makes is
sent, bounded and recorded.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from workbench.secrets.secret_masking import SecretMasks
from workbench.servers.oauth import oauth_errors
from workbench.servers.oauth.oauth_settings import OAuthSettings
from workbench.servers.oauth.redirect_listener import RedirectListener
from workbench.servers.oauth.sign_in_log import SignInLog
from workbench.servers.oauth.token_storage import StoredSignIn
from workbench.servers.sdk_adapter.http_errors import unreachable
from workbench.servers.server_faults import ServerFault, leaves
from workbench.servers.ssrf_guard import may_request

if TYPE_CHECKING:
    import httpx2

    from workbench.servers.oauth.oauth_provider import InteractiveOAuthProvider

_LARGEST = 1 << 20  # bytes of one answer
_SECONDS = 20.0  # seconds for a connection, and for each piece of an answer
_WHOLE_SECONDS = 40.0  # seconds for one complete answer, however slowly it arrives
_PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
_ACCEPT = "application/json, text/event-stream"


class SignInFlow:
    """Start with `run`, pass a URL copied by the user with `bring`, cancel the task to abort."""

    def __init__(
        self,
        url: str,
        wish: OAuthSettings,
        held: StoredSignIn,
        steps: SignInLog,
        masks: SecretMasks,
        seconds: float,
        wanted: Callable[[str, str], None],
    ) -> None:
        """`seconds`: time limit for the browser. `wanted`: receives the URL to open and its host."""
        self._url = url
        self._wish = wish
        self._held = held
        self._steps = steps
        self._masks = masks
        self._seconds = seconds
        self._wanted = wanted
        self._state = ""
        self._asking: InteractiveOAuthProvider | None = None
        self._listener: RedirectListener | None = None

    async def run(self, refusal: tuple[int, str] | None) -> None:
        """Run the sign-in. `refusal`: status and challenge of the server's last refusal. Raises ServerFault."""
        import httpx2

        listener = RedirectListener(self._wish.redirect, await self._port_before())
        try:
            await listener.__aenter__()
        except OSError as fault:
            raise oauth_errors.port_unavailable(listener.redirect, fault) from fault
        self._listener = listener
        try:
            async with httpx2.AsyncClient(timeout=_SECONDS, follow_redirects=False) as client:
                await self._sign_in(client, listener, refusal)
            await listener.tell(
                "You are signed in", f"MCP Workbench can now connect to {oauth_errors.host(self._url)}.", ok=True
            )
        except ServerFault as fault:
            await listener.tell("The sign-in failed", f"{fault.message} {fault.hint}", ok=False)
            raise
        finally:
            self._listener = None
            await listener.__aexit__(None, None, None)

    def bring(self, address: str) -> bool:
        return self._listener is not None and self._listener.bring(address)

    async def show(self, url: str) -> None:
        """Callback of the SDK's flow: show the authorization page."""
        self._check(url)
        self._state = parse_qs(urlsplit(url).query).get("state", [""])[0]
        host = oauth_errors.host(url)
        self._steps.note("Sign in at the authorization server", f"You sign in at {host}, in your browser.", url=url)
        self._wanted(url, host)

    async def returned(self) -> Any:  # Any: the SDK's AuthorizationCodeResult
        """Callback of the SDK's flow: wait for the redirect and return its code."""
        from mcp.shared.auth import AuthorizationCodeResult

        assert self._listener is not None
        title = "Return from the browser"
        try:
            found = await self._listener.wait(self._state, self._seconds)
        except TimeoutError:
            self._steps.note(title, "The browser did not return in time.", ok=False)
            raise oauth_errors.too_late(self._seconds) from None
        finally:
            if self._listener.strangers:
                words = f"Rejected answers of other sign-ins: {self._listener.strangers}."
                self._steps.note(title, words, ok=False)
        if found.error:
            self._steps.note(
                title, f"The sign-in page reported an error: {found.error:.200}. {found.description:.300}", ok=False
            )
            raise oauth_errors.declined(found.error, found.description)
        self._masks.add_secret(found.code)
        self._steps.note(title, "The browser returned a code with the expected state.")
        return AuthorizationCodeResult(code=found.code, state=found.state, iss=found.issuer or None)

    async def _port_before(self) -> int:
        """Return the port of the registered redirect URI: many servers accept only exactly that one."""
        client = (await self._held.facts()).get("client") or {}
        try:
            return urlsplit(client["redirect_uris"][0]).port or 0
        except (KeyError, IndexError, TypeError, ValueError):
            return 0

    async def _sign_in(
        self, client: httpx2.AsyncClient, listener: RedirectListener, refusal: tuple[int, str] | None
    ) -> None:
        from workbench.servers.oauth.oauth_provider import InteractiveOAuthProvider

        await self._forget_other_client(listener.redirect)
        self._asking = InteractiveOAuthProvider(self._url, self._wish, self._held, listener.redirect, self)
        request = client.build_request("POST", self._url, json=_PING, headers={"Accept": _ACCEPT})
        told = await self._refusal(client, request, refusal)
        try:
            await self._drive(client, request, told)
        except ServerFault:
            raise
        except Exception as fault:
            leaf = next(leaves(fault))
            metadata = self._asking.context.oauth_metadata is not None
            raise oauth_errors.explain(leaf, metadata=metadata, registration=self._asking.registers) from fault
        await self._held.keep_metadata(self._asking.context)

    async def _forget_other_client(self, redirect: str) -> None:
        """Drop a client that was registered for a different redirect URI; the server would refuse it."""
        known = (await self._held.facts()).get("client")
        if isinstance(known, dict) and redirect not in (known.get("redirect_uris") or [redirect]):
            await self._held.keep(client=None)

    async def _refusal(
        self, client: httpx2.AsyncClient, request: httpx2.Request, known: tuple[int, str] | None
    ) -> httpx2.Response:
        """Return the refusal that starts the flow: the known one, or that of a new request."""
        if known is None:
            answer = await self._send(client, request)
            refused = answer.status_code in (401, 403)
            known = (answer.status_code if refused else 401, answer.headers.get("www-authenticate", ""))
        return _refusal(known[0], self._with_scope(*known), request)

    def _with_scope(self, status: int, challenge: str) -> str:
        """Put the entry's scope into the challenge; it takes precedence over the server's. After a 403, missing scopes
        are added."""
        from mcp.client.auth.utils import extract_scope_from_www_auth, union_scopes

        wished = self._wish.scope.replace('"', "")
        if not wished:
            return challenge
        if status == 403:
            lacking = extract_scope_from_www_auth(_refusal(status, challenge))
            wished = union_scopes(wished, lacking) or wished
        scheme, _, rest = (challenge or "Bearer").partition(" ")
        return ", ".join(part for part in (f'{scheme} scope="{wished}"', rest) if part)

    async def _drive(self, client: httpx2.AsyncClient, request: httpx2.Request, refusal: httpx2.Response) -> None:
        from contextlib import aclosing

        from workbench.servers.oauth.oauth_provider import relay

        assert self._asking is not None
        async with aclosing(relay(self._asking.flow(request), request, refusal)) as exchanges:
            async for exchange in exchanges:
                self._check(str(exchange.request.url))
                self._check_registration(exchange.request)
                exchange.answer = await self._send(client, exchange.request)

    async def _send(self, client: httpx2.AsyncClient, request: httpx2.Request) -> httpx2.Response:
        """Send a request, read its answer up to the limit, record both."""
        import httpx2

        started = time.perf_counter()
        try:
            async with asyncio.timeout(_WHOLE_SECONDS):
                answer = await client.send(request, stream=True)
                try:
                    body = await _body(answer)
                finally:
                    await answer.aclose()
        except TimeoutError as fault:
            trouble = ServerFault(
                f"{oauth_errors.host(str(request.url))} did not complete its answer in time.", "Try again."
            )
            self._steps.add_request(request, 0, b"", (time.perf_counter() - started) * 1000, trouble.message)
            raise trouble from fault
        except httpx2.HTTPError as fault:
            trouble = unreachable(str(request.url), fault)
            self._steps.add_request(request, 0, b"", (time.perf_counter() - started) * 1000, trouble.message)
            raise trouble from fault
        self._steps.add_request(request, answer.status_code, body, (time.perf_counter() - started) * 1000)
        kept = [
            (name, value)
            for name, value in answer.headers.items()
            if name not in ("content-encoding", "content-length")
        ]
        made = httpx2.Response(answer.status_code, headers=kept, content=body, request=request)
        made.next_request = answer.next_request
        return made

    def _check(self, url: str) -> None:
        """SSRF guard: metadata is untrusted and must not lead to unencrypted or internal addresses."""
        if not may_request(url, self._url):
            raise oauth_errors.unsafe(url)

    def _check_registration(self, request: httpx2.Request) -> None:
        """Fail when the published metadata has no registration endpoint: guessing its URL does not work."""
        assert self._asking is not None
        registering = request.method == "POST" and b'"redirect_uris"' in request.content
        if registering and self._asking.context.oauth_metadata is not None and not self._asking.registers:
            self._steps.note("Register this app", "The metadata names no registration endpoint.", ok=False)
            raise oauth_errors.no_registration()


def _refusal(status: int, challenge: str, request: httpx2.Request | None = None) -> httpx2.Response:
    import httpx2

    return httpx2.Response(status, headers={"www-authenticate": challenge}, request=request)


async def _body(answer: httpx2.Response) -> bytes:
    found = b""
    async for chunk in answer.aiter_bytes():
        found += chunk
        if len(found) > _LARGEST or answer.headers.get("content-type", "").startswith("text/event-stream"):
            break
    return found[:_LARGEST]
