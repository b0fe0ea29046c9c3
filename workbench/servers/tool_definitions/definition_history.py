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
_MOST = 20  # moments of one server
_BYTES = 8 << 20  # of all definitions; the oldest snapshots are dropped first
_TOOL = "tool "  # how a tool's key begins, so that none can be taken for the server's own words
_PROMPT, _TEMPLATE = "prompt ", "template "  # likewise; the user reads these keys
_OFFERS = 2_000  # prompts, and templates, of one moment
_LISTED = 500  # changes in one answer


class _Snapshot(Struct, frozen=True, array_like=True):
    """The definitions at one moment, each by the digest of its text."""

    at: float
    parts: dict[str, str]


class _StoredHistory(Struct, frozen=True):
    """The file of one server."""

    format: Literal[1]  # a file of another format is not read
    then: list[Any] = field(default_factory=list)  # snapshots, oldest first
    texts: dict[str, Any] = field(default_factory=dict)  # digest → JSON text


class DefinitionHistory:
    """The moments of one server; read from disk when first needed."""

    def __init__(self, server: str, folder: Path) -> None:
        self._server = server
        self._file = folder / f"{hashlib.sha256(server.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.json"
        self._then: list[_Snapshot] = []  # oldest first
        self._texts: dict[str, str] = {}  # digest → JSON text
        self._loaded = False
        self._turn = asyncio.Lock()

    async def keep(self, state: ServerState, tools: Iterable[Tool]) -> None:
        """Remember what it is now, if that is not what it was; of its prompts and templates what was known last."""
        await self._keep(await asyncio.to_thread(_texts, state, tuple(tools)), _is_offer)

    async def keep_offers(self, templates: Iterable[ResourceTemplate], prompts: Iterable[Prompt]) -> None:
        """Likewise, once these lists were read. Resources come and go like files: they are no definitions."""
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
        """The stored moments, newest first."""
        async with self._turn:
            await self._load()
        return tuple(self._moment(one) for one in reversed(self._then))

    async def compare(self, before: float, after: float) -> tuple[DefinitionChange, ...]:
        """What is different between two moments, each by the newest one not after that time."""
        async with self._turn:
            await self._load()
        old, new = self._at(before), self._at(after)
        if old is None or new is None:
            return ()
        names = [name for name in dict.fromkeys((*new.parts, *old.parts)) if old.parts.get(name) != new.parts.get(name)]
        return tuple(self._change(name, old, new) for name in names[:_LISTED])

    # inside

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
    """Every part as JSON text; the server's own words look like a definition with nothing but a description."""
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
