"""One tool whole, for an agent: by any spelling of its name, and only while it may be used."""

from __future__ import annotations

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.records import Tool
from workbench.search.tool_search import import_line
from workbench.servers.server_catalog import Catalog


class OneTool(Struct, frozen=True):
    """A definition, and the line that imports its function."""

    tool: Tool
    import_line: str


def one_tool(catalog: Catalog, name: str, category: str = "") -> OneTool:
    """`category` is its server or that one's kind; a word that is neither is left out of account. Raises for a tool
    that is unknown or blocked: of a definition nobody approved, no word reaches a model."""
    kinds = {state.config.name: state.config.category for state in catalog.states()}
    wanted = category.strip().casefold()
    every = catalog.tools()
    tools = [one for one in every if wanted and wanted in (one.server.casefold(), kinds[one.server].casefold())]
    tool = catalog.tool_by_id(name, tools or every)
    if (blocked := catalog.blocked(tool)) is not None:
        raise WorkbenchError(blocked.message, blocked.hint)
    return OneTool(tool, import_line(tool.server, catalog.names.function(tool)))
