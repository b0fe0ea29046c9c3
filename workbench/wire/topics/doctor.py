"""What a person asks when something does not work."""

from __future__ import annotations

from typing import Protocol

from workbench.records import Check


class DoctorQuestions(Protocol):
    """Examinations; each check is also told as an event when it is made."""

    async def diagnose(self, server: str) -> tuple[Check, ...]:
        """Why a server cannot be reached, or that it can. Starts it only where a person has allowed it."""

    async def diagnose_house(self) -> tuple[Check, ...]:
        """Whether this machine and this bench have what the workbench needs."""
