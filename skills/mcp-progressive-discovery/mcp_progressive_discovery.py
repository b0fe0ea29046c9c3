"""Finds the tools for a task step by step, so that only what is needed is read."""

from tool_discovery import search_tools


async def mcp_progressive_discovery(query: str, server: str = "") -> dict[str, str]:
    """Names of up to twenty tools, a sentence about the best five, the whole signature of the best one."""
    return {
        "names": str(search_tools(query, detail_level="name", server=server, limit=20)),
        "described": str(search_tools(query, detail_level="description", server=server, limit=5)),
        "best": str(search_tools(query, detail_level="full", server=server, limit=1)),
    }
