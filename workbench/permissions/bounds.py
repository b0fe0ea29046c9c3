"""Reads the `[profiles.NAME]` tables of both settings files: bounds of runs that a person or a team gave names.

    [profiles.reports]
    base = "read_only"              # read_only, write_restricted or execute_full
    workspace = "write"             # none, read, write
    tools = "read"                  # none, read, add, all
    only = ["github.list_*", "mail"]  # servers and tools it is kept to
    network = false
    ask = true
    isolation = "container"
    seconds = 10                    # limits of its own, below those of the settings
    memory_mb = 256
    calls = 100

The person's own count as they stand. One of a bench counts when it allows nothing beyond its base, or once a person
accepted exactly what it says. A wrong one is left out: nobody runs in bounds that are not understood.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.files import read_toml
from workbench.permissions.yes import Yes
from workbench.policy.profiles import BUILT_IN, ISOLATION, READ_ONLY, TOOLS, WORKSPACE, described, within
from workbench.records import Fault, Profiles, RunProfile
from workbench.settings import PROFILES

MOST = 50
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_WORDS = {"workspace": WORKSPACE, "tools": TOOLS, "isolation": ISOLATION[1:]}
_NUMBERS = ("seconds", "memory_mb", "calls")
_KEYS = {"base", "only", "network", "ask", *_WORDS, *_NUMBERS}
_NOT_SAID = ("source", "accepted", "sha", "sentence")
_SEE = "docs/policy.md shows one."


class Bounds:
    """All profiles, read again when a file changed."""

    def __init__(self, bench_file: Path, person_file: Path, yes_file: Path, default: Callable[[], str]) -> None:
        self._files = {"bench": bench_file, "you": person_file}
        self._default = default
        self._yes = Yes(yes_file)
        self._stamp: tuple[tuple[int, ...], ...] | None = None
        self._read: Profiles = Profiles()
        self._known: tuple[str, Profiles] | None = None  # the default that was wished, and the whole answer

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
        if any(one.name == default and one.source != "bench" for one in self._read.all):
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
                f"The profile {wanted} of this bench allows more than {found.base}, and nobody accepted it.",
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
        """A person's yes to exactly this profile of the bench."""
        found = next((one for one in self.profiles().all if one.sha == sha and one.source == "bench"), None)
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
    words = {key: value for key, value in asdict(profile).items() if key not in _NOT_SAID}
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
