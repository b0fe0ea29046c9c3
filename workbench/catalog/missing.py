"""What to say when a server has no tool of that name."""

from __future__ import annotations

from workbench.catalog.faults import nearest
from workbench.catalog.server import Server
from workbench.errors import WorkbenchError


def no_tool(server: Server, name: str) -> WorkbenchError:
    """With the nearest name, or how to learn its tools."""
    if not server.tools:
        hint = "" if server.running else "Its tools are known once it has been connected."
    else:
        hint = (
            nearest(name, (*server.tools, *server.functions.values()))
            or f"It has {len(server.tools)} tools; search them."
        )
    return WorkbenchError(f"{server.name} has no tool {name!r:.100}.", hint)
