"""Servers in the configuration files of other MCP clients, and previews of import and export."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from workbench.records.common_types import Fault
from workbench.records.servers import ServerConfig


class ImportConflict(StrEnum):
    """How a server found in another client's configuration relates to the project's servers."""

    NEW = "new"
    HERE = "here"  # the project has the same server
    CLASH = "clash"  # the project has a different server with this name


class FoundServer(Struct, frozen=True):
    """One server of another client. Values in its config that look like secrets are masked."""

    key: str  # opaque identifier for API requests
    client: str  # "Claude Desktop"
    file: str
    config: ServerConfig
    sha: str  # hash of the entry in the file; an import must name the hash that the user saw
    standing: ImportConflict = ImportConflict.NEW
    masked: tuple[
        str, ...
    ] = ()  # where values are masked: "env TOKEN", "header Authorization", "option key", "argument 3", "url"
    notes: tuple[str, ...] = ()  # parts of the entry that only that client understands
    project: str = ""  # the folder the server is configured for; empty: all folders


class Discovery(Struct, frozen=True):
    """The servers configured in other clients."""

    servers: tuple[FoundServer, ...] = ()
    faults: tuple[Fault, ...] = ()  # files and entries that could not be read


class ImportChoice(Struct, frozen=True):
    """A found server that the user selected for import."""

    key: str
    sha: str
    name: str  # its name in the project
    replace: bool = False  # replace the project's server of that name
    # store masked values in the secret store; otherwise they are written to .mcp.json in plain text
    keep_secrets: bool = False


class ImportReport(Struct, frozen=True):
    """The result of an import."""

    added: tuple[str, ...] = ()
    secrets: int = 0  # number of stored secrets
    faults: tuple[Fault, ...] = ()


class ClientFile(Struct, frozen=True):
    """A settings file of a client that servers can be exported to."""

    id: str
    client: str
    file: str
    installed: bool  # the client seems to be installed: the file or its folder exists
    project: str = ""


class ExportPreview(Struct, frozen=True):
    """The exact changes of an export before it is written."""

    client: ClientFile
    entries: str  # only the entries, in the format of that client
    diff: str  # the changed lines of the file, marked + and -
    sha: str  # hash of the complete text after the change
    notes: tuple[str, ...] = ()  # what that client does not support, and what the user must fill in
    blocked: Fault | None = None  # why the file cannot be written; the user can still paste the entries
    replaced: tuple[str, ...] = ()  # existing servers of the same name that change


class HookInstallation(Struct, frozen=True):
    """Whether a client's configuration file starts our hook program before the client's own calls."""

    client: ClientFile
    installed: bool = False
    absent: str = ""  # what happens without a core: ask, deny
    fault: str = ""  # why the file cannot be read
    project: str = ""  # the project whose core decides; empty: not known


class ExportReport(Struct, frozen=True):
    """The result of an export, with what is needed to undo it."""

    client: ClientFile
    names: tuple[str, ...]
    backup: str  # copy of the previous file; empty: there was no file
    sha: str  # hash of the written text; an undo must name it
    notes: tuple[str, ...] = field(default=())
