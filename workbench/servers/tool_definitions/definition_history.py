"""History of a server's definitions: a snapshot each time its tools or instructions change, for comparison."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field, to_builtins

from workbench.errors import WorkbenchError
from workbench.records import (
    ChangeKind,
    DefinitionChange,
    Moment,
    Prompt,
    ResourceTemplate,
    ServerState,
    Tool,
)
from workbench.servers.configuration import private_json_files

log = logging.getLogger(__name__)
_MOST = 20  # snapshots of one server
_BYTES = 8 << 20  # bytes of all definitions; the oldest snapshots are dropped first
_TOOL = "tool "  # prefix of a tool's key, which separates tools from the server's own texts
_PROMPT, _TEMPLATE = "prompt ", "template "  # prefixes of prompts and templates; the user reads these keys
_OFFERS = 2_000  # prompts, and templates, of one snapshot
_LISTED = 500  # changes in one answer


class _Snapshot(Struct, frozen=True, array_like=True):
    """The definitions at one time: name → digest of the text."""

    at: float
    parts: dict[str, str]


class _StoredHistory(Struct, frozen=True):
    """The file of one server."""

    format: Literal[1]  # a file of another format is not read
    then: list[Any] = field(default_factory=list)  # snapshots, oldest first
    texts: dict[str, Any] = field(default_factory=dict)  # digest → JSON text


class DefinitionHistory:
    """The snapshots of one server; read from disk when first needed."""

    def __init__(self, server: str, folder: Path) -> None:
        self._server = server
        self._file = folder / f"{hashlib.sha256(server.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.json"
        self._then: list[_Snapshot] = []  # oldest first
        self._texts: dict[str, str] = {}  # digest → JSON text
        self._loaded = False
        self._turn = asyncio.Lock()

    async def keep(self, state: ServerState, tools: Iterable[Tool]) -> None:
        """Add a snapshot if the tools or the server's texts changed; prompts and templates are copied from the last
        one."""
        await self._keep(await asyncio.to_thread(_texts, state, tuple(tools)), _is_offer)

    async def keep_offers(self, templates: Iterable[ResourceTemplate], prompts: Iterable[Prompt]) -> None:
        """Add a snapshot if templates or prompts changed. Resources are no definitions: they come and go like files."""
        texts = await asyncio.to_thread(_offer_texts, tuple(templates)[:_OFFERS], tuple(prompts)[:_OFFERS])
        await self._keep(texts, lambda name: not _is_offer(name))

    async def _keep(self, texts: Mapping[str, str], stays: Callable[[str], bool]) -> None:
        async with self._turn:
            await self._load()
            last = self._then[-1].parts if self._then else {}
            parts = {name: _digest(text) for name, text in texts.items()}
            whole = {name: digest for name, digest in last.items() if stays(name)} | parts
            if last == whole:
                return
            self._texts |= {parts[name]: text for name, text in texts.items()}
            self._then.append(_Snapshot(time.time(), whole))
            self._make_room()
            await self._save()

    async def _save(self) -> None:
        value = _StoredHistory(1, list(self._then), dict(self._texts))
        try:
            await asyncio.to_thread(private_json_files.save, self._file, value)
        except WorkbenchError as fault:
            log.warning("the history of %s cannot be written: %s", self._server, fault)

    async def list(self) -> tuple[Moment, ...]:
        """Return the stored snapshots, newest first."""
        async with self._turn:
            await self._load()
        return tuple(self._moment(one) for one in reversed(self._then))

    async def compare(self, before: float, after: float) -> tuple[DefinitionChange, ...]:
        """Compare the definitions at two times. Each time selects the newest snapshot that is not later."""
        async with self._turn:
            await self._load()
        old, new = self._at(before), self._at(after)
        if old is None or new is None:
            return ()
        names = [name for name in dict.fromkeys((*new.parts, *old.parts)) if old.parts.get(name) != new.parts.get(name)]
        return tuple(self._change(name, old, new) for name in names[:_LISTED])

    def _change(self, name: str, old: _Snapshot, new: _Snapshot) -> DefinitionChange:
        kind = ChangeKind.CHANGED
        if name not in old.parts or name not in new.parts:
            kind = ChangeKind.NEW if name in new.parts else ChangeKind.REMOVED
        before, after = (self._texts.get(one.parts.get(name, ""), "") for one in (old, new))
        return DefinitionChange(self._server, name.removeprefix(_TOOL), kind, "", new.at, before, after)

    def _at(self, moment: float) -> _Snapshot | None:
        return next((one for one in reversed(self._then) if one.at <= moment), None)

    def _moment(self, one: _Snapshot) -> Moment:
        tools = sum(name.startswith(_TOOL) for name in one.parts)
        version = json.loads(self._texts.get(one.parts.get("version", ""), '{"description": ""}'))["description"]
        return Moment(one.at, str(version), tools)

    def _make_room(self) -> None:
        del self._then[: max(0, len(self._then) - _MOST)]
        self._forget()
        while len(self._then) > 1 and sum(map(len, self._texts.values())) > _BYTES:
            del self._then[0]
            self._forget()

    def _forget(self) -> None:
        used = {digest for one in self._then for digest in one.parts.values()}
        self._texts = {digest: text for digest, text in self._texts.items() if digest in used}

    async def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        if (stored := await asyncio.to_thread(private_json_files.load_as, self._file, _StoredHistory)) is not None:
            texts = private_json_files.convert_entries(stored.texts, str, "text")
            self._texts = {digest: text for digest, text in texts.items() if _digest(text) == digest}
            self._then = private_json_files.convert_items(stored.then, _Snapshot, "snapshot of definitions")


def _texts(state: ServerState, tools: Iterable[Tool]) -> dict[str, str]:
    """Return every part as JSON text; the server's own texts look like a definition with only a description."""
    words = {"instructions": state.instructions, "version": state.version, "protocol": state.protocol}
    words["capabilities"] = ", ".join(sorted(state.capabilities))
    own = {name: json.dumps({"description": text}) for name, text in words.items() if text}
    return own | {f"{_TOOL}{tool.name}": json.dumps(dict(tool.raw), sort_keys=True) for tool in tools}


def _offer_texts(templates: Iterable[ResourceTemplate], prompts: Iterable[Prompt]) -> dict[str, str]:
    found: dict[str, str] = {}
    for template in templates:
        about = {"title": template.title, "description": template.description, "mimeType": template.mime}
        found[f"{_TEMPLATE}{template.template}"] = json.dumps(about, sort_keys=True)
    for prompt in prompts:
        told = {key: value for key, value in to_builtins(prompt).items() if key not in ("server", "name")}
        found[f"{_PROMPT}{prompt.name}"] = json.dumps(told, sort_keys=True)
    return found


def _is_offer(name: str) -> bool:
    return name.startswith((_PROMPT, _TEMPLATE))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
