"""Pins each tool's definition when it is first seen; a definition that changes later is blocked until the user approves
it.

The approved definition stays in force until then: wrappers, search and descriptions use it, so that no text of the new
one reaches a model before the user has read it. Pins are private state of the user: no server can name them, and no
project can bring its own.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field, structs

from workbench.analysis.tool_warnings import definition_warnings
from workbench.errors import WorkbenchError
from workbench.records import ChangeKind, DefinitionChange, Fault, JsonObject, Tool
from workbench.servers.configuration import private_json_files
from workbench.servers.tool_definitions import definition_parsing

log = logging.getLogger(__name__)
_MOST = 40_000  # pins of one server; beyond that, pins of removed tools that the user never viewed are dropped
_LISTED = 500  # changes in one answer


class _Pin(Struct, frozen=True):
    """A definition that the user has approved, or that existed when the server was added."""

    tool: Tool
    at: float  # when it was pinned
    new: bool = False  # the user has not viewed it yet


class _StoredPin(Struct, frozen=True):
    """One pin in the file."""

    raw: dict[str, Any]  # Any: JSON
    hash: str
    at: float = 0.0
    new: bool = False


class _StoredPins(Struct, frozen=True):
    """The file of one server. Entries are decoded one by one: a damaged one does not affect the others."""

    format: Literal[1]  # a file of another format is not read
    tools: dict[str, Any]  # Any here and below: JSON
    server: str = ""
    told: dict[str, Any] = field(default_factory=dict)
    gone: dict[str, Any] = field(default_factory=dict)
    there: list[Any] = field(default_factory=list)
    lost: bool = False


class DefinitionPins:
    """The pinned definitions of one server's tools."""

    def __init__(self, server: str, folder: Path, *, trusted: bool = False) -> None:
        self._server = server
        self._file = folder / f"{hashlib.sha256(server.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.json"
        self._trusted = trusted  # the built-in server: its definitions are always accepted
        self._known = False  # the server was seen before, so new tools are reported
        self._lost = False  # the file cannot be read: tools without a pin are blocked instead of being new
        self._pins: dict[str, _Pin] = {}
        self._waiting: dict[str, Tool] = {}  # definitions that differ from their pins
        self._told: dict[str, tuple[str, float]] = {}  # waiting definition → the reported hash, and when
        self._gone: dict[str, float] = {}  # removed tool → when; until the user has viewed it
        self._there: frozenset[str] = frozenset()
        self._changed = False

    def load(self) -> None:
        """Read the pins. Blocks while it reads and hashes: call it on a thread, before any other method."""
        stored, self._known = private_json_files.read_as(self._file, _StoredPins)
        if stored is None:
            self._lost = self._known
            return
        self._pins = self._decode(stored.tools)
        self._lost = stored.lost or len(self._pins) < len(stored.tools)
        self._there = frozenset(private_json_files.convert_items(stored.there, str, "name of a tool"))
        self._gone = private_json_files.convert_entries(stored.gone, float, "removed tool")
        self._told = private_json_files.convert_entries(stored.told, tuple[str, float], "reported change of")

    def take(self, tools: Sequence[Tool]) -> tuple[Tool, ...]:
        """Compare a tool list with the pins. Returns the definitions in force: for a changed tool, the approved one."""
        now = time.time()
        self._waiting = {}
        offered = tuple(self._judge(tool, now) for tool in tools)
        self._note_gone(frozenset(tool.name for tool in tools), now)
        self._changed = self._changed or not self._known
        self._known = True
        return offered

    @property
    def known(self) -> bool:
        """Whether the server was ever seen."""
        return self._known

    def blocked(self, tool: str) -> bool:
        return tool in self._waiting

    def is_seen(self, tool: str) -> bool:
        """Whether the definition in force existed when the server was added, or the user has viewed it."""
        return tool in self._pins and not self._pins[tool].new

    def refusal(self, tool: str) -> Fault | None:
        """Return why this tool must not be called now; None when it may be called."""
        if tool not in self._waiting:
            return None
        if tool not in self._pins:
            return Fault(
                f"{self._server}.{tool} is blocked: the approved definition can no longer be read.",
                "The user can read its definition and approve it in the workbench, on the server's Changes page.",
            )
        return Fault(
            f"{self._server}.{tool} is blocked: its definition changed after the user approved it.",
            "The user can compare both and approve the change in the workbench, on the server's Changes page.",
        )

    def loss(self) -> Fault | None:
        """Return a fault for the user when the pins could not be read."""
        if not self._lost:
            return None
        return Fault(
            f"Your approvals of the tools of {self._server} cannot be read: their file was damaged or changed.",
            "Read and approve the tools on the server's Changes page; until then they are blocked.",
            str(self._file),
        )

    def mark(self, tool: str) -> str:
        """Return the tool's mark in a list: changed, new, or ""."""
        if tool in self._waiting:
            return ChangeKind.CHANGED
        return ChangeKind.NEW if tool in self._pins and self._pins[tool].new else ""

    def tell(self) -> tuple[str, ...]:
        """Return the tools that became blocked since the last call of this method. Each change is reported once, also
        across restarts."""
        fresh = tuple(name for name, tool in self._waiting.items() if self._told.get(name, ("",))[0] != tool.hash)
        now = time.time()
        self._told = {name: self._told.get(name, ("", now)) for name in self._waiting}
        self._told |= {name: (self._waiting[name].hash, now) for name in fresh}
        self._changed = self._changed or bool(fresh)
        return fresh

    def approve(self, wanted: Mapping[str, str]) -> None:
        """Approve the definitions that the user has read, by tool and hash. Approves all of them or, if one differs,
        none."""
        for tool, sha in wanted.items():
            self._check(tool, sha)
        now = time.time()
        for tool in wanted:
            self._pins[tool] = _Pin(self._waiting.pop(tool), now)
            self._changed = True
        self._lost = self._lost and any(tool not in self._pins for tool in self._waiting)

    def look(self) -> None:
        """Mark new and removed tools as viewed by the user; blocked tools stay blocked."""
        for name, pin in self._pins.items():
            if pin.new:
                self._pins[name] = _Pin(pin.tool, pin.at)
                self._changed = True
        self._changed = self._changed or bool(self._gone)
        self._gone = {}

    def changes(self) -> tuple[DefinitionChange, ...]:
        """Return blocked tools first, then new ones, then removed ones, up to a limit."""
        return tuple(islice(self._all_changes(), _LISTED))

    def _all_changes(self) -> Iterator[DefinitionChange]:
        return chain(
            (self._change(name, one) for name, one in self._waiting.items()),
            (
                DefinitionChange(self._server, name, ChangeKind.NEW, pin.tool.hash, pin.at, after=_text(pin.tool.raw))
                for name, pin in self._pins.items()
                if pin.new and name in self._there
            ),
            (
                DefinitionChange(
                    self._server, name, ChangeKind.REMOVED, "", at, before=_text(self._pins[name].tool.raw)
                )
                for name, at in self._gone.items()
                if name in self._pins
            ),
        )

    def dump(self) -> JsonObject | None:
        """Return the pins to write, or None when nothing changed since the last dump. The result is a copy that a
        thread may use."""
        if not self._changed:
            return None
        self._changed = False
        return self.snapshot()

    def snapshot(self) -> JsonObject:
        """Return the complete state; saved under another server's name, it becomes that server's initial state."""
        tools = {
            name: _StoredPin(dict(pin.tool.raw), pin.tool.hash, pin.at, pin.new) for name, pin in self._pins.items()
        }
        told, gone = dict(self._told), dict(self._gone)
        stored = _StoredPins(1, tools, self._server, told, gone, sorted(self._there), self._lost)
        return structs.asdict(stored)

    def save(self, value: JsonObject) -> None:
        """Write a dump. Blocks: call it on a thread. Pins that cannot be written stay valid until the core exits."""
        try:
            private_json_files.save(self._file, value, durable=True)
        except WorkbenchError as fault:
            log.warning("the pins of %s cannot be written: %s", self._server, fault)

    def _check(self, tool: str, sha: str) -> None:
        found = self._waiting.get(tool)
        if found is None:
            raise WorkbenchError(
                f"{self._server}.{tool:.100} is not waiting for approval.", "It may already be approved."
            )
        if found.hash != sha:
            raise WorkbenchError(
                f"{self._server}.{tool:.100} has changed again.", "Read the new definition, then approve it."
            )

    def _judge(self, tool: Tool, now: float) -> Tool:
        pin = self._pins.get(tool.name)
        if pin is None and self._lost and not self._trusted:
            self._waiting[tool.name] = tool
            return definition_parsing.bare(tool)
        if pin is None or (self._trusted and pin.tool.hash != tool.hash):
            self._pins[tool.name] = _Pin(tool, now, new=self._known and not self._trusted)
            self._changed = True
            return tool
        if pin.tool.hash == tool.hash:
            return tool
        self._waiting[tool.name] = tool
        return pin.tool

    def _note_gone(self, there: frozenset[str], now: float) -> None:
        if there == self._there:
            return
        lost = dict.fromkeys(sorted(self._there - there), now) if not self._trusted else {}
        self._gone = {**lost, **{name: at for name, at in self._gone.items() if name not in there}}
        self._there = there
        self._changed = True
        # An approved pin is never dropped to make room: the tool would count as new when it comes back.
        away = [name for name, pin in self._pins.items() if pin.new and name not in there]
        for name in away[: max(0, len(self._pins) - _MOST)]:
            del self._pins[name]

    def _change(self, name: str, tool: Tool) -> DefinitionChange:
        before = _text(self._pins[name].tool.raw) if name in self._pins else ""
        after, at = _text(tool.raw), self._told.get(name, ("", 0.0))[1]
        odd = tuple(f"{one.message} {one.why}" for one in definition_warnings(tool))
        return DefinitionChange(self._server, name, ChangeKind.CHANGED, tool.hash, at, before, after, True, odd)

    def _decode(self, entries: Mapping[str, Any]) -> dict[str, _Pin]:  # Any: JSON
        """Return the pins whose definition still has the approved hash."""
        stored = private_json_files.convert_entries(entries, _StoredPin, f"pin of {self._server}.")
        read = definition_parsing.read(self._server, [one.raw for one in stored.values()]).tools
        tools = {tool.name: tool for tool in read}
        return {
            name: _Pin(tools[name], one.at, one.new)
            for name, one in stored.items()
            if name in tools and one.hash == tools[name].hash
        }


def _text(raw: JsonObject) -> str:
    return json.dumps(dict(raw), ensure_ascii=False, indent=1)
