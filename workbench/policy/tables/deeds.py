"""The kinds of things a program can do to the world, with how risky each is and the words a person reads."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from workbench.records import EffectKind, Risk


class Deed(StrEnum):
    """One kind of effect; the value is the stem of its rule id."""

    READ = "file.read"
    LIST = "file.list"
    WRITE = "file.write"
    COPY = "file.copy"
    MOVE = "file.move"
    DELETE = "file.delete"
    META = "file.permissions"
    LINK = "file.link"
    TEMPORARY = "file.temporary"
    DATABASE = "database.change"
    PROCESS = "process"
    FORK = "process.fork"
    WORKERS = "process.workers"
    SIGNAL = "process.signal"
    NETWORK = "network"
    NATIVE = "native"
    CODE = "code.run"
    UNPACK = "code.unpack"
    IMPORT = "code.import"
    INTERNALS = "python.internals"
    TAMPER = "python.tamper"
    PRIVILEGE = "privilege"
    ENVIRONMENT = "environment.read"
    SETTING = "environment.change"
    WATCH = "machine.watch"
    DRIVE = "machine.drive"
    INSTALL = "install"
    RESOURCE = "resource"
    HOOK = "python.hook"


class Words(Struct, frozen=True):
    """How a deed is told: with a known subject and without one."""

    risk: Risk
    certainty: EffectKind
    named: str
    plain: str
    reversible: bool | None = None


_WILL, _MAY, _REFUSED = EffectKind.WILL, EffectKind.MAY, EffectKind.REFUSED
_LOW, _MEDIUM, _HIGH = Risk.LOW, Risk.MEDIUM, Risk.HIGH

WORDS: dict[Deed, Words] = {
    Deed.READ: Words(_LOW, _WILL, "Reads {}", "Reads a file chosen at run time", True),
    Deed.LIST: Words(_LOW, _WILL, "Lists {}", "Lists a folder chosen at run time", True),
    Deed.WRITE: Words(_MEDIUM, _WILL, "Writes {}", "Writes a file chosen at run time", True),
    Deed.COPY: Words(_MEDIUM, _WILL, "Copies {}", "Copies a file chosen at run time", True),
    Deed.MOVE: Words(_HIGH, _WILL, "Moves or replaces {}", "Moves or replaces a file chosen at run time", None),
    Deed.DELETE: Words(_HIGH, _WILL, "Deletes {}", "Deletes files chosen at run time"),
    Deed.META: Words(
        _HIGH, _WILL, "Changes permissions of {}", "Changes permissions of a file chosen at run time", True
    ),
    Deed.LINK: Words(_HIGH, _WILL, "Links {} to another place", "Links a file to another place", True),
    Deed.TEMPORARY: Words(_LOW, _WILL, "Writes temporary files", "Writes temporary files", True),
    Deed.DATABASE: Words(_MEDIUM, _MAY, "Changes a database: {}", "Changes a database", False),
    Deed.PROCESS: Words(_HIGH, _REFUSED, "Runs the command {}", "Runs another program", False),
    Deed.FORK: Words(_HIGH, _REFUSED, "Starts copies of itself", "Starts copies of itself", True),
    Deed.WORKERS: Words(_MEDIUM, _REFUSED, "Starts further Python processes", "Starts further Python processes", True),
    Deed.SIGNAL: Words(_MEDIUM, _MAY, "Stops or signals processes", "Stops or signals processes", False),
    Deed.NETWORK: Words(_HIGH, _REFUSED, "Contacts {}", "Contacts the network", False),
    Deed.NATIVE: Words(_HIGH, _MAY, "Calls native code through {}", "Calls native code", False),
    Deed.CODE: Words(_HIGH, _MAY, "Runs text as code: {}", "Runs text as code that is only known at run time", None),
    Deed.UNPACK: Words(
        _HIGH, _MAY, "Unpacks data with {}, which can run code", "Unpacks data in a way that can run code", None
    ),
    Deed.IMPORT: Words(_MEDIUM, _MAY, "Imports {} by name", "Imports a module chosen at run time", None),
    Deed.INTERNALS: Words(_HIGH, _MAY, "Walks Python's internals through {}", "Walks Python's internals", None),
    Deed.TAMPER: Words(_HIGH, _MAY, "Changes how Python itself works: {}", "Changes how Python itself works", None),
    Deed.PRIVILEGE: Words(_HIGH, _REFUSED, "Changes privileges with {}", "Changes privileges", False),
    Deed.ENVIRONMENT: Words(
        _LOW,
        _REFUSED,
        "Reads the environment variable {}, which the sandbox does not have",
        "Reads environment variables, of which the sandbox holds only harmless ones",
        True,
    ),
    Deed.SETTING: Words(_HIGH, _MAY, "Changes the environment variable {}", "Changes environment variables", True),
    Deed.WATCH: Words(_MEDIUM, _REFUSED, "Watches the machine with {}", "Watches the machine and its processes", True),
    Deed.DRIVE: Words(
        _HIGH,
        _REFUSED,
        "Watches or drives screen, keyboard or clipboard with {}",
        "Watches or drives screen or keyboard",
        None,
    ),
    Deed.INSTALL: Words(_HIGH, _REFUSED, "Installs software with {}", "Installs software", False),
    Deed.RESOURCE: Words(
        _MEDIUM, _MAY, "May use up the machine: {}", "May use up the machine until a limit stops it", True
    ),
    Deed.HOOK: Words(_MEDIUM, _MAY, "Leaves something to run later with {}", "Leaves something to run later", True),
}
