"""API methods about signing in at remote servers."""

from __future__ import annotations

import contextlib

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.errors import WorkbenchError
from workbench.records import ServerConfig, SignIn
from workbench.servers.oauth.sign_in_service import SignIns, brings_its_own


class SignInHandler(RequestHandler):
    """OAuth sign-ins."""

    @api(decides=True)
    async def sign_in(self, server: str) -> SignIn:
        """Begin one, and answer when it is over. `SignInWanted` tells the page to open."""
        config = self._remote(server)
        if not self._catalog.server(server).state.allowed:
            raise WorkbenchError(f"{server} has not been allowed yet.", "Press Connect first; then sign in.")
        if brings_its_own(config):
            raise WorkbenchError(
                f"The entry of {server} brings a header Authorization of its own.",
                "Correct that; or take it out, and then sign in.",
            )
        self._note("server.sign_in_started", f"You began to sign in at {server}", server=server)
        report = await self._sign_ins.sign_in(config)
        if report.state == "done":
            self._note("server.signed_in", f"You signed in at {server}", server=server)
            with contextlib.suppress(WorkbenchError):  # its state says why it does not connect
                await self._catalog.connect(server)
        return report

    @api(decides=True)
    async def cancel_sign_in(self, server: str) -> SignIn:
        config = self._remote(server)
        await self._sign_ins.cancel(config)
        return await self._sign_ins.report(config)

    @api(decides=True)
    async def bring_sign_in(self, server: str, address: str) -> None:
        """The address at which a browser ended that could not reach this machine."""
        self._sign_ins.bring(self._remote(server), address)

    @api(decides=True)
    async def sign_out(self, server: str) -> SignIn:
        """Forget the tokens and the registration, and end the connection."""
        config = self._remote(server)
        report = await self._sign_ins.sign_out(config)
        await self._catalog.disconnect(server)
        self._note("server.signed_out", f"You signed out at {server}", server=server)
        return report

    @api
    async def sign_in_report(self, server: str) -> SignIn:
        """The last sign-in, step by step, and what is kept of it."""
        return await self._sign_ins.report(self._remote(server))

    @property
    def _sign_ins(self) -> SignIns:
        return self._services.sign_ins

    def _remote(self, server: str) -> ServerConfig:
        config = self._catalog.server(server).state.config
        if not config.remote:
            raise WorkbenchError(
                f"{server} runs on this machine: there is nowhere to sign in.", "Give it its keys in env."
            )
        return config
