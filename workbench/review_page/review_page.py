"""The review page of one core: open or closed as the settings say, its devices, and pairing."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from workbench.api.marker import api
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.records import Fault, Note, PairingOffer, ReviewDevice, ReviewPageState
from workbench.runs.run_manager import RunManager

if TYPE_CHECKING:
    from workbench.review_page.page_server import PageServer
    from workbench.review_page.paired_devices import PairedDevices

log = logging.getLogger(__name__)

BY = "you"


class ReviewPage:
    """The review page of one core. Its server and cryptography are loaded when it is opened for the first time."""

    def __init__(self, services: Services, run_manager: RunManager) -> None:
        self._services = services
        self._run_manager = run_manager
        self._server: PageServer | None = None
        self._known: PairedDevices | None = None
        self._fault = ""
        self._changing = asyncio.Lock()

    async def follow_settings(self) -> Fault | None:
        """Open or close the page as the settings say; returns the fault if it cannot be opened."""
        async with self._changing:
            settings = self._services.settings()
            server = self._server
            if server is not None and (not settings.review_page or settings.review_page_port not in (0, server.port)):
                self._server = None
                await server.close()
                self._note("review_page.closed", "The review page was closed")
            self._fault = ""
            if settings.review_page and self._server is None:
                try:
                    await self._open(settings.review_page_port)
                except WorkbenchError as fault:
                    self._fault = str(fault)
                    return Fault(fault.message, fault.hint)
        return None

    def settings_changed(self) -> None:
        """Follow a changed setting in the background."""
        settings = self._services.settings()
        if settings.review_page or self._server is not None:
            spawn("review page follows settings", self._follow_and_log())

    async def close(self) -> None:
        """Close the page, because the core ends."""
        async with self._changing:
            server, self._server = self._server, None
            if server is not None:
                await server.close()

    @api(name="review_page")
    async def state(self) -> ReviewPageState:
        """Whether the review page is open, and its paired devices."""
        devices = (await self._devices()).all()
        return ReviewPageState(self._server.url if self._server is not None else "", devices, self._fault)

    @api(decides=True, consent=True)
    async def offer_pairing(self) -> PairingOffer:
        """Return a code with which one device can be paired within a few minutes."""
        if self._server is None:
            raise WorkbenchError("The review page is closed.", "Switch it on with the setting review.page.")
        code, expires = (await self._devices()).offer_pairing()
        self._note("review_page.pairing_offered", "You began to pair a device with the review page")
        return PairingOffer(f"{self._server.url}/#{code}", code, expires)

    @api(decides=True, consent=True)
    async def revoke_device(self, device_id: str) -> ReviewPageState:
        """Refuse everything that this device signs from now on."""
        device = (await self._devices()).revoke(device_id)
        self._note("review_page.device_revoked", f"You revoked {device.name}")
        return await self.state()

    async def _open(self, port: int) -> None:
        await asyncio.to_thread(_load)
        from workbench.review_page.page_server import PageServer
        from workbench.review_page.review_requests import ReviewRequests

        devices = await self._devices()
        requests = ReviewRequests(self._services, self._run_manager, devices)
        self._server = PageServer(
            port, lambda: self._services.settings().review_page_address, devices, requests, self._note_paired
        )
        self._note("review_page.opened", f"The review page is open on port {self._server.port} of this machine")

    async def _devices(self) -> PairedDevices:
        if self._known is None:
            await asyncio.to_thread(_load)
            from workbench.review_page.paired_devices import PairedDevices

            self._known = self._known or PairedDevices(self._services.paths.review_devices)
        return self._known

    async def _follow_and_log(self) -> None:
        if (fault := await self.follow_settings()) is not None:
            log.warning("the review page cannot be opened: %s", fault.message)

    def _note_paired(self, device: ReviewDevice) -> None:
        self._note("review_page.device_paired", f"{device.name} was paired with the review page")

    def _note(self, kind: str, summary: str) -> None:
        self._services.journal.append(Note(kind, summary, actor=BY))


def _load() -> None:
    import workbench.review_page.page_server  # noqa: F401
