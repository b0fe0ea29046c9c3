"""Names of secrets and where they are stored. Values never travel."""

from __future__ import annotations

from msgspec import Struct


class SecretInfo(Struct, frozen=True):
    """One secret that is stored, or that a server refers to."""

    name: str
    stored: bool
    servers: tuple[str, ...] = ()  # whose entries in `.mcp.json` refer to it
    signed_in: str = ""  # set when it is what a sign-in brought for this server, not something a person typed


class SecretStore(Struct, frozen=True):
    """Where secrets are kept on this machine, and which there are."""

    kind: str  # keyring, file, memory, locked; empty while nobody needed it
    sentence: str
    hint: str = ""
    passphrase: str = ""  # what a passphrase would do now: "create" a file, "unlock" one, or "" nothing
    secrets: tuple[SecretInfo, ...] = ()
