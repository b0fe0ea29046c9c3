"""Writes a server's TypeScript functions as programs in the sandbox import them: modules, and an index that loads none.

The index is plain JavaScript: `index.ts` beside it names every function with its types for readers, but loading it
would load all functions, and a server may have a thousand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from workbench.identifiers import package_name
from workbench.records import Tool
from workbench.wrappers.generated_folder import GeneratedModule, replace_file, write_folder
from workbench.wrappers.typescript_package import TYPESCRIPT
from workbench.wrappers.typescript_types import quoted

CLIENT = """\
// Calls tools and finds them; in the sandbox the same names stand without an import.
export const { Image, ToolError, callTool, callMcpTool, callMCPTool, searchTools, getToolDefinition } = globalThis;
export const { equal, domainOf, yearOf, last4, initials, masked } = globalThis;
"""
_DOOR = "const $load = (file, name) => async (...input) => (await import(`./${file}.ts`))[name](...input);\n"


def write_inside_package(server: str, tools: Sequence[Tool], root: Path) -> tuple[str, ...]:
    """Bring `root/<package>` in step with the tools; returns a warning for each tool that is not quite as wished."""
    root.mkdir(parents=True, exist_ok=True)
    replace_file(root / "client.js", CLIENT)
    return write_folder(server, tools, root / package_name(server), INSIDE)


def _doors(server: str, entries: Mapping[str, GeneratedModule], written: str) -> dict[str, str]:
    lines = [f"// Functions for the tools of {quoted(server)}; each is read when it is first called.\n", _DOOR]
    for entry in entries.values():
        lines.append(f"export const {entry.function} = $load({quoted(entry.stem)}, {quoted(entry.function)});\n")
    return {**TYPESCRIPT.doors(server, entries, written), "index.js": "".join(lines)}


INSIDE = replace(TYPESCRIPT, format=f"{TYPESCRIPT.format}.inside", doors=_doors)
