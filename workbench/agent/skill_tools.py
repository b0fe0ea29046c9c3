"""Skills for an agent: tools that list, find, load, run and save them, and kept skills as resources."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, Final

import mcp.types as T
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from msgspec import Struct

from workbench.agent import tool_calls as given
from workbench.agent.program_tools import Context, ProgramTools
from workbench.agent.protocol_identity import EXTENSIONS
from workbench.agent.tool_calls import ToolAnswer
from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.files import read_plain
from workbench.privacy.text_kinds import TextKind
from workbench.records import JsonObject, JsonValue, Skill
from workbench.runs.answer_view import cut
from workbench.runs.skill_actions import find_skills, kept_skill, kept_skills, offer_skill, read_skill_text
from workbench.skills.frontmatter import FrontMatterError, Node, read_nested_fields
from workbench.skills.skill_code import calling

MOST_FOUND: Final = 10


class SkillTools:
    """Skill tools of one agent. It sees kept skills only; a skill that an agent saves is a draft until the user
    keeps it."""

    def __init__(self, services: Services, session: Session, programs: ProgramTools) -> None:
        self._services = services
        self._session = session
        self._programs = programs

    async def list(self) -> ToolAnswer:
        """Answers `list_skills`."""
        return _listed(await kept_skills(self._services), "The user has not kept any skills yet.")

    async def search(self, arguments: JsonObject) -> ToolAnswer:
        """Answers `search_skills`."""
        found = await find_skills(self._services, given.text(arguments, "query"), MOST_FOUND)
        return _listed(found, "No skill matches; list_skills shows all skills.")

    async def load(self, arguments: JsonObject) -> ToolAnswer:
        """Answers `load_skill`."""
        name = given.text(arguments, "name")
        text = self._session.mask_known(await read_skill_text(self._services, name))  # masked before it is cut
        text = cut(text, self._services.settings().run_answer_tokens, "skill://…/SKILL.md has its instructions")
        return ToolAnswer(text, kind=TextKind.PUBLIC)

    async def run(self, context: Context, arguments: JsonObject) -> ToolAnswer:
        """Answers `run_skill`: submits a program, which is assessed together with the skill."""
        skill = await kept_skill(self._services, given.text(arguments, "name"))
        values = arguments.get("arguments") or {}
        if not isinstance(values, dict):
            raise WorkbenchError("arguments must be an object.", 'Example: {"limit": 5}.')
        purpose = f"Run the skill {skill.name}: {skill.description}"
        return await self._programs.run(context, calling(skill, values), purpose, "skill", skill.name)

    async def save(self, arguments: JsonObject) -> ToolAnswer:
        """Answers `save_skill`."""
        name, description = given.text(arguments, "name"), given.text(arguments, "description")
        words = await offer_skill(self._services, self._session, name, given.text(arguments, "code"), description)
        return ToolAnswer(words, kind=TextKind.PUBLIC)


def _listed(skills: Sequence[Skill], none: str) -> ToolAnswer:
    lines = [f"{skill.name}: {skill.description}" for skill in skills]
    facts: JsonObject = {"skills": [{"name": skill.name, "description": skill.description} for skill in skills]}
    return ToolAnswer("\n".join(lines) or none, facts, kind=TextKind.PUBLIC)


PAGE: Final = 50  # skills in one answer
MOST_FILES: Final = 100  # files of one skill
LARGEST: Final = 500_000  # bytes of one file
_CARD: Final = "SKILL.md"
_NOT_FOUND: Final = -32002  # error code for a missing resource, until protocol version 2026-07-28
_INVALID: Final = -32602
_TYPES: Final = {".md": "text/markdown", ".py": "text/x-python", ".json": "application/json", ".csv": "text/csv"}


class GetSkillParams(T.RequestParams):
    """Parameters of the request `skills/get`."""

    uri: str


class _File(Struct, frozen=True):
    uri: str
    text: str


class SkillResources:
    """Kept skills as MCP resources of one agent."""

    def __init__(self, services: Services, session: Session, server: Server[Any]) -> None:  # Any: as the SDK leaves it
        self._services = services
        self._session = session
        server.extensions = dict(EXTENSIONS)
        server.add_request_handler("skills/list", T.PaginatedRequestParams, self._list)
        server.add_request_handler("skills/get", GetSkillParams, self._get)
        server.add_request_handler("resources/list", T.PaginatedRequestParams, self._resources)
        server.add_request_handler("resources/read", T.ReadResourceRequestParams, self._read)

    async def _list(self, context: Context, params: T.PaginatedRequestParams) -> dict[str, Any]:  # Any: JSON
        skills, cursor = await self._page(params.cursor)
        entries = [entry for skill in skills if (entry := await self._entry(skill)) is not None]
        return {"skills": entries, **_caching(context)} | ({"nextCursor": cursor} if cursor else {})

    async def _get(self, context: Context, params: GetSkillParams) -> dict[str, Any]:  # Any: JSON
        for skill in await kept_skills(self._services):
            if _uri(skill, _CARD) == params.uri and (entry := await self._entry(skill)) is not None:
                return {"skill": entry, **_caching(context)}
        words = f"There is no skill {params.uri[:200]!r}; skills/list returns all skills."
        raise MCPError(_INVALID, self._public(words))

    async def _resources(self, context: Context, params: T.PaginatedRequestParams) -> T.ListResourcesResult:
        skills, cursor = await self._page(params.cursor)
        found = [
            T.Resource(
                uri=self._public(_uri(skill, _CARD)),
                name=self._public(skill.name),
                description=self._public(skill.description),
                mime_type=_TYPES[".md"],
            )
            for skill in skills
        ]
        return T.ListResourcesResult(resources=found, next_cursor=cursor)

    async def _read(self, context: Context, params: T.ReadResourceRequestParams) -> T.ReadResourceResult:
        for skill in await kept_skills(self._services):
            if params.uri.startswith(_uri(skill, "")):
                for file in await asyncio.to_thread(self._files, skill):
                    if file.uri == params.uri:
                        kind = _TYPES.get(PurePosixPath(file.uri).suffix, "text/plain")
                        content = T.TextResourceContents(
                            uri=self._public(file.uri), mime_type=kind, text=self._public(file.text)
                        )
                        return T.ReadResourceResult(contents=[content])
        code = _INVALID if context.protocol_version in MODERN_PROTOCOL_VERSIONS else _NOT_FOUND
        raise MCPError(code, self._public("Resource not found"), {"uri": params.uri[:2_000]})

    async def _page(self, cursor: str | None) -> tuple[list[Skill], str | None]:
        skills = sorted(await kept_skills(self._services), key=lambda skill: skill.name)
        if cursor is not None and not any(skill.name == cursor for skill in skills):
            raise MCPError(_INVALID, self._public("The cursor is no longer valid; start again without a cursor."))
        rest = [skill for skill in skills if cursor is None or skill.name >= cursor]
        return rest[:PAGE], rest[PAGE].name if len(rest) > PAGE else None

    async def _entry(self, skill: Skill) -> JsonObject | None:
        """Return the entry of a skill; None if it was deleted or its SKILL.md became invalid after the list was
        made."""
        files = await asyncio.to_thread(self._files, skill)
        card = next((file.text for file in files if file.uri == _uri(skill, _CARD)), "")
        front = await asyncio.to_thread(_frontmatter, card)
        if front is None or front.get("name") != skill.name:
            return None
        listed: list[JsonValue] = [
            {"uri": self._public(file.uri), "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)}
            for file in files
            if (data := file.text.encode()) is not None
        ]
        told = self._session.text_kinds.mark_json(front, TextKind.PUBLIC)
        return {"uri": self._public(_uri(skill, _CARD)), "frontmatter": told, "resources": listed}

    def _public(self, text: str) -> str:
        return self._session.text_kinds.mark(text, TextKind.PUBLIC)

    def _files(self, skill: Skill) -> list[_File]:
        """Return the plain text files of a skill, masked for this session; earlier versions and links are excluded."""
        folder = self._services.library.folder(skill.name)
        found: list[_File] = []
        for path in sorted(folder.rglob("*"))[: 10 * MOST_FILES]:
            parts = path.relative_to(folder).parts
            if parts[0] == "versions" or any(part.startswith((".", "__")) for part in parts) or path.is_symlink():
                continue
            try:
                if path.is_file() and path.stat().st_size <= LARGEST:
                    text = self._session.mask_known(read_plain(path))
                    found.append(_File(_uri(skill, "/".join(parts)), text))
            except (OSError, ValueError):
                continue  # deleted, unreadable, or not a text file: it is not listed
        return found[:MOST_FILES]


def _caching(context: Context) -> JsonObject:
    """Return the caching fields that answers need since protocol version 2026-07-28: caching is off, because masking
    differs between sessions."""
    return {"ttlMs": 0, "cacheScope": "private"} if context.protocol_version in MODERN_PROTOCOL_VERSIONS else {}


def _uri(skill: Skill, file: str) -> str:
    return f"skill://{skill.name}/{file}"


def _frontmatter(card: str) -> JsonObject | None:
    """Return the front matter of a SKILL.md as JSON, with all scalars as strings. None for an invalid file."""
    try:
        return {key: _json(value) for key, value in read_nested_fields(card).items()}
    except FrontMatterError:
        return None


def _json(value: Node) -> JsonValue:
    if isinstance(value, str):
        return value
    return [_json(one) for one in value] if isinstance(value, list) else {key: _json(one) for key, one in value.items()}
