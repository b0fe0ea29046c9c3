"""What a person is shown before they allow a server."""

from __future__ import annotations

from msgspec import Struct


class Consent(Struct, frozen=True):
    """One wish to start a command, or to speak to an address, in the words a person decides by."""

    server: str
    told: str  # the whole command with its variables, or the address with its headers; values of secrets are hidden
    sha: str  # of exactly this entry; connecting with it refuses another one
    notes: tuple[str, ...] = ()  # what else goes along: folders
    warnings: tuple[str, ...] = ()  # what deserves a second look: secrets that leave, variables that load code
    remote: bool = False
