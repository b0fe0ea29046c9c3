"""Answers what a person asks when something does not work."""

from __future__ import annotations

import os
from collections.abc import Mapping

from workbench.catalog.doctor.command import launcher
from workbench.catalog.doctor.diagnosis import Diagnosis
from workbench.catalog.launch import expand
from workbench.desk.house_checks import check_house
from workbench.desk.seat import Seat
from workbench.events import ServerChecked
from workbench.records import Check, ServerConfig


class DoctorDesk(Seat):
    """Examinations."""

    async def diagnose(self, server: str) -> tuple[Check, ...]:
        found = self._catalog.server(server)
        told: list[Check] = []

        def tell(check: Check) -> None:
            self._rooms.tell(ServerChecked(server, len(told), check))
            told.append(check)

        return await Diagnosis(found, launcher(self._rooms.paths.bench), _headers, tell).make()

    async def diagnose_house(self) -> tuple[Check, ...]:
        return await check_house(self._rooms, self._house.notices())


def _headers(config: ServerConfig) -> Mapping[str, str]:
    return {name: expand(value, os.environ) for name, value in config.headers.items()}
