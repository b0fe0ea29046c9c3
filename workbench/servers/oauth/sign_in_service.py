"""Sign-in service of a project: signs requests of connections, runs sign-ins that the user starts, and signs out."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import Event, SignInChanged, SignInWanted, spawn
from workbench.records import Fault, ServerConfig, SignIn
from workbench.servers.configuration import launch_command
from workbench.servers.oauth.oauth_errors import SignInNeeded
from workbench.servers.oauth.oauth_settings import MACHINE, OAuthSettings, read
from workbench.servers.oauth.sign_in_flow import SignInFlow
from workbench.servers.oauth.sign_in_log import SignInLog
from workbench.servers.oauth.token_storage import StoredSignIn, TokenSecretStore, name_of
from workbench.servers.server_faults import ServerFault
from workbench.settings import Settings

if TYPE_CHECKING:
    import httpx2

    from workbench.servers.oauth.oauth_provider import SavedTokenProvider

DONE, NEEDED = "done", "needed"
_LAST_SECONDS = 2.0  # seconds for requests to authorization servers while the core shuts down


@dataclass(slots=True)
class _Known:
    """Sign-in state of one server at one URL."""

    config: ServerConfig
    url: str
    wish: OAuthSettings
    held: StoredSignIn
    steps: SignInLog
    report: SignIn
    refusal: tuple[int, str] | None = None  # status and challenge of the last refusal that needs the user
    provider: SavedTokenProvider | None = None
    attempt: SignInFlow | None = None
    task: asyncio.Task[None] | None = None


class SignIns:
    """The sign-ins of all servers of a project."""

    def __init__(
        self, secret_store: TokenSecretStore, settings: Callable[[], Settings], tell: Callable[[Event], None]
    ) -> None:
        self._secret_store = secret_store
        self._settings = settings
        self._tell = tell
        self._known: dict[str, _Known] = {}
        self._revoking: set[asyncio.Task[None]] = set()
        self._looking = threading.Lock()  # two providers of one server would renew the same token twice and lose it
        # Reports the sign-in status to the server's state.
        self.noted: Callable[[str, str], None] = lambda server, word: None

    def authorize(self, config: ServerConfig) -> httpx2.Auth | None:
        """Return the provider that signs a connection's requests; None when the entry has its own header. Blocks."""
        if brings_its_own(config):
            return None
        from workbench.servers.oauth.oauth_provider import SavedTokenProvider

        known = self._look(config)
        with self._looking:
            if known.provider is None:
                known.provider = SavedTokenProvider(
                    known.url, known.wish, known.held, known.steps, self._noticer(known)
                )
        return known.provider

    async def sign_in(self, config: ServerConfig) -> SignIn:
        """Run one sign-in to its end and return its result. A new sign-in cancels a running one."""
        known = await asyncio.to_thread(self._look, config)
        if known.wish.grant == MACHINE:
            raise WorkbenchError(
                f"{config.name} signs in automatically.", "Connect it; the steps are shown if that fails."
            )
        await self.cancel(config)
        known.steps.begin()
        known.report = SignIn(config.name, "asking")
        self._tell_report(config.name)
        known.task = spawn(f"sign in {config.name}", self._run(known))
        await asyncio.wait([known.task])
        return await self.report(config)

    async def cancel(self, config: ServerConfig) -> None:
        known = self._known.get(config.name)
        if known is not None and known.task is not None and not known.task.done():
            known.task.cancel()
            await asyncio.wait([known.task])

    def bring(self, config: ServerConfig, address: str) -> None:
        """Pass the URL that the browser ended at when it could not reach this machine."""
        known = self._known.get(config.name)
        if known is None or known.attempt is None or not known.attempt.bring(address):
            raise WorkbenchError(
                "This address does not belong to the current sign-in.",
                "Copy the whole address from the browser after you signed in; it contains code= and state=.",
            )

    async def sign_out(self, config: ServerConfig) -> SignIn:
        """Delete the tokens and the registration. The authorization server is notified without waiting
        for its answer."""
        known = await asyncio.to_thread(self._look, config)
        await self.cancel(config)
        facts = await known.held.facts()
        await known.held.forget()
        known.steps.begin()
        self._revoke(known, facts)
        known.report = SignIn(config.name)
        known.refusal = None
        self.noted(known.config.name, "")
        return await self.report(config)

    async def remove(self, config: ServerConfig) -> None:
        """Delete everything stored for a removed server, even when its entry cannot be parsed."""
        name = name_of(config.name)
        await self.cancel(config)
        if config.remote and name in await asyncio.to_thread(self._secret_store.known_names):
            try:
                await self.sign_out(config)
            except WorkbenchError:
                await asyncio.to_thread(self._secret_store.delete_secret, name)
        self._known.pop(config.name, None)

    async def report(self, config: ServerConfig) -> SignIn:
        """Return the last sign-in or later renewals, and what is stored."""
        known = await asyncio.to_thread(self._look, config)
        facts = await known.held.facts()
        tokens = facts.get("tokens") or {}
        return replace(
            known.report,
            steps=known.steps.all,
            stored=bool(tokens),
            scope=str(tokens.get("scope") or ""),
            expires=float(facts.get("expires") or 0),
        )

    async def close(self) -> None:
        for known in tuple(self._known.values()):
            await self.cancel(known.config)
        if self._revoking:
            await asyncio.wait(tuple(self._revoking), timeout=_LAST_SECONDS)
        for task in tuple(self._revoking):
            task.cancel()
        if self._revoking:
            await asyncio.wait(tuple(self._revoking))

    def _revoke(self, known: _Known, facts: dict[str, Any]) -> None:
        if not facts.get("tokens") or not (facts.get("metadata") or {}).get("revocation_endpoint"):
            return
        from workbench.servers.oauth.token_revocation import revoke

        task = spawn(f"revoke {known.config.name}", revoke(known.url, known.wish, facts, known.steps))
        self._revoking.add(task)
        task.add_done_callback(self._revoking.discard)

    async def _run(self, known: _Known) -> None:
        known.attempt = SignInFlow(
            known.url,
            known.wish,
            known.held,
            known.steps,
            self._secret_store.masks,
            self._settings().signin_seconds,
            lambda url, host: self._wait(known, url, host),
        )
        try:
            await known.attempt.run(known.refusal)
        except ServerFault as fault:
            await self._end(known, "failed", fault.fault)
        except WorkbenchError as fault:
            await self._end(known, "failed", Fault(fault.message, fault.hint))
        except asyncio.CancelledError:
            await self._end(known, "cancelled")
            raise
        else:
            known.refusal = None
            self.noted(known.config.name, DONE)
            await self._end(known, "done")
        finally:
            known.attempt = None

    def _wait(self, known: _Known, url: str, host: str) -> None:
        known.report = replace(known.report, state="waiting", url=url, host=host)
        self._tell(SignInWanted(known.config.name, url, host))
        self._tell_report(known.config.name)

    async def _end(self, known: _Known, state: str, fault: Fault | None = None) -> None:
        mask = self._secret_store.masks.mask
        if fault is not None:
            fault = Fault(mask(fault.message), mask(fault.hint), mask(fault.detail))
        known.report = SignIn(known.config.name, state, fault=fault)
        self._tell_report(known.config.name)

    def _tell_report(self, server: str) -> None:
        known = self._known.get(server)
        if known is not None:
            self._tell(SignInChanged(server, known.report.state))

    def _noticer(self, known: _Known) -> Callable[[SignInNeeded | None], None]:
        def needed(fault: SignInNeeded | None) -> None:
            if fault is not None:
                known.refusal = (fault.status, fault.challenge)
                self.noted(known.config.name, NEEDED)
            # A call that needs more scopes still waits for the user, even when other calls succeed.
            elif known.refusal is None:
                self.noted(known.config.name, DONE)

        return needed

    def _look(self, config: ServerConfig) -> _Known:
        """Return the state of an entry; it is created again when the entry changed. Blocks, because it
        reads secrets."""
        with self._looking:
            known = self._known.get(config.name)
            if known is None or known.config != config:
                known = self._known[config.name] = self._make(config)
            return known

    def _make(self, config: ServerConfig) -> _Known:
        secret = self._secret_store.get_secret
        url = launch_command.expand(config.url, os.environ, secret)
        oauth = {
            key: launch_command.expand(value, os.environ, secret) if isinstance(value, str) else value
            for key, value in config.oauth.items()
        }
        wish = read(replace(config, oauth=oauth), self._settings().signin_client_metadata_url)
        for secret_value in (wish.client_secret, wish.private_key):
            self._secret_store.masks.add_secret(secret_value)
        return _Known(
            config,
            url,
            wish,
            StoredSignIn(self._secret_store, config.name, url),
            SignInLog(self._secret_store.masks, lambda: self._tell_report(config.name)),
            SignIn(config.name),
        )


def brings_its_own(config: ServerConfig) -> bool:
    """Whether an entry has its own Authorization header and no OAuth settings."""
    return not config.oauth and any(name.lower() == "authorization" for name in config.headers)
