"""Servers in the configuration files of other MCP clients, and previews of import and export."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from workbench.records.common_types import Fault
from workbench.records.servers import ServerConfig


class Standing(StrEnum):
    """How a found server stands to the project."""

    NEW = "new"
    HERE = "here"  # the project has the same one
    CLASH = "clash"  # the project has another one of that name


class FoundServer(Struct, frozen=True):
    """One server of another client; values that look like secrets are masked in its config."""

    key: str  # names it in questions; says nothing to people
    client: str  # "Claude Desktop"
    file: str
    config: ServerConfig
    sha: str  # of the entry as it stands in the file; importing it names what a person saw
    standing: Standing = Standing.NEW
    masked: tuple[
        str, ...
    ] = ()  # where values are masked: "env TOKEN", "header Authorization", "option key", "argument 3", "url"
    notes: tuple[str, ...] = ()  # what of the entry means something to that client alone
    project: str = ""  # the folder it is configured for; empty: everywhere


class Discovery(Struct, frozen=True):
    """What other clients have."""

    servers: tuple[FoundServer, ...] = ()
    faults: tuple[Fault, ...] = ()  # files and entries that could not be read


class ImportChoice(Struct, frozen=True):
    """A found server that a person ticked."""

    key: str
    sha: str
    name: str  # its name in the project
    replace: bool = False  # the one of that name here goes
    keep_secrets: bool = False  # masked values go to where secrets are kept; otherwise into .mcp.json as they are


class ImportReport(Struct, frozen=True):
    """What became of the choices."""

    added: tuple[str, ...] = ()
    secrets: int = 0  # stored
    faults: tuple[Fault, ...] = ()


class ClientFile(Struct, frozen=True):
    """One settings file that servers can be written to."""

    id: str
    client: str
    file: str
    installed: bool  # its app was here: the file or its folder exists
    project: str = ""


class ExportPreview(Struct, frozen=True):
    """Exactly what would be written."""

    client: ClientFile
    entries: str  # the entries alone, as that client writes them
    diff: str  # the lines of the file that change, marked + and -
    sha: str  # of the whole text after the change
    notes: tuple[str, ...] = ()  # what that client cannot do, and what a person has to fill in
    blocked: Fault | None = None  # why it cannot be written; the entries can be pasted still
    replaced: tuple[str, ...] = ()  # servers of the same name that change


class ExportReport(Struct, frozen=True):
    """What was written, and the way back."""

    client: ClientFile
    names: tuple[str, ...]
    backup: str  # the file as it was before; empty: there was none
    sha: str  # of what was written; undoing names it
    notes: tuple[str, ...] = field(default=())
