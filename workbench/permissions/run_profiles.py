"""Profiles, which limit what runs may do: three built-in ones, and those in the settings files of user and project.

    [profiles.reports]
    base = "read_only"                # read_only, write_restricted or execute_full
    workspace = "write"               # none, read, write
    tools = "read"                    # none, read, add, all
    only = ["github.list_*", "mail"]  # the only servers and tools
    network = false
    ask = true
    isolation = "container"
    seconds = 10                      # limits below those of the settings
    memory_mb = 256
    calls = 100

The user's own profiles apply as they are. A project's profile applies if it allows nothing beyond its base, or once the
user accepted exactly its current content. A profile that cannot be read is ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, to_builtins
from msgspec.structs import replace

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.files import read_plain, read_toml, write_file
from workbench.permissions import tool_verbs
from workbench.permissions.tool_annotations import facts_of
from workbench.records import Fault, Profiles, Risk, RunProfile, Tool, ToolGroup
from workbench.records.common_types import at_least
from workbench.settings import PROFILES

WORKSPACE = ("none", "read", "write")  # each value includes those before it
TOOLS = ("none", "read", "add", "all")
ISOLATION = ("", "process", "container", "vm")
READ_ONLY = RunProfile("read_only", "read_only", "read", "read", network=False)
WRITE_RESTRICTED = RunProfile("write_restricted", "write_restricted")
EXECUTE_FULL = RunProfile("execute_full", "execute_full", ask=True, times=4)
BUILT_IN = {one.name: one for one in (READ_ONLY, WRITE_RESTRICTED, EXECUTE_FULL)}
_MOUNTS = {
    "none": "cannot see the workspace",
    "read": "reads the workspace and cannot change it",
    "write": "reads and writes the workspace",
}
_CLASSES = {
    "none": "calls no tools",
    "read": "calls tools that only read",
    "add": "calls tools that read or add data, but no high-risk tools",
    "all": "calls any tools, high-risk tools only if the user or a rule allows it",
}


def within(inner: RunProfile, outer: RunProfile) -> bool:
    """Whether a profile allows nothing that the other does not."""
    return inner is outer or (
        WORKSPACE.index(inner.workspace) <= WORKSPACE.index(outer.workspace)
        and TOOLS.index(inner.tools) <= TOOLS.index(outer.tools)
        and (outer.network or not inner.network)
        and (inner.ask or not outer.ask)
        and ISOLATION.index(inner.isolation) >= ISOLATION.index(outer.isolation)
        and inner.times <= outer.times
        and (not outer.only or (bool(inner.only) and set(inner.only) <= set(outer.only)))
        and all(_limit(mine) <= _limit(theirs) for mine, theirs in _limits(inner, outer))
    )


def described(profile: RunProfile) -> RunProfile:
    """Return the profile with the sentence that describes what it allows."""
    parts = [_MOUNTS[profile.workspace], _CLASSES[profile.tools]]
    parts += [f"is limited to {', '.join(profile.only)}"] if profile.only else []
    parts.append("reaches hosts that are allowed" if profile.network else "has no network access")
    parts += [f"may use up to {profile.times} times the limits"] if profile.times > 1 else []
    parts += [f"needs {profile.isolation} isolation or stronger"] if profile.isolation else []
    parts += ["always needs the user's approval"] if profile.ask else []
    text = "; ".join(parts)
    return replace(profile, sentence=f"{text[:1].upper()}{text[1:]}.")


def outside(profile: RunProfile | None, required: tuple[str, ...], tool: Tool) -> Fault | None:
    """Return why a run within these limits may not call this tool; None when it may."""
    name = f"{tool.server}.{tool.name}"
    if required and name not in required:
        shown = ", ".join(required[:5]) + (" …" if len(required) > 5 else "")
        return Fault(f"{name} is not among the required_tools of this program.", f"The program is limited to {shown}.")
    if profile is None:
        return None
    if profile.only and not any(_means(pattern, tool) for pattern in profile.only):
        hint = f"The profile is limited to {', '.join(profile.only[:5])}."
        return Fault(f"The profile {profile.name} does not allow {name}.", hint)
    if not _in_class(profile.tools, tool):
        return Fault(
            f"The profile {profile.name} does not allow {name}: a program with this profile {_CLASSES[profile.tools]}.",
            "Submit the program with a wider profile; the user may have to approve it.",
        )
    return None


def _in_class(kind: str, tool: Tool) -> bool:
    risk = facts_of(tool).risk
    if kind == "read":
        reading = (
            tool_verbs.reads(tool.name) and not tool_verbs.destroys(tool.name) and tool.hints.read_only is not False
        )
        by_name = risk is Risk.MEDIUM and reading and not tool.hints.destructive
        return risk is Risk.LOW or by_name or (tool.group is ToolGroup.READS and facts_of(tool).unverified)
    return kind == "all" or (kind == "add" and not at_least(risk, Risk.HIGH))


def _means(pattern: str, tool: Tool) -> bool:
    return fnmatchcase(tool.server, pattern) or fnmatchcase(f"{tool.server}.{tool.name}", pattern)


def _limits(inner: RunProfile, outer: RunProfile) -> tuple[tuple[int, int], ...]:
    return (inner.seconds, outer.seconds), (inner.memory_mb, outer.memory_mb), (inner.calls, outer.calls)


def _limit(number: int) -> float:
    return number or float("inf")


class AcceptedProfiles:
    """Fingerprints of the wider profiles of the project that the user accepted. An unreadable file accepts none."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self._accepted = msgspec.json.decode(read_plain(file, "ascii"), type=dict[str, object])
        except (OSError, ValueError, RecursionError):
            self._accepted = {}

    def __contains__(self, sha: str) -> bool:
        return sha in self._accepted

    def add(self, sha: str, about: Mapping[str, object]) -> None:
        self._save({**self._accepted, sha: dict(about)})

    def remove(self, sha: str) -> None:
        self._save({known: value for known, value in self._accepted.items() if known != sha})

    def _save(self, accepted: dict[str, object]) -> None:
        write_file(self._file, json.dumps(accepted), name="The file of accepted profiles")
        self._accepted = accepted


class ProfileTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A table `[profiles.NAME]` of a settings file; None: as its base."""

    base: Literal["read_only", "write_restricted", "execute_full"] = "write_restricted"
    workspace: Literal["none", "read", "write"] | None = None
    tools: Literal["none", "read", "add", "all"] | None = None
    only: tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...] = ()
    network: bool | None = None
    ask: bool | None = None
    isolation: Literal["", "process", "container", "vm"] | None = None
    seconds: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    memory_mb: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    calls: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


MOST = 50  # profiles in one file
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_LIMIT = "a number from 1 to 1,000,000, or 0 for no limit of its own"
_TAKES = {
    "base": f"one of {', '.join(BUILT_IN)}",
    "workspace": f"one of {', '.join(WORKSPACE)}",
    "tools": f"one of {', '.join(TOOLS)}",
    "isolation": f"one of {', '.join(ISOLATION[1:])}",
    "only": "a list of servers and tools",
    "network": "true or false",
    "ask": "true or false",
    "seconds": _LIMIT,
    "memory_mb": _LIMIT,
    "calls": _LIMIT,
}
_OVERRIDES = ("workspace", "tools", "isolation", "network", "ask")
_NOT_SAID = ("source", "accepted", "sha", "sentence")
_SEE = "See the example in docs/policy.md."


class RunProfiles:
    """All profiles; files are read again when they change."""

    def __init__(self, project_file: Path, user_file: Path, accepted_file: Path, default: Callable[[], str]) -> None:
        self._files = {"project": project_file, "you": user_file}
        self._default = default
        self._accepted = AcceptedProfiles(accepted_file)
        # cached result, with the state of the files and the default it was read for
        self._now: tuple[object, Profiles, Mapping[str, RunProfile]] | None = None

    @api
    def profiles(self) -> Profiles:
        """Return the built-in profiles first; of two with one name the user's applies."""
        return self._read_anew()[0]

    def _read_anew(self) -> tuple[Profiles, Mapping[str, RunProfile]]:
        """Return all profiles, and a mapping by name; reads again if a file or the default changed."""
        now, default = self._now, self._default()
        state = (default, *[_stamp_of(file) for file in self._files.values()])
        if now is None or now[0] != state:
            found = self._with_default(self._read_all(), default)
            self._now = now = state, found, {one.name: one for one in found.all}
        return now[1], now[2]

    def _with_default(self, read: Profiles, default: str) -> Profiles:
        """Return the profiles with the default one, which applies where none is named."""
        if any(one.name == default and one.source != "project" for one in read.all):
            return replace(read, default=default)
        words = (
            f"approval.profile names {default!r:.60}, which is neither built in nor yours; read_only is used instead."
        )
        hint = "Change it in the settings, or add that profile to your settings.toml."
        return replace(read, default=READ_ONLY.name, notices=(*read.notices, Fault(words, hint)))

    def find(self, name: str) -> RunProfile:
        """Return the profile of this name, or the default one; raises if no run may use it."""
        known, by_name = self._read_anew()
        wanted = name or known.default
        found = by_name.get(wanted)
        if found is None:
            names = ", ".join(one.name for one in known.all if one.accepted)
            raise WorkbenchError(f"There is no profile {wanted!r:.60}.", f"Choose one of {names}.")
        if not found.accepted:
            raise WorkbenchError(
                f"The profile {wanted} of this project allows more than {found.base} and was not accepted.",
                "The user can accept it in the list of profiles.",
            )
        return found

    def reaches(self, name: str) -> bool:
        """Whether this profile allows network access; an unknown one does not."""
        try:
            return self.find(name).network
        except WorkbenchError:
            return False

    def wider(self, profile: RunProfile) -> str:
        """Return why the user is asked about this profile; empty when it is within the default."""
        default = self.find("")
        if within(profile, default):
            return ""
        return f"Requests the profile {profile.name}, which allows more than the default profile {default.name}."

    def accept(self, sha: str) -> RunProfile:
        """Accept exactly this profile of the project."""
        found = next((one for one in self.profiles().all if one.sha == sha and one.source == "project"), None)
        if found is None:
            raise WorkbenchError(
                "This profile has changed since it was shown.", "Review it again before you accept it."
            )
        self._accepted.add(sha, {"name": found.name, "at": time.time()})
        self._now = None
        return replace(found, accepted=True)

    def withdraw(self, sha: str) -> None:
        """Withdraw the user's acceptance of a profile."""
        self._accepted.remove(sha)
        self._now = None

    def _read_all(self) -> Profiles:
        found = {name: described(one) for name, one in BUILT_IN.items()}
        notices: list[Fault] = []
        for source, file in self._files.items():
            for name, entry in _tables(file, notices).items():
                try:
                    found[name] = self._profile(name, entry, source)
                except WorkbenchError as fault:
                    found.pop(name, None) if name not in BUILT_IN else None
                    notices.append(Fault(f"{file.name}: {fault.message}", fault.hint or _SEE))
        return Profiles(tuple(found.values()), READ_ONLY.name, tuple(notices))

    def _profile(self, name: str, entry: object, source: str) -> RunProfile:
        made = described(profile_of(name, entry))
        sha = fingerprint(made)
        accepted = source == "you" or within(made, BUILT_IN[made.base]) or sha in self._accepted
        return replace(made, source=source, sha=sha, accepted=accepted)


def profile_of(name: str, entry: object) -> RunProfile:
    """Make a profile from a table of a settings file."""
    if not _NAME.fullmatch(name) or name in BUILT_IN:
        hint = "Use lowercase letters, digits, _ and -, and no name of a built-in profile."
        raise WorkbenchError(f"{name!r:.60} cannot be the name of a profile.", hint)
    if not isinstance(entry, Mapping):
        raise WorkbenchError(f"profiles.{name} is not a table.")
    try:
        table = msgspec.convert(entry, ProfileTable)
    except msgspec.ValidationError as fault:
        raise WorkbenchError(f"profiles.{name}{_wrong_key(str(fault), entry)}") from fault
    chosen = {key: value for key in _OVERRIDES if (value := getattr(table, key)) is not None}
    limits = {key: getattr(table, key) for key in ("only", "seconds", "memory_mb", "calls")}
    return replace(BUILT_IN[table.base], name=name, base=table.base, **limits, **chosen)


def _wrong_key(fault: str, entry: Mapping[str, object]) -> str:
    """Describe which key of a table is wrong, and which values it accepts; `fault`: msgspec's message."""
    found = re.search(r"`\$\.(\w+)", fault)
    if found is None or found[1] not in _TAKES:
        return f" has an unknown key {min(set(entry) - set(_TAKES), default='')!r:.60}."
    return f": {found[1]} must be {_TAKES[found[1]]}."


def fingerprint(profile: RunProfile) -> str:
    """Return a hash of what a profile allows, independent of where it is defined."""
    words = {key: value for key, value in to_builtins(profile).items() if key not in _NOT_SAID}
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


def _tables(file: Path, notices: list[Fault]) -> Mapping[str, object]:
    try:
        found = read_toml(file).get(PROFILES, {})
    except (OSError, ValueError, RecursionError):
        return {}  # the settings report what is wrong with the file
    if not isinstance(found, dict):
        notices.append(Fault(f"{file.name}: profiles is not a table.", _SEE))
        return {}
    if len(found) > MOST:
        notices.append(Fault(f"{file.name}: only the first {MOST} profiles are used.", "Remove some profiles."))
    return dict(list(found.items())[:MOST])


def _stamp_of(path: Path) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return (found.st_mtime_ns, found.st_size, found.st_ino)
