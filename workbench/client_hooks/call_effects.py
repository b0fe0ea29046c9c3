"""Says what a client's own call does, how risky that is, and which rules would allow it in future."""

from __future__ import annotations

import difflib
import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from workbench.analysis.reading import Reading, read_program
from workbench.analysis.shell.command_places import ClientPlaces, CommandPlace
from workbench.analysis.shell.command_reader import (
    CommandEffect,
    CommandReader,
    CommandReading,
    CommandUnit,
    read_command,
)
from workbench.analysis.tables.dangerous_texts import INNER_ADDRESS
from workbench.client_hooks.hook_calls import CallKind, HookCall
from workbench.files import read_plain
from workbench.permissions.client_rules import RuleSubject, offer
from workbench.permissions.tool_annotations import facts_of
from workbench.permissions.tool_verbs import DESTROYS, READS, SENDS, name_meanings
from workbench.records import Permission, Risk, Tool
from workbench.records.common_types import at_least, worst

_DIFF_LINES = 400
_COMPARED_LINES = 5_000  # of one text; comparing longer ones line by line could take minutes
_LARGEST_FILE = 1 << 20  # bytes of a file that is compared
FindTool = Callable[[str, str], Tool | None]  # server and tool → the tool, if a server of ours has it
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]{0,30}")
_PREFIXED = frozenset(
    [
        "npm",
        "pnpm",
        "yarn",
        "bun",
        "npx",
        "uv",
        "poetry",
        "cargo",
        "go",
        "git",
        "make",
        "just",
        "docker",
        "podman",
        "kubectl",
        "gh",
        "pip",
        "dotnet",
        "gradle",
        "mvn",
        "composer",
    ]
)


class CallEffects(Struct, frozen=True):
    """What a call does."""

    sentence: str
    risk: Risk
    subjects: tuple[RuleSubject, ...] = ()
    offers: tuple[Permission, ...] = ()  # rules that would allow it, the narrowest first
    details: tuple[str, ...] = ()  # effects that the sentence does not name


def read_call(call: HookCall, find_tool: FindTool) -> CallEffects:
    """Read a call of one of the judged kinds."""
    home = os.path.expanduser("~")
    roots = tuple(
        dict.fromkeys(os.path.realpath(one) for one in (*call.roots, *_project_of(call.start or call.cwd)) if one)
    )
    places = ClientPlaces(roots, (call.cwd,) if call.cwd else (), home)
    if call.kind is CallKind.SHELL:
        return _shell(call, places)
    if call.kind is CallKind.FETCH:
        return _fetch(call)
    if call.kind is CallKind.MCP:
        return _mcp(call, find_tool)
    return _files(call, places)


def _project_of(cwd: str) -> tuple[str, ...]:
    """The folder of the repository that contains a folder, else the folder itself. A home folder or one above it is
    no project."""
    if not cwd:
        return ()
    home, folder = os.path.expanduser("~"), os.path.realpath(cwd)
    while folder not in ("/", home):
        if os.path.exists(os.path.join(folder, ".git")):
            return (folder,)
        folder = os.path.dirname(folder)
    own = os.path.realpath(cwd)
    return () if own == "/" or f"{home}/".startswith(f"{own}/") else (own,)


def show_change(call: HookCall) -> str:
    """Return what a call changes in a file as a diff; empty if the call does not say it in a known way."""
    given, path = call.arguments, next(iter(call.paths), "")
    content = given.get("content", given.get("contents"))
    pairs = [(_current_text(path), content)] if isinstance(content, str) and len(call.paths) == 1 else []
    changes = given.get("edits", given.get("replacements"))
    for one in [given, *(changes if isinstance(changes, list) else [])]:
        if isinstance(one, Mapping):
            old, new = one.get("old_string", one.get("oldString")), one.get("new_string", one.get("newString"))
            pairs += [(old, new)] if isinstance(old, str) and isinstance(new, str) else []
    patch = next((one for key in ("input", "patch", "command") if isinstance(one := given.get(key), str)), "")
    if not pairs:
        return patch if call.kind is CallKind.EDIT and patch.startswith("*** Begin Patch") else ""
    lines = [line for old, new in pairs for line in _diff(old, new)]
    return "\n".join([", ".join(call.paths), *lines])


def _diff(old: str, new: str) -> list[str]:
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) <= _COMPARED_LINES:
        found = iter(difflib.unified_diff(before, after, "now", "then", lineterm=""))
    else:
        found = _single_hunk(before, after)
    lines = list(itertools.islice(found, _DIFF_LINES + 1))
    more = "… The change is longer than what is shown here."
    return lines if len(lines) <= _DIFF_LINES else [*lines[:_DIFF_LINES], more]


def _single_hunk(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Yield everything between the first and the last changed line as one change."""
    start = _count_equal(before, after)
    before, after = before[start:], after[start:]
    end = _count_equal(reversed(before), reversed(after))
    removed, added = before[: len(before) - end], after[: len(after) - end]
    yield f"@@ -{start + 1},{len(removed)} +{start + 1},{len(added)} @@"
    yield from (f"-{line}" for line in removed[: _DIFF_LINES // 2])
    yield from (f"+{line}" for line in added)


def _count_equal(before: Iterable[str], after: Iterable[str]) -> int:
    """Return how many lines at the start are equal."""
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    return sum(1 for _ in same)


def _current_text(path: str) -> str:
    try:
        return read_plain(Path(path), largest=_LARGEST_FILE)
    except (OSError, ValueError):
        return ""


# ── shell commands ───────────────────────────────────────────────────────────────────────────────
def _shell(call: HookCall, places: ClientPlaces) -> CallEffects:
    reading = read_command(call.command, places, _read_code)
    for host in call.urls:  # that the command asks to reach
        effect = CommandEffect(f"Connects to {host[:100]}", Risk.MEDIUM, "network")
        unit = CommandUnit(f"network-access {host}", risk=Risk.MEDIUM)
        reading = CommandReading((effect, *reading.effects), (*reading.units, unit), reading.problems)
    subjects = tuple(
        RuleSubject(one.text, one.inner, one.risk, one.redirects, one.risk is Risk.CRITICAL or not one.known)
        for one in reading.units
    )
    if reading.problems or reading.risk is Risk.CRITICAL:  # what was not read, and effects of several commands together
        subjects = (*subjects, RuleSubject(call.command, (), worst((reading.risk, Risk.HIGH)), never=True))
    return CallEffects(reading.sentence, reading.risk, subjects, _command_offers(call, reading), reading.details)


def _read_code(text: str) -> Reading:
    return read_program(text, ())


def _command_offers(call: HookCall, reading: CommandReading) -> tuple[Permission, ...]:
    """Rules for the one command of a script that is not low."""
    risky = [one for one in reading.units if one.risk is not Risk.LOW]
    if reading.problems or len({one.text for one in risky}) != 1 or reading.risk is Risk.CRITICAL:
        return ()
    unit = risky[0]
    if not unit.known or len(unit.text) > 400:
        return ()
    found = [offer(call.client, "shell", unit.text, unit.risk, call.session)] if call.session else []
    found.append(offer(call.client, "shell", unit.text, unit.risk))
    prefix = _prefix(unit)
    if prefix and unit.risk is Risk.MEDIUM and not unit.redirects:
        found.append(offer(call.client, "shell", f"{prefix} *", unit.risk))
    return tuple(found)


def _prefix(unit: CommandUnit) -> str:
    words = unit.text.split(" ")
    if (
        not words
        or "=" in words[0]
        or words[0] in ("rm", "sudo", "sh", "bash", "python", "python3", "node", "xargs", "env")
    ):
        return ""
    if words[0] in _PREFIXED:
        deep = 3 if words[1:2] in (["run"], ["compose"]) else 2
        taken = words[:deep]
        return " ".join(taken) if len(taken) == deep and all(map(_SUBCOMMAND.fullmatch, taken[1:])) else ""
    return words[0]


# ── files, hosts and MCP tools ───────────────────────────────────────────────────────────────────
def _files(call: HookCall, places: ClientPlaces) -> CallEffects:
    reader, reads = CommandReader(places), call.kind is CallKind.READ
    if reads:
        reader.read(call.paths)
    elif call.tool.lower() in ("delete", "delete_file"):
        reader.delete(call.paths)
    else:
        reader.write(call.paths, "Edits")
    reading = reader.result()
    absolute = [path for one in call.paths for path in places.resolve(one)]
    never = any(places.classify(one) is CommandPlace.SECRET for one in absolute) and not reads
    subjects = tuple(RuleSubject(one, (), reading.risk, never=never) for one in absolute)
    return CallEffects(
        reading.sentence, reading.risk, subjects, () if never else _file_offers(call, absolute, reading.risk, places),
        reading.details,
    )  # fmt: skip


def _file_offers(call: HookCall, paths: list[str], risk: Risk, places: ClientPlaces) -> tuple[Permission, ...]:
    if len(paths) != 1 or len(paths[0]) > 400:
        return ()
    kind, folder = call.kind.value, os.path.dirname(paths[0])
    found = [offer(call.client, kind, paths[0], risk, call.session)] if call.session else []
    found.append(offer(call.client, kind, paths[0], risk))
    if places.classify(paths[0]) in (CommandPlace.OUTSIDE, CommandPlace.PROJECT) and folder not in ("/", places.home):
        found.append(offer(call.client, kind, f"{folder}/*", risk))
    return tuple(found)


def _fetch(call: HookCall) -> CallEffects:
    hosts = tuple(dict.fromkeys(_host(one) for one in call.urls))
    inner = any(INNER_ADDRESS.search(one) for one in call.urls)
    shown = ", ".join(hosts[:3]) or "a host"
    risk = Risk.HIGH if inner else Risk.MEDIUM
    text = f"Downloads from {shown}" + (" (an address of this machine or network)" if inner else "")
    offers = tuple(offer(call.client, "fetch", one, risk) for one in hosts) if len(hosts) == 1 else ()
    return CallEffects(f"{text}.", risk, tuple(RuleSubject(one, (), risk) for one in hosts), offers)


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or url)[:200]
    except ValueError:
        return url[:200]


def _mcp(call: HookCall, find_tool: FindTool) -> CallEffects:
    """Judge a tool of one of the client's own servers by its name, and by the annotations of a server of ours with that
    name, if they are stricter. A name does not prove that both are the same server."""
    meanings = name_meanings(call.tool)
    risk = Risk.HIGH if meanings & {DESTROYS, SENDS} else Risk.LOW if READS in meanings else Risk.MEDIUM
    known = find_tool(call.server, call.tool)
    if known is not None and at_least(facts_of(known).risk, risk):
        risk = facts_of(known).risk
    name = f"{call.server}.{call.tool}" if call.server else call.tool
    words = {DESTROYS: "its name says that it deletes or overwrites", SENDS: "its name says that it sends data outside"}
    said = [text for meaning, text in words.items() if meaning in meanings]
    sentence = "; ".join([f"Calls the MCP tool {name[:120]}", *said]) + "."
    return CallEffects(sentence, risk, (RuleSubject(name, (), risk),), _mcp_offers(call, name, risk))


def _mcp_offers(call: HookCall, name: str, risk: Risk) -> tuple[Permission, ...]:
    if not call.server or len(name) > 400 or any(one in name for one in "*?["):
        return ()
    session: Iterable[Permission] = [offer(call.client, "mcp", name, risk, call.session)] if call.session else []
    return (*session, offer(call.client, "mcp", name, risk))
