"""The bounds of a run: the three that are built in, how two compare, and what a tool must be to be inside.

Pure: the room `permissions` reads those of files, mounts and the broker hold a run to them.
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

from msgspec import to_builtins
from msgspec.structs import replace

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.files import read_plain, read_toml, write_file
from workbench.permissions import tool_verbs
from workbench.permissions.tool_annotations import tool_risk
from workbench.records import Fault, Profiles, Risk, RunProfile, Tool
from workbench.records.risk_levels import at_least
from workbench.settings import PROFILES

WORKSPACE = ("none", "read", "write")  # each holds what stands before it
TOOLS = ("none", "read", "add", "all")
ISOLATION = ("", "process", "container", "vm")
READ_ONLY = RunProfile("read_only", "read_only", "read", "read", network=False)
WRITE_RESTRICTED = RunProfile("write_restricted", "write_restricted")
EXECUTE_FULL = RunProfile("execute_full", "execute_full", ask=True, times=4)
BUILT_IN = {one.name: one for one in (READ_ONLY, WRITE_RESTRICTED, EXECUTE_FULL)}
_MOUNTS = {
    "none": "sees no workspace",
    "read": "reads the workspace and cannot change it",
    "write": "reads and writes the workspace",
}
_CLASSES = {
    "none": "calls no tool",
    "read": "calls tools that only read",
    "add": "calls tools that read or add, none of high risk",
    "all": "calls tools of any kind, those of high risk once a person or a rule allows it",
}


def within(inner: RunProfile, outer: RunProfile) -> bool:
    """Whether it allows nothing that the other one does not."""
    return (
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
    """With the sentence that says what it allows."""
    parts = [_MOUNTS[profile.workspace], _CLASSES[profile.tools]]
    parts += [f"of {', '.join(profile.only)} only"] if profile.only else []
    parts.append("reaches the places that are open" if profile.network else "reaches no network")
    parts += [f"may use {profile.times} times the limits"] if profile.times > 1 else []
    parts += [f"runs in a {profile.isolation} at least"] if profile.isolation else []
    parts += ["always asks a person first"] if profile.ask else []
    text = "; ".join(parts)
    return replace(profile, sentence=f"{text[:1].upper()}{text[1:]}.")


def outside(profile: RunProfile | None, required: tuple[str, ...], tool: Tool) -> Fault | None:
    """Why a run within these bounds may not call this tool; None when it may."""
    name = f"{tool.server}.{tool.name}"
    if required and name not in required:
        shown = ", ".join(required[:5]) + (" …" if len(required) > 5 else "")
        return Fault(f"{name} is not among the required_tools of this program.", f"It is limited to {shown}.")
    if profile is None:
        return None
    if profile.only and not any(_means(pattern, tool) for pattern in profile.only):
        hint = f"It is kept to {', '.join(profile.only[:5])}."
        return Fault(f"The profile {profile.name} does not hold {name}.", hint)
    if not _in_class(profile.tools, tool):
        return Fault(
            f"The profile {profile.name} {_CLASSES[profile.tools]}; {name} is not one of them.",
            "Propose it with a wider profile, which a person may have to allow.",
        )
    return None


def _in_class(kind: str, tool: Tool) -> bool:
    risk = tool_risk(tool)
    if kind == "read":
        reading = (
            tool_verbs.reads(tool.name) and not tool_verbs.destroys(tool.name) and tool.hints.read_only is not False
        )
        return risk is Risk.LOW or (risk is Risk.MEDIUM and reading and not tool.hints.destructive)
    return kind == "all" or (kind == "add" and not at_least(risk, Risk.HIGH))


def _means(pattern: str, tool: Tool) -> bool:
    return fnmatchcase(tool.server, pattern) or fnmatchcase(f"{tool.server}.{tool.name}", pattern)


def _limits(inner: RunProfile, outer: RunProfile) -> tuple[tuple[int, int], ...]:
    return (inner.seconds, outer.seconds), (inner.memory_mb, outer.memory_mb), (inner.calls, outer.calls)


def _limit(number: int) -> float:
    return number or float("inf")


class AcceptedProfiles:
    """What cannot be read was accepted by nobody."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            found = json.loads(read_plain(file, "ascii"))
        except (OSError, ValueError, RecursionError):
            found = {}
        self._given: Mapping[str, object] = found if isinstance(found, dict) else {}

    def holds(self, sha: str) -> bool:
        return sha in self._given

    def give(self, sha: str, about: Mapping[str, object]) -> None:
        self._save({**self._given, sha: dict(about)})

    def take_back(self, sha: str) -> None:
        self._save({known: value for known, value in self._given.items() if known != sha})

    def _save(self, given: Mapping[str, object]) -> None:
        write_file(self._file, json.dumps(dict(given)), name="The file of accepted profiles")
        self._given = given


MOST = 50


_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


_WORDS = {"workspace": WORKSPACE, "tools": TOOLS, "isolation": ISOLATION[1:]}


_NUMBERS = ("seconds", "memory_mb", "calls")


_KEYS = {"base", "only", "network", "ask", *_WORDS, *_NUMBERS}


_NOT_SAID = ("source", "accepted", "sha", "sentence")


_SEE = "docs/policy.md shows one."


class RunProfiles:
    """All profiles, read again when a file changed."""

    def __init__(self, project_file: Path, person_file: Path, yes_file: Path, default: Callable[[], str]) -> None:
        self._files = {"project": project_file, "you": person_file}
        self._default = default
        self._yes = AcceptedProfiles(yes_file)
        self._stamp: tuple[tuple[int, ...], ...] | None = None
        self._read: Profiles = Profiles()
        self._known: tuple[str, Profiles] | None = None  # the default that was wished, and the whole answer

    @api
    def profiles(self) -> Profiles:
        """Built-in ones first; of two with one name the person's counts."""
        stamp = tuple(map(_stamp_of, self._files.values()))
        default = self._default()
        if stamp != self._stamp:
            self._read, self._stamp, self._known = self._read_all(), stamp, None
        if self._known is None or self._known[0] != default:
            self._known = default, self._with(default)
        return self._known[1]

    def _with(self, default: str) -> Profiles:
        """What was read, with the profile that counts where none is named."""
        if any(one.name == default and one.source != "project" for one in self._read.all):
            return replace(self._read, default=default)
        words = (
            f"approval.profile names {default!r:.60}, which is neither built in nor yours; read_only counts instead."
        )
        hint = "Change it in the settings, or add that profile to your settings.toml."
        return replace(self._read, default=READ_ONLY.name, notices=(*self._read.notices, Fault(words, hint)))

    def find(self, name: str) -> RunProfile:
        """The profile of this name, or the default one; refuses what nobody may run in."""
        known = self.profiles()
        wanted = name or known.default
        found = next((one for one in known.all if one.name == wanted), None)
        if found is None:
            names = ", ".join(one.name for one in known.all if one.accepted)
            raise WorkbenchError(f"There is no profile {wanted!r:.60}.", f"There are {names}.")
        if not found.accepted:
            raise WorkbenchError(
                f"The profile {wanted} of this project allows more than {found.base}, and nobody accepted it.",
                "A person can accept it in the list of profiles.",
            )
        return found

    def reaches(self, name: str) -> bool:
        """Whether open places are open in this profile; one that is not there reaches nothing."""
        try:
            return self.find(name).network
        except WorkbenchError:
            return False

    def wider(self, profile: RunProfile) -> str:
        """Why a person is asked although a program may name it; empty when it is within the default."""
        default = self.find("")
        if within(profile, default):
            return ""
        return f"Asks for the profile {profile.name}, which allows more than your {default.name}."

    def accept(self, sha: str) -> RunProfile:
        """A person's yes to exactly this profile of the project."""
        found = next((one for one in self.profiles().all if one.sha == sha and one.source == "project"), None)
        if found is None:
            raise WorkbenchError("That profile is another one now.", "Look at it again.")
        self._yes.give(sha, {"name": found.name, "at": time.time()})
        self._stamp = None
        return replace(found, accepted=True)

    def withdraw(self, sha: str) -> None:
        """The yes is taken back."""
        self._yes.take_back(sha)
        self._stamp = None

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
        accepted = source == "you" or within(made, BUILT_IN[made.base]) or self._yes.holds(sha)
        return replace(made, source=source, sha=sha, accepted=accepted)


def profile_of(name: str, entry: object) -> RunProfile:
    """A profile from what stands in a file."""
    if not _NAME.fullmatch(name) or name in BUILT_IN:
        hint = "Small letters, digits, _ and -, and none that is built in."
        raise WorkbenchError(f"{name!r:.60} is no name for a profile.", hint)
    if not isinstance(entry, Mapping):
        raise WorkbenchError(f"profiles.{name} is no table.")
    if unknown := set(entry) - _KEYS:
        raise WorkbenchError(f"profiles.{name} has an unknown key {min(unknown)!r:.60}.")
    base = entry.get("base", "write_restricted")
    if base not in BUILT_IN:
        raise WorkbenchError(f"profiles.{name}: base is one of {', '.join(BUILT_IN)}.")
    words = {key: _word(name, key, entry.get(key, getattr(BUILT_IN[base], key))) for key in _WORDS}
    flags = {key: _flag(name, key, entry.get(key, getattr(BUILT_IN[base], key))) for key in ("network", "ask")}
    seconds, memory, calls = (_number(name, key, entry.get(key, 0)) for key in _NUMBERS)
    return RunProfile(
        name=name,
        base=base,
        workspace=words["workspace"],
        tools=words["tools"],
        only=_only(name, entry.get("only", [])),
        network=flags["network"],
        ask=flags["ask"],
        isolation=words["isolation"],
        times=BUILT_IN[base].times,
        seconds=seconds,
        memory_mb=memory,
        calls=calls,
    )


def fingerprint(profile: RunProfile) -> str:
    """Of what a profile allows, whoever wrote it."""
    words = {key: value for key, value in to_builtins(profile).items() if key not in _NOT_SAID}
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


def _tables(file: Path, notices: list[Fault]) -> Mapping[str, object]:
    try:
        found = read_toml(file).get(PROFILES, {})
    except (OSError, ValueError, RecursionError):
        return {}  # the settings' own notice says what is wrong with it
    if not isinstance(found, dict):
        notices.append(Fault(f"{file.name}: profiles is no table.", _SEE))
        return {}
    if len(found) > MOST:
        notices.append(Fault(f"{file.name}: only {MOST} profiles are read.", "Remove some."))
    return dict(list(found.items())[:MOST])


def _word(name: str, key: str, value: object) -> str:
    if key == "isolation" and value == "":
        return ""
    if not isinstance(value, str) or value not in _WORDS[key]:
        raise WorkbenchError(f"profiles.{name}: {key} is one of {', '.join(_WORDS[key])}.")
    return value


def _number(name: str, key: str, value: object) -> int:
    if type(value) is not int or not 0 <= value <= 1_000_000:
        raise WorkbenchError(f"profiles.{name}: {key} is a number from 1 to 1,000,000.")
    return value


def _flag(name: str, key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise WorkbenchError(f"profiles.{name}: {key} is true or false.")
    return value


def _only(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and 0 < len(one) <= 200 for one in value):
        raise WorkbenchError(f"profiles.{name}: only is a list of servers and tools.")
    return tuple(value)


def _stamp_of(path: Path) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return (found.st_mtime_ns, found.st_size, found.st_ino)
