"""API methods about model tokens: spent, saved, and whether programs cost less than direct calls of these tools."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.agent.tool_definitions import INSTRUCTIONS, TOOLS, encode_definition
from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.records import Depth, ModeAdvice, ModelFactor, SessionTokens, TokenReport
from workbench.tokens import count, counter

_LISTED = 10  # matches of a typical search
_READ = 2  # signatures that a typical task needs


class TokenReportHandler(RequestHandler):
    """Reports model tokens of conversations and of the catalog."""

    @api
    async def token_report(self) -> TokenReport:
        """The tokens of all conversations of this core, and which way of working suits the catalog."""
        sessions = self._services.sessions
        some = (
            *(SessionTokens(*one) for one in sessions.released),
            *(
                SessionTokens(one.id, one.author, one.origin, one.ledger)
                for one in sessions.all()
                if one.ledger.direct or one.ledger.actual
            ),
        )
        advice = self._advice(await asyncio.to_thread(own_tokens))
        more = await asyncio.to_thread(factors, [tool.raw for tool in self._catalog.tools()])
        return TokenReport(sessions.total(), some, advice, self._services.settings().tokens_cents_per_million, more)

    def _advice(self, entry: int) -> ModeAdvice:
        """Recommend programs if the workbench's own tools (`entry`) and one search cost less than all definitions.
        Runs on the event loop, which owns the catalog and its index."""
        tools = self._catalog.tools()
        definitions = sum(tool.definition_tokens for tool in tools)
        finding = 0
        if tools:
            finding = self._catalog.search("", Depth.DESCRIPTION, _LISTED).tokens
            finding += self._catalog.search("", Depth.FULL, _READ).tokens
        searches = max(0, definitions - entry) // finding if finding else 0
        return ModeAdvice(
            "code" if searches else "direct", len(tools), definitions, entry, finding, searches, counter()
        )


def own_tokens() -> int:
    """Return the model tokens of the workbench's own tools and instructions, per conversation."""
    return count(INSTRUCTIONS) + sum(count(encode_definition(tool)) for tool in TOOLS)


# Factors relative to o200k, measured over tool definitions, code, prose and tool results.
_ESTIMATED = (ModelFactor("Claude 3 to 4.6", 1.13, 1.24), ModelFactor("Claude 4.7 and later", 1.5, 1.65))
_VERSIONS = ("3.0", "4.8")  # versions of ctok, one for each factor
_SAMPLE = 24_000  # sampled characters
_LONGEST = 3_000  # characters of one definition: many short samples are more representative than a few long ones
_measured: dict[str, tuple[ModelFactor, ...]] = {}  # by the hash of the sample; only the last is kept

Definition = Mapping[str, Any]  # Any: foreign JSON


def factors(definitions: Sequence[Definition]) -> tuple[ModelFactor, ...]:
    """Return the factors of models; takes up to half a second when it measures."""
    read = _reader()
    sample = _sampled(definitions) if read is not None else []
    if read is None or not sample:
        return _ESTIMATED
    key = hashlib.sha256("\0".join(sample).encode("utf-8", "replace")).hexdigest()
    if key not in _measured:
        found = tuple(_factor(one.models, sample, read, at) for one, at in zip(_ESTIMATED, _VERSIONS, strict=True))
        _measured.clear()
        _measured[key] = found
    return _measured[key]


def _reader() -> Callable[[str, str], int] | None:
    try:
        found: Callable[[str, str], int] = importlib.import_module("ctok").token_count
    except (ImportError, SyntaxError):  # ctok needs a newer Python
        return None
    return found


def _sampled(definitions: Sequence[Definition]) -> list[str]:
    """Sample definitions evenly from the complete list."""
    step = max(1, len(definitions) * _LONGEST // (4 * _SAMPLE))
    texts = (json.dumps(dict(one), ensure_ascii=False, default=str)[:_LONGEST] for one in definitions[::step])
    found: list[str] = []
    for text in texts:
        if sum(map(len, found)) > _SAMPLE:
            break
        found.append(text)
    return found


def _factor(models: str, sample: Sequence[str], read: Callable[[str, str], int], version: str) -> ModelFactor:
    """Measure a factor. ctok also counts a frame around each message; that of an empty message is subtracted."""
    frame = read("", version)
    share = sum(read(text, version) - frame for text in sample) / max(1, sum(map(count, sample)))
    return ModelFactor(models, round(share, 2), round(share, 2), measured=True)
