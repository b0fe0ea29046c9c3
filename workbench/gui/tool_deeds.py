"""Which action does what to the call of the tool that is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import methodcaller
from typing import Any, Final

TOOL_DEEDS: Final[Mapping[str, Callable[[Any], object]]] = {  # Any: a CallPanel, imported with the first tool
    "tool.json": methodcaller("switch_json"),
    "tool.paste": methodcaller("paste"),
    "tool.reset": methodcaller("reset"),
    "tool.back": methodcaller("bring_back"),
    "result.save": methodcaller("save"),
    "tool.save": methodcaller("save_call"),
    "tool.copy": methodcaller("copy_call"),
    "tool.trust": methodcaller("show_trust"),
}
