"""Consents of the user to start a server, stored by the fingerprint of its entry, and the text that the user reads
before consenting.

A changed entry needs a new consent. The executable and the script of the command are hashed at the first start; when
they change, the consent is void. The author of the project also wrote the entry, so a reference to a secret in a header
is shown as a request for that secret.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from workbench.records import Consent, ServerConfig
from workbench.servers.configuration import private_json_files, secret_masking
from workbench.servers.configuration.launch_command import LaunchCommand, fingerprint, prepare, references, variables
from workbench.servers.ssrf_guard import is_local_host


class LaunchConsents:
    """The user's consents in one project. They are private state and never part of the project."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._given: dict[str, _StoredConsent] = {}  # by the fingerprint of the entry

    def read(self) -> None:
        stored = private_json_files.load_as(self._file, dict[str, Any]) or {}  # Any: JSON
        self._given = private_json_files.convert_entries(stored, _StoredConsent, "consent")

    def allows(self, config: ServerConfig) -> bool:
        return config.builtin or fingerprint(config) in self._given

    def known(self, config: ServerConfig) -> dict[str, CommandFile]:
        """Return the files that the command used when the user allowed it, by name."""
        return {file.name: file for file in self._files(config) or ()}

    def vouch(self, config: ServerConfig, files: tuple[CommandFile, ...]) -> str:
        """Return what differs from what the user allowed, or "". A consent without stored files accepts these files as
        allowed."""
        before = self._files(config)
        if before is not None and (told := difference(before, files)):
            return told
        entry = self._given.get(fingerprint(config))
        if before != files and config.name and entry is not None:
            self._save({**self._given, fingerprint(config): replace(entry, files=files)})
        return ""

    def give(self, config: ServerConfig, like: ServerConfig | None = None) -> None:
        """Store the user's consent to this command and to the files found at its next start. `like`: the entry that it
        replaces without asking the user again; the files allowed for that entry remain the only allowed ones."""
        if config.builtin:
            return
        files = self._files(like) if like is not None else None
        self._save(
            {**self._given, fingerprint(config): _StoredConsent(config.name, config.command, time.time(), files)}
        )

    def _files(self, config: ServerConfig) -> tuple[CommandFile, ...] | None:
        entry = self._given.get(fingerprint(config))
        return entry.files if entry is not None else None

    def _save(self, given: dict[str, _StoredConsent]) -> None:
        private_json_files.save(self._file, given, durable=True, name="The file with your consents")
        self._given = given


_LARGEST = 512 << 20  # bytes; larger files are compared by size and modification time only
_INTERPRETERS = re.compile(r"(?:python|pypy|node|deno|bun|ruby|perl|php|java|bash|sh|zsh)[\d.]*")


class CommandFile(Struct, frozen=True):
    """A file that a command runs: path, size, modification time and hash."""

    name: str  # as written in the command
    path: str  # resolved path
    size: int
    changed: int  # modification time in nanoseconds
    sha: str = ""  # computed when needed


class _StoredConsent(Struct, frozen=True):
    """A consent, and the files of the command at its first start."""

    server: str = ""
    command: str = ""
    at: float = 0.0
    files: tuple[CommandFile, ...] | None = None  # None: not started yet, or allowed by a version that stored no files


def of(config: ServerConfig, project: Path, known: Mapping[str, CommandFile]) -> tuple[CommandFile, ...]:
    """Return the files of an entry. Secrets are not resolved, because no file name contains one. Blocks."""
    return look(prepare(config, project, secret=lambda name: "-"), known)


def look(launch: LaunchCommand, known: Mapping[str, CommandFile]) -> tuple[CommandFile, ...]:
    """Return the files of a launch. Blocks: call it on a thread. `known`, by name: unchanged files are
    not read again."""
    found = []
    for name, path in _files(launch):
        try:
            found.append(_look(name, path, known.get(name)))
        except OSError:
            continue  # starting the server reports the error
    return tuple(found)


def difference(before: tuple[CommandFile, ...], now: tuple[CommandFile, ...]) -> str:
    """Describe what changed for the user before the command is allowed again; "" when nothing changed."""
    known = {file.name: file for file in before}
    for file in now:
        old = known.get(file.name)
        if old is None:
            return f"{file.name} was not a file when you allowed the command: {file.path}"
        if old.sha and old.sha == file.sha:
            continue  # identical content, even at another path
        if old.path != file.path:
            return f"{file.name} is now a different file: {file.path} instead of {old.path}"
        if (old.sha, old.size, old.changed) != (file.sha, file.size, file.changed):
            place = "" if file.name == file.path else f": {file.path}"
            return f"{file.name} has changed since you allowed it{place}"
    return ""


def _files(launch: LaunchCommand) -> list[tuple[str, Path]]:
    folder = Path(launch.cwd)
    if "/" in launch.command:
        program: Path | None = folder / launch.command
    else:
        which = shutil.which(launch.command, path=launch.env.get("PATH"))
        program = Path(which) if which else None
    if program is None:
        return []
    files = [(launch.command, program)]
    if _INTERPRETERS.fullmatch(Path(launch.command).name):
        files += _script(launch.args, folder)
    return files


def _script(args: tuple[str, ...], folder: Path) -> list[tuple[str, Path]]:
    """Return the first argument of an interpreter that is a file."""
    for arg in args:
        if arg in ("-m", "-c", "-e", "--eval"):
            return []
        # An argument that is not a file may belong to an option.
        if not arg.startswith("-") and os.path.isfile(folder / arg):
            return [(arg, folder / arg)]
    return []


def _look(name: str, path: Path, known: CommandFile | None) -> CommandFile:
    real = path.resolve(strict=True)
    facts = real.stat()
    now = CommandFile(name, str(real), facts.st_size, facts.st_mtime_ns)
    if known is not None and (known.path, known.size, known.changed) == (now.path, now.size, now.changed):
        return known
    if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST:
        return now
    with real.open("rb") as file:
        sha = hashlib.file_digest(file, "sha256").hexdigest()
    return CommandFile(name, now.path, now.size, now.changed, sha)


# Variables that make a harmless command load different code, or run a different program of the same name.
_LOADING = re.compile(
    r"PATH|LD_[A-Z_]+|DYLD_[A-Z_]+|PYTHON[A-Z]+|NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|SHELL|IFS|PERL5(?:OPT|LIB)|RUBY(?:OPT|LIB)"
    r"|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_[A-Z_]+|GCONV_PATH|(?:NPM|UV|PIP)_[A-Z_]+|npm_config_\w+|DOTNET_STARTUP_HOOKS"
)


def consent(config: ServerConfig) -> Consent:
    """Build the text that the user reads, with the fingerprint that it describes."""
    shown, _ = secret_masking.mask(config)
    told = _sent(shown) if config.remote else _run(shown)
    return Consent(
        config.name, told, fingerprint(config), tuple(_notes(config)), tuple(_warnings(config)), config.remote
    )


def _run(config: ServerConfig) -> str:
    variables_given = (f"{name}={shlex.quote(value)}" for name, value in config.env.items())
    words = " ".join((*variables_given, shlex.join((config.command, *config.args))))
    return words.replace(f"'{secret_masking.MASK}'", secret_masking.MASK)


def _sent(config: ServerConfig) -> str:
    return "\n".join((config.url, *(f"{name}: {value}" for name, value in config.headers.items())))


def _notes(config: ServerConfig) -> Iterator[str]:
    if config.cwd and not config.remote:
        yield f"It runs in the folder {config.cwd}."
    if config.roots:
        yield f"The server is told that it may work in: {', '.join(config.roots)}."


def _warnings(config: ServerConfig) -> Iterator[str]:
    where = _host(config.url) if config.remote else "this command"
    deed = "is sent to" if config.remote else "is passed to"
    for name in references(config):
        yield f"Your stored secret “{name}” {deed} {where}."
    for name in variables(_texts(config)):
        yield f"The value of your environment variable {name} {deed} {where}."
    if config.remote and config.url.lower().startswith("http:") and not is_local_host(where):
        yield "The connection is not encrypted (http)."
    for name in config.env if not config.remote else ():
        if _LOADING.fullmatch(name):
            yield f"{name} can make the command load different code."


def _texts(config: ServerConfig) -> Iterable[str]:
    if config.remote:
        return (config.url, *config.headers.values(), *(v for v in config.oauth.values() if isinstance(v, str)))
    return (config.command, *config.args, *config.env.values(), config.cwd)


def _host(url: str) -> str:
    """Return the host of a URL; an invalid URL is shown in full."""
    try:
        return urlsplit(url).hostname or url[:200]
    except ValueError:
        return url[:200]
