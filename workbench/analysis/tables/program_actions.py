"""The kinds of actions of a program, with their risk and the sentences that the user reads."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from workbench.records import EffectKind, Risk


class ProgramAction(StrEnum):
    """One kind of effect. The value is the first part of its rule id."""

    READ = "file.read"
    LIST = "file.list"
    WRITE = "file.write"
    FOLDER = "file.folder"
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


class ActionWords(Struct, frozen=True):
    """The sentences for an action, with a known subject and without one, and its risk."""

    risk: Risk
    certainty: EffectKind
    named: str
    plain: str
    reversible: bool | None = None


_WILL, _MAY, _REFUSED = EffectKind.WILL, EffectKind.MAY, EffectKind.REFUSED
_LOW, _MEDIUM, _HIGH = Risk.LOW, Risk.MEDIUM, Risk.HIGH

WORDS: dict[ProgramAction, ActionWords] = {
    ProgramAction.READ: ActionWords(_LOW, _WILL, "Reads {}", "Reads a file chosen at run time", True),
    ProgramAction.LIST: ActionWords(_LOW, _WILL, "Lists {}", "Lists a folder chosen at run time", True),
    ProgramAction.WRITE: ActionWords(_MEDIUM, _WILL, "Writes {}", "Writes a file chosen at run time", True),
    ProgramAction.FOLDER: ActionWords(_MEDIUM, _WILL, "Makes the folder {}", "Makes a folder chosen at run time", True),
    ProgramAction.COPY: ActionWords(_MEDIUM, _WILL, "Copies {}", "Copies a file chosen at run time", True),
    ProgramAction.MOVE: ActionWords(
        _HIGH, _WILL, "Moves or replaces {}", "Moves or replaces a file chosen at run time", None
    ),
    ProgramAction.DELETE: ActionWords(_HIGH, _WILL, "Deletes {}", "Deletes files chosen at run time"),
    ProgramAction.META: ActionWords(
        _HIGH, _WILL, "Changes permissions of {}", "Changes permissions of a file chosen at run time", True
    ),
    ProgramAction.LINK: ActionWords(_HIGH, _WILL, "Links {} to another place", "Links a file to another place", True),
    ProgramAction.TEMPORARY: ActionWords(_LOW, _WILL, "Writes temporary files", "Writes temporary files", True),
    ProgramAction.DATABASE: ActionWords(_MEDIUM, _MAY, "Changes a database: {}", "Changes a database", False),
    ProgramAction.PROCESS: ActionWords(_HIGH, _REFUSED, "Runs the command {}", "Runs another program", False),
    ProgramAction.FORK: ActionWords(_HIGH, _REFUSED, "Starts copies of itself", "Starts copies of itself", True),
    ProgramAction.WORKERS: ActionWords(
        _MEDIUM, _REFUSED, "Starts further Python processes", "Starts further Python processes", True
    ),
    ProgramAction.SIGNAL: ActionWords(_MEDIUM, _MAY, "Stops or signals processes", "Stops or signals processes", False),
    ProgramAction.NETWORK: ActionWords(_HIGH, _REFUSED, "Contacts {}", "Contacts the network", False),
    ProgramAction.NATIVE: ActionWords(_HIGH, _MAY, "Calls native code through {}", "Calls native code", False),
    ProgramAction.CODE: ActionWords(
        _HIGH, _MAY, "Runs text as code: {}", "Runs text as code that is only known at run time", None
    ),
    ProgramAction.UNPACK: ActionWords(
        _HIGH, _MAY, "Unpacks data with {}, which can run code", "Unpacks data in a way that can run code", None
    ),
    ProgramAction.IMPORT: ActionWords(_MEDIUM, _MAY, "Imports {} by name", "Imports a module chosen at run time", None),
    ProgramAction.INTERNALS: ActionWords(
        _HIGH, _MAY, "Accesses Python's internals through {}", "Accesses Python's internals", None
    ),
    ProgramAction.TAMPER: ActionWords(
        _HIGH, _MAY, "Changes how Python itself works: {}", "Changes how Python itself works", None
    ),
    ProgramAction.PRIVILEGE: ActionWords(_HIGH, _REFUSED, "Changes privileges with {}", "Changes privileges", False),
    ProgramAction.ENVIRONMENT: ActionWords(
        _LOW,
        _REFUSED,
        "Reads the environment variable {}, which the sandbox does not have",
        "Reads environment variables; the sandbox has only harmless ones",
        True,
    ),
    ProgramAction.SETTING: ActionWords(
        _HIGH, _MAY, "Changes the environment variable {}", "Changes environment variables", True
    ),
    ProgramAction.WATCH: ActionWords(
        _MEDIUM, _REFUSED, "Monitors the machine with {}", "Monitors the machine and its processes", True
    ),
    ProgramAction.DRIVE: ActionWords(
        _HIGH,
        _REFUSED,
        "Monitors or controls the screen, keyboard or clipboard with {}",
        "Monitors or controls the screen or keyboard",
        None,
    ),
    ProgramAction.INSTALL: ActionWords(_HIGH, _REFUSED, "Installs software with {}", "Installs software", False),
    ProgramAction.RESOURCE: ActionWords(
        _MEDIUM,
        _MAY,
        "May use up the resources of the machine: {}",
        "May use up the resources of the machine until a limit stops it",
        True,
    ),
    ProgramAction.HOOK: ActionWords(
        _MEDIUM, _MAY, "Schedules code to run later with {}", "Schedules code to run later", True
    ),
}
