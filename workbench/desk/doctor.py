"""Answers what a person asks when something does not work."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.desk.house_checks import check_house
from workbench.desk.seat import Seat
from workbench.events import ServerChecked
from workbench.records import Check, ServerConfig
from workbench.servers.configuration.launch_command import expand
from workbench.servers.doctor.command_check import launcher
from workbench.servers.doctor.diagnosis import Diagnosis


class DoctorDesk(Seat):
    """Examinations."""

    @api
    async def diagnose(self, server: str) -> tuple[Check, ...]:
        """Why a server cannot be reached, or that it can. Starts it only where a person has allowed it."""
        found = self._catalog.server(server)
        told: list[Check] = []

        def tell(check: Check) -> None:
            masked = self._masked(check)
            self._services.tell(ServerChecked(server, len(told), masked))
            told.append(masked)

        launch_of = launcher(self._services.paths.bench, self._services.secrets.get)
        await Diagnosis(found, launch_of, self._reach, tell).make()
        return tuple(told)

    @api
    async def diagnose_house(self) -> tuple[Check, ...]:
        """Whether this machine and this bench have what the workbench needs."""
        return await check_house(self._services, self._house.notices())

    def _reach(self, config: ServerConfig) -> tuple[str, Mapping[str, str]]:
        """Where a remote server is and what is sent to it; may block while a keyring is asked."""
        secret = self._services.secrets.get
        headers = {name: expand(value, os.environ, secret) for name, value in config.headers.items()}
        return expand(config.url, os.environ, secret), headers

    def _masked(self, check: Check) -> Check:
        """A server may repeat what was sent to it."""
        mask = self._services.secrets.masks.mask
        return replace(check, sentence=mask(check.sentence), fix=mask(check.fix), detail=mask(check.detail))
