"""Writes a server's tools as a folder of TypeScript modules, with the small client that all of them call.

In the sandbox the index is plain JavaScript. `index.ts` next to it names every function with its types for readers, but
loading it would load all functions, and a server may have a thousand.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from workbench.identifiers import package_name, script_names
from workbench.records import Tool
from workbench.wrappers.generated_folder import FolderStyle, GeneratedModule, read_index, replace_file, write_folder
from workbench.wrappers.typescript_source import interface_names, quoted, typescript_source

CLIENT = """\
/** Interface of a connection to one server. The Client of the MCP SDK implements it. */
export interface Connection {
  callTool(request: { name: string; arguments: { [key: string]: unknown } }): Promise<any>;
}

/** Thrown if a tool refuses or fails. Catch it to continue. */
export class ToolError extends Error {}

const connections = new Map<string, Connection>();

/** Set the connection over which the tools of a server are called. */
export function connect(server: string, connection: Connection): void {
  connections.set(server, connection);
}

/** A part of an answer that is not only text. The data of images and audio is bytes. */
export interface Block {
  type: string;
  text?: string;
  mimeType?: string;
  data?: Uint8Array;
  [key: string]: any;
}

/** Call a tool by `server__tool`. The answer is the structured content, JSON from a text, or a list of `Block`. */
export async function callMCPTool<T>(id: string, input: object = {}, _server?: string): Promise<T> {
  const servers = [...connections.keys()].filter((name) => id.startsWith(name + "__"));
  const server = servers.sort((one, other) => other.length - one.length)[0];
  if (server === undefined) throw new ToolError(`No connection for ${id}: call connect() first.`);
  const answer = await connections.get(server)!.callTool({
    name: id.slice(server.length + 2),
    arguments: { ...input },
  });
  return unwrapped(answer) as T;
}

function typed(block: any): Block {
  if (typeof block.data !== "string") return block;
  return { ...block, data: Uint8Array.from(atob(block.data), (letter) => letter.charCodeAt(0)) };
}

function unwrapped(answer: any): unknown {
  const blocks: any[] = answer.content ?? [];
  const texts = blocks.filter((block) => block.type === "text").map((block) => String(block.text));
  if (answer.isError) throw new ToolError(texts.join("\\n") || "The tool failed and gave no reason.");
  if (answer.structuredContent !== undefined) return answer.structuredContent;
  if (texts.length !== blocks.length) return blocks.map(typed);
  const text = texts.join("\\n");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
"""


def write_script_package(server: str, tools: Sequence[Tool], root: Path) -> tuple[str, ...]:
    """Synchronize `root/<package>` with the tools.

    Returns a warning for each tool that could not be written as defined."""
    root.mkdir(parents=True, exist_ok=True)
    replace_file(root / "client.ts", CLIENT)
    return write_folder(server, tools, root / package_name(server), TYPESCRIPT)


def remove_script_package(server: str, root: Path) -> None:
    """Delete a server's functions, unless the package of that name belongs to another server."""
    folder = root / package_name(server)
    if read_index(folder).get("server", server) == server:
        shutil.rmtree(folder, ignore_errors=True)


def _module(tool: Tool, function: str, written: str) -> tuple[str, ...]:
    return (typescript_source(tool, function, written),)


def _index_files(server: str, entries: Mapping[str, GeneratedModule], written: str) -> dict[str, str]:
    return {"index.ts": _index_source(server, entries, written)}


def _index_source(server: str, entries: Mapping[str, GeneratedModule], written: str) -> str:
    """Return the index: every function with its two types.

    Of types with the same name, only the first is in the index; the others are in their files."""
    lines = [f"// Functions for the tools of {quoted(server)}.\n// Generated at {written}\n"]
    taken = {entry.function for entry in entries.values()}
    for entry in entries.values():
        types = [name for name in interface_names(entry.function) if name not in taken]
        taken.update(types)
        names = ", ".join([entry.function, *(f"type {name}" for name in types)])
        lines.append(f"export {{ {names} }} from {quoted(f'./{entry.stem}.js')};\n")
    return "".join(lines) if entries else f"{lines[0]}export {{}};\n"


TYPESCRIPT = FolderStyle("3", "", (".ts",), script_names, frozenset(("index",)), _module, _index_files)


# ── The package that programs in the sandbox import ─────────────────────────────────────────────────────
SANDBOX_CLIENT = """\
// Functions that call and find tools. In the sandbox, the same names are available without an import.
export const { Image, ToolError, callTool, callMcpTool, callMCPTool, searchTools, getToolDefinition } = globalThis;
export const { equal, domainOf, domain_of, yearOf, year_of, last4, initials, masked } = globalThis;
"""
_DOOR = "const $load = (file, name) => async (...input) => (await import(`./${file}.ts`))[name](...input);\n"


def write_inside_package(server: str, tools: Sequence[Tool], root: Path) -> tuple[str, ...]:
    """Synchronize `root/<package>` with the tools.

    Returns a warning for each tool that could not be written as defined."""
    root.mkdir(parents=True, exist_ok=True)
    replace_file(root / "client.js", SANDBOX_CLIENT)
    return write_folder(server, tools, root / package_name(server), INSIDE)


def _sandbox_index_files(server: str, entries: Mapping[str, GeneratedModule], written: str) -> dict[str, str]:
    lines = [f"// Functions for the tools of {quoted(server)}; each is read when it is first called.\n", _DOOR]
    for entry in entries.values():
        lines.append(f"export const {entry.function} = $load({quoted(entry.stem)}, {quoted(entry.function)});\n")
    return {**TYPESCRIPT.index_files(server, entries, written), "index.js": "".join(lines)}


INSIDE = replace(TYPESCRIPT, format=f"{TYPESCRIPT.format}.inside", index_files=_sandbox_index_files)
