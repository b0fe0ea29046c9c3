"""The extensions of the protocol that the door has, put into what a client of an older version is answered first.

Since 2026-07-28 capabilities have a place for extensions. Before, the list of capabilities was not a closed one, so
they stand there too: as `extensions`, where whoever knows of extensions looks, and as `experimental`
(`announcing.py`), which every client of those versions can read. The SDK drops the first from its answer, so the edge
puts it in again.
"""

from __future__ import annotations

from typing import Any, Final

from workbench.records import JsonObject

SKILLS: Final = "io.modelcontextprotocol/skills"
EXTENSIONS: Final[dict[str, dict[str, Any]]] = {SKILLS: {}}  # Any: their settings, JSON
_BEGINNING: Final = frozenset({"protocolVersion", "capabilities", "serverInfo"})  # of an answer to `initialize`, only


def announced(message: JsonObject) -> JsonObject:
    """The message; an answer to `initialize` with the extensions among the capabilities."""
    result = message.get("result")
    if not isinstance(result, dict) or not result.keys() >= _BEGINNING:
        return message
    capabilities = result["capabilities"]
    if not isinstance(capabilities, dict):
        return message
    return {**message, "result": {**result, "capabilities": {**capabilities, "extensions": dict(EXTENSIONS)}}}
