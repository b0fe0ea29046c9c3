"""Classifies paths of commands that run outside the sandbox, with the rights of the user."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.interpreter.values import HOLE
from workbench.analysis.tables.dangerous_texts import SENSITIVE_PATH
from workbench.records import Risk


class CommandPlace(StrEnum):
    """Kinds of places that a path of a command can refer to."""

    PROJECT = "project"
    ROOT = "the project itself or a folder above it"
    SCRATCH = "temporary files"
    NOTHING = "a device that keeps nothing"
    SYSTEM = "the system"
    OUTSIDE = "outside the project"
    SECRET = "a place for secrets"
    STARTUP = "read by other programs when they start"
    DEVICE = "a device"
    NETWORK = "a network connection"
    UNKNOWN = "known only at run time"


READ_RISK = {
    CommandPlace.OUTSIDE: Risk.MEDIUM, CommandPlace.UNKNOWN: Risk.MEDIUM, CommandPlace.SECRET: Risk.HIGH,
    CommandPlace.DEVICE: Risk.HIGH, CommandPlace.NETWORK: Risk.HIGH,
}  # fmt: skip
WRITE_RISK = {
    CommandPlace.PROJECT: Risk.LOW, CommandPlace.ROOT: Risk.LOW, CommandPlace.SCRATCH: Risk.LOW,
    CommandPlace.NOTHING: Risk.LOW, CommandPlace.DEVICE: Risk.CRITICAL, CommandPlace.NETWORK: Risk.CRITICAL,
}  # fmt: skip
DELETE_RISK = {
    CommandPlace.PROJECT: Risk.MEDIUM, CommandPlace.SCRATCH: Risk.LOW, CommandPlace.NOTHING: Risk.HIGH,
    CommandPlace.DEVICE: Risk.CRITICAL, CommandPlace.SYSTEM: Risk.CRITICAL,
}  # fmt: skip
_QUIET_DEVICES = re.compile(r"/dev/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd/\d+)|/proc/self/fd/[012]")
_SCRATCH = ("/tmp", "/var/tmp", "/private/tmp", "/dev/shm")
_SYSTEM = (
    "/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/opt", "/proc", "/run", "/sbin", "/snap",
    "/sys", "/usr", "/var", "/System", "/Library", "/Applications", "/private/etc", "/private/var",
)  # fmt: skip
_SYSTEM_SECRET = re.compile(
    r"/(?:private/)?etc/(?:g?shadow-?|sudoers(?:\.d)?|master\.passwd|ssh/.*_key|ssl/private)(?:/|$)"
    r"|/proc/[^/]+/(?:environ|mem|maps|root|cwd|fd)|/docker\.sock$|/var/(?:log|spool|lib)/|/run/(?:secrets|user)/"
)
_SAMPLE = re.compile(r"\.env\.(?:example|sample|template|dist|test)$", re.I)
# read, by programs or agents, without anybody deciding it again
_STARTUP = re.compile(
    r"""(?:^|/)(?:\.git(?:/(?:hooks|config|info)(?:/|$)|$)|\.gitmodules$|\.github/(?:workflows|actions|hooks)(?:/|$)
    |\.gitlab-ci\.yml$|\.circleci(?:/|$)|\.travis\.yml$|azure-pipelines\.yml$|Jenkinsfile$|bitbucket-pipelines\.yml$
    |\.husky(?:/|$)|\.pre-commit-config\.yaml$|\.vscode/(?:tasks|settings|launch|mcp)\.json$|\.idea(?:/|$)|\.envrc$
    |\.devcontainer(?:/|$)|\.claude(?:/|$)|\.claude\.json$|\.cursor(?:/|$)|\.codex(?:/|$)|\.copilot(?:/|$)|\.gemini(?:/|$)
    |\.mcp\.json$|workbench\.toml$|mcp-workbench(?:/|$)|\.(?:bash|zsh|k|c)?(?:rc|shrc|login|logout)$|\.z(?:env|profile)$
    |\.zshenv$|\.(?:bash_)?profile$|\.bash_aliases$|\.inputrc$|\.vimrc$|\.gitconfig$|\.config/(?:git|autostart|fish|systemd
    |environment\.d|nvim)(?:/|$)|\.local/bin(?:/|$)|LaunchAgents(?:/|$)|\.ssh(?:/|$)|sitecustomize\.py$|[^/]+\.pth$
    |\.(?:windsurf|zed|continue|kiro|roo)(?:/|$)|\.aider\.conf\.yml$|\.?lefthook\.(?:ya?ml|toml|json)$
    |\.(?:exrc|nvimrc|gdbinit|lldbinit|pnpmfile\.cjs|yarnrc\.yml)$|\.cargo/config(?:\.toml)?$)""",
    re.VERBOSE | re.IGNORECASE,  # some file systems ignore case
)
_SECRET_NAMES = (".env", ".ssh", ".aws", ".netrc", ".npmrc", ".pypirc", ".git-credentials", "id_rsa", "id_ed25519")
_MOST_FOLDERS = 4  # in which commands may run
_SHOWN = 80  # characters of a path


class ClientPlaces(Struct, frozen=True):
    """Where a client works: `roots` are the folders that belong to its project, `cwds` the folders that relative paths
    may start from. Without `cwds`, relative paths are known only at run time."""

    roots: tuple[str, ...] = ()
    cwds: tuple[str, ...] = ()
    home: str = ""
    follow_links: bool = True  # False: the paths are not those of this machine

    def classify(self, path: str) -> CommandPlace:
        """Return the kind of place of a path; of several possible ones the most sensitive."""
        if path.startswith(("/dev/tcp/", "/dev/udp/")):
            return CommandPlace.NETWORK
        if _QUIET_DEVICES.fullmatch(path):
            return CommandPlace.NOTHING
        if HOLE in path:
            return self._partly_known(path)
        if _hides_secret(path):
            return CommandPlace.SECRET
        return max((self._classify(one) for one in self.resolve(path)), key=_ORDER.index, default=CommandPlace.UNKNOWN)

    def resolve(self, path: str) -> tuple[str, ...]:
        """Return the absolute paths that a path may mean, without symbolic links."""
        if path == "~" or path.startswith("~/"):
            path = self.home + path[1:] if self.home else path
        elif path.startswith("~"):
            return (f"/home/{path[1:]}",)
        if os.path.isabs(path):
            return (self._real(path),)
        return tuple(self._real(os.path.join(cwd, path)) for cwd in self.cwds)

    def moved(self, path: str) -> ClientPlaces:
        """Return the places after `cd PATH`."""
        if HOLE in path:
            return replace(self, cwds=())
        return replace(self, cwds=tuple(dict.fromkeys(self.resolve(path)))[:_MOST_FOLDERS])

    def or_else(self, other: ClientPlaces) -> ClientPlaces:
        """Return the places if commands may run in the folders of either."""
        every = tuple(dict.fromkeys((*self.cwds, *other.cwds)))
        known = self.cwds and other.cwds and len(every) <= _MOST_FOLDERS
        return replace(self, cwds=every if known else ())

    def exist(self) -> bool:
        """Whether the folders exist now, so that `cd` into them works."""
        return self.follow_links and bool(self.cwds) and all(map(os.path.isdir, self.cwds))

    def show(self, path: str) -> str:
        """Return a path as the user reads it: relative to the project, or with `~`."""
        shown = path.replace(HOLE, "…")
        if HOLE not in path and os.path.isabs(path):
            for root in self.roots:
                if path.startswith(root.rstrip("/") + "/"):
                    shown = path[len(root.rstrip("/")) + 1 :]
                    break
            else:
                if self.home and path.startswith(self.home + "/"):
                    shown = f"~{path[len(self.home) :]}"
        return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"

    def _partly_known(self, path: str) -> CommandPlace:
        if SENSITIVE_PATH.search(path.replace(HOLE, "").lstrip("/")) and not _SAMPLE.search(path):
            return CommandPlace.SECRET
        start = path[: path.index(HOLE)]
        folder = start[: start.rfind("/") + 1]
        if not folder or path[len(start) :].count(".."):
            return CommandPlace.UNKNOWN
        place = self.classify(folder.rstrip("/") or "/")
        # a value may climb out of the folder, unless it is only a part of a name between known ends
        return CommandPlace.UNKNOWN if place in (CommandPlace.PROJECT, CommandPlace.ROOT) else place

    def _real(self, path: str) -> str:
        """Resolve symbolic links, so that a link in the project does not hide where it leads."""
        try:
            return os.path.realpath(path) if self.follow_links else os.path.normpath(path)
        except (OSError, ValueError):
            return os.path.normpath(path)

    def _classify(self, path: str) -> CommandPlace:
        if _QUIET_DEVICES.fullmatch(path):
            return CommandPlace.NOTHING
        for root in self.roots:
            if path == root or root.startswith(path.rstrip("/") + "/"):
                return CommandPlace.ROOT
            if path.startswith(root.rstrip("/") + "/"):
                return _named(path[len(root.rstrip("/")) + 1 :], CommandPlace.PROJECT)
        if self.home and (path == self.home or self.home.startswith(path.rstrip("/") + "/")):
            return CommandPlace.ROOT
        if self.home and path.startswith(self.home + "/"):
            return _named(path[len(self.home) + 1 :], CommandPlace.OUTSIDE)
        if _under(path, _SCRATCH):
            return _named(path.lstrip("/"), CommandPlace.SCRATCH) if path not in _SCRATCH else CommandPlace.SYSTEM
        if _SYSTEM_SECRET.search(path):
            return CommandPlace.SECRET
        if path.startswith("/dev/"):
            return CommandPlace.DEVICE
        if path == "/" or _under(path, _SYSTEM):
            return CommandPlace.SYSTEM
        return _named(path.lstrip("/"), CommandPlace.OUTSIDE)


_ORDER = (
    CommandPlace.NOTHING, CommandPlace.SCRATCH, CommandPlace.PROJECT, CommandPlace.SYSTEM, CommandPlace.OUTSIDE,
    CommandPlace.UNKNOWN, CommandPlace.ROOT, CommandPlace.STARTUP, CommandPlace.SECRET, CommandPlace.NETWORK,
    CommandPlace.DEVICE,
)  # fmt: skip


def _named(path: str, otherwise: CommandPlace) -> CommandPlace:
    """Classify a path below a known folder by its name."""
    if _STARTUP.search(path) and not path.startswith(".ssh/id_"):
        return CommandPlace.SECRET if re.search(r"(?:^|/)\.ssh(?:/|$)", path) else CommandPlace.STARTUP
    if SENSITIVE_PATH.search(path) and not _SAMPLE.search(path):
        return CommandPlace.SECRET
    return otherwise


def _hides_secret(path: str) -> bool:
    """Whether a pattern such as `.e*` may stand for a file of secrets. `*` alone does not stand for hidden files."""
    parts = [part for part in path.split("/") if any(one in part for one in "*?[") and part.strip("*")]
    return any(fnmatch.fnmatchcase(name, part) for part in parts for name in _SECRET_NAMES)


def _under(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
