"""Reads and writes the project's `.mcp.json`. One invalid entry does not affect the others.

Other programs own the file too: unknown keys, order and indentation are kept, and a file that cannot be read is never
overwritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file
from workbench.records import Fault, ServerConfig
from workbench.servers.configuration import server_entries
from workbench.servers.configuration.launch_command import DEMO, demo_config

SERVERS = "mcpServers"
MOST_SERVERS = 1_000  # entries that are used; nobody has so many, and each is looked through at each change


class McpJsonContents(Struct, frozen=True):
    """What the file says, and what of it could not be used."""

    configs: tuple[ServerConfig, ...]
    notices: tuple[Fault, ...] = ()
    unreadable: bool = False  # nothing could be used: the file as a whole is broken


class McpJsonFile:
    """The file `.mcp.json` of one project."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._dropped: dict[str, tuple[Any, str]] = {}  # name → its entry (JSON), and which one stood behind it

    def exists(self) -> bool:
        return self._file.exists()

    def read(self) -> McpJsonContents:
        """All usable entries; the built-in demo server comes first unless the file has its own of that name."""
        try:
            listed = _entries(self._load())
        except WorkbenchError as fault:
            return McpJsonContents((demo_config(),), (Fault(fault.message, fault.hint),), unreadable=True)
        configs, notices = [], []
        if len(listed) > MOST_SERVERS:
            words = f"{self._file.name} lists {len(listed):,} servers; the first {MOST_SERVERS:,} are used."
            notices.append(Fault(words, "Remove those that you do not need."))
        for name, entry in islice(listed.items(), MOST_SERVERS):
            try:
                configs.append(server_entries.read(name, entry))
            except WorkbenchError as fault:
                notices.append(Fault(fault.message, fault.hint))
        builtin = () if DEMO in listed else (demo_config(),)
        return McpJsonContents((*builtin, *configs), tuple(notices))

    def put(self, config: ServerConfig) -> None:
        """Write one entry, replacing one of the same name; keys we do not know stay."""
        document = self._load()
        document.setdefault(SERVERS, {})
        listed = _entries(document)
        before = listed.get(config.name)
        entry = server_entries.write(config, before if isinstance(before, Mapping) else {})
        server_entries.read(config.name, entry)  # what could not be read again is not written
        listed[config.name] = entry
        self._save(document)

    def drop(self, name: str) -> None:
        """Take one entry out, and keep it for `restore`; nothing happens when it is not there."""
        document = self._load()
        listed = _entries(document)
        if name not in listed:
            return
        names = list(listed)
        after = names[names.index(name) + 1 :]
        self._dropped[name] = (listed.pop(name), after[0] if after else "")
        self._save(document)

    def restore(self, name: str) -> None:
        """Put an entry back as it was dropped, unknown keys included, and where it stood."""
        if name not in self._dropped:
            raise WorkbenchError(f"{name} cannot be put back any more.", "Add it again.")
        entry, before = self._dropped.pop(name)
        self._rearrange(lambda listed: _placed({**listed, name: entry}, name, before))

    def rename(self, name: str, new: str) -> None:
        """Give an entry another name, in its place."""
        self._rearrange(lambda listed: {new if key == name else key: entry for key, entry in listed.items()}, new)

    def duplicate(self, name: str, new: str) -> None:
        """The same entry once more, behind the first."""
        self._rearrange(lambda listed: _doubled(listed, name, new), new)

    def move(self, name: str, before: str) -> None:
        """Put an entry before another one, or last."""
        self._rearrange(lambda listed: _placed(listed, name, before))

    def _rearrange(self, change: Callable[[dict[str, Any]], dict[str, Any]], new: str = "") -> None:
        document = self._load()
        listed = _entries(document)
        if new and new in listed:
            raise WorkbenchError(f"The project has a server {new} already.", "Choose another name.")
        changed = change(listed)
        if new:
            server_entries.read(new, changed.get(new))  # what could not be read again is not written
        document[SERVERS] = changed
        self._save(document)

    def _load(self) -> dict[str, Any]:  # Any: the file's own JSON, unknown keys included
        try:
            text = read_plain(self._file, "utf-8-sig")
        except FileNotFoundError:
            return {}
        except UnicodeDecodeError as fault:
            raise WorkbenchError(f"{self._file.name} is not UTF-8: byte {fault.start}.", "Save it as UTF-8.") from fault
        except OSError as fault:
            raise WorkbenchError(f"{self._file.name} cannot be read: {fault.strerror}.") from fault
        return _parse(text, self._file.name) if text.strip() else {}

    def _save(self, document: Mapping[str, Any]) -> None:
        target = self._file.resolve()  # a link stays a link
        text = json.dumps(document, ensure_ascii=False, indent=_indent(target)) + "\n"
        hint = "Is the project's folder writable?"
        write_file(target, text, mode=0o644, keep_mode=True, name=self._file.name, hint=hint)


def _placed(listed: dict[str, Any], name: str, before: str) -> dict[str, Any]:
    rest = {key: entry for key, entry in listed.items() if key != name}
    if name not in listed or before not in rest:
        return {**rest, **({name: listed[name]} if name in listed else {})}
    return {key: listed[key] for other in rest for key in ((name, other) if other == before else (other,))}


def _doubled(listed: dict[str, Any], name: str, new: str) -> dict[str, Any]:
    return {key: entry for other, entry in listed.items() for key in ((other, new) if other == name else (other,))}


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, column {fault.colno}"
        raise WorkbenchError(f"{name} cannot be read: {place}: {fault.msg}.", _explain(text, fault)) from fault
    except RecursionError as fault:
        raise WorkbenchError(f"{name} cannot be read: it is nested too deeply.") from fault
    except ValueError as fault:
        raise WorkbenchError(f"{name} cannot be read: a number in it has too many digits.") from fault
    if not isinstance(document, dict):
        raise WorkbenchError(f"{name} does not hold a JSON object.", f'It should look like {{"{SERVERS}": {{}}}}.')
    return document


def _explain(text: str, fault: json.JSONDecodeError) -> str:
    """The mistakes people really make, in their words."""
    before, after = text[: fault.pos].rstrip(), text[fault.pos :].lstrip()
    if after.startswith(("//", "/*", "#")) or before.endswith(("//", "/*")):
        return "JSON knows no comments: remove this one."
    if after[:1] == "," or (before.endswith(",") and after[:1] in ("}", "]")):
        return "Remove the comma before the closing bracket."
    if after.startswith("'"):
        return "Use double quotes: \"name\", not 'name'."
    if not after:
        return "The file ends too early: a bracket or a quote is missing."
    if fault.msg.startswith("Expecting ',' delimiter"):
        return "A comma is missing before this place."
    return "Mend the file, then press Reload; nothing was changed in it."


def _entries(document: Mapping[str, Any]) -> dict[str, Any]:
    listed = document.get(SERVERS, {})
    if not isinstance(listed, dict):
        raise WorkbenchError(
            f'"{SERVERS}" in .mcp.json is not an object.', f'Write "{SERVERS}": {{ "name": {{ … }} }}.'
        )
    return listed


def _indent(file: Path) -> int | str:
    try:
        found = re.search(r"^([ \t]+)\S", file.read_text(encoding="utf-8-sig"), re.MULTILINE)
    except FileNotFoundError:
        return 2
    return found[1] if found else 2
