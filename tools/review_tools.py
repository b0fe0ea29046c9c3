"""Makes and checks `resources/reviewed_tools.json` from `tools/reviewed_tools.txt` and a folder of tool lists.

    python tools/review_tools.py FOLDER…           add the definitions in these folders
    python tools/review_tools.py --check FOLDER…   print what the folders hold that is not reviewed

A list is a JSON file `{"package": "npm:NAME", "tools": […]}` with the tools as the server lists them. Without a prefix,
the package is looked up as npm and PyPI package. Definitions that the file already has are kept, so that several
versions of a server can be reviewed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, to_builtins

from workbench.permissions.reviewed_tools import (
    FILE,
    ReviewedServer,
    ReviewedTool,
    definition_hash,
    parse_facts,
    reviewed_servers,
)
from workbench.records import Tool
from workbench.servers.tool_definitions import definition_parsing

HERE = Path(__file__).parent
SOURCE = HERE / "reviewed_tools.txt"
TARGET = HERE.parent / "resources" / FILE


class ServerNotes(Struct, frozen=True):
    """What the source says about one server."""

    packages: tuple[str, ...]
    lines: tuple[tuple[str, tuple[str, ...]], ...]  # facts, patterns
    reasons: Mapping[str, str]

    def facts_of(self, tool: str) -> str:
        """Return the facts of a tool; empty if no line fits."""
        found = (facts for facts, patterns in self.lines if any(fnmatchcase(tool, one) for one in patterns))
        return next(found, "")

    def reason_of(self, tool: str) -> str:
        return next((why for pattern, why in self.reasons.items() if fnmatchcase(tool, pattern)), "")


def read_source(text: str) -> list[ServerNotes]:
    """Read the source. Raises ValueError for a line that cannot be read."""
    found: list[tuple[list[str], list[tuple[str, tuple[str, ...]]], dict[str, str]]] = []
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            found.append((line.split(), [], {}))
            continue
        before, colon, after = line.strip().partition(":")
        if not colon or not found:
            raise ValueError(f"This line cannot be read: {line!r}")
        if before.startswith("why "):
            found[-1][2].update(dict.fromkeys(before.split()[1:], after.strip()))
        else:
            parse_facts(before)
            found[-1][1].append((before, tuple(after.split())))
    return [ServerNotes(tuple(packages), tuple(lines), reasons) for packages, lines, reasons in found]


def read_lists(folders: list[Path]) -> Iterator[tuple[str, tuple[Tool, ...]]]:
    """Yield package and tools of each list."""
    for file in sorted(file for folder in folders for file in folder.glob("*.json")):
        listed: Mapping[str, Any] = json.loads(file.read_text("utf-8"))
        yield listed["package"], definition_parsing.read("any", listed["tools"] or ()).tools


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(arguments)
    notes = read_source(SOURCE.read_text("utf-8"))
    known = {package: server for server in reviewed_servers() for package in server.packages}
    definitions: dict[tuple[str, str], list[str]] = {}
    for one in notes:
        server = next((known[package] for package in one.packages if package in known), None)
        for name, tool in server.tools.items() if server is not None else ():
            definitions[one.packages[0], name] = list(tool.definitions)
    missing = _add_definitions(notes, given.folders, definitions)
    for line in missing:
        print(line, file=sys.stderr)
    if given.check:
        return 1 if missing else 0
    made = [_server(one, definitions) for one in notes]
    lines = ",\n".join(msgspec.json.encode(to_builtins(one)).decode() for one in made if one.tools)
    TARGET.write_text(f"[\n{lines}\n]\n", "utf-8")
    print(f"{sum(len(one.tools) for one in made):,} tools of {sum(bool(one.tools) for one in made)} servers")
    return 0


def _add_definitions(
    notes: list[ServerNotes], folders: list[Path], definitions: dict[tuple[str, str], list[str]]
) -> list[str]:
    """Add the hashes of the listed definitions; return what is not reviewed."""
    missing = []
    for package, tools in read_lists(folders):
        wanted = {package} if ":" in package else {f"npm:{package}", f"pypi:{package}"}
        one = next((one for one in notes if wanted & set(one.packages)), None)
        if one is None:
            missing.append(f"{package} is not reviewed")
            continue
        for tool in tools:
            if not one.facts_of(tool.name):
                missing.append(f"{package}: {tool.name} is not reviewed")
                continue
            hashes, sha = definitions.setdefault((one.packages[0], tool.name), []), definition_hash(tool)
            if sha not in hashes:
                hashes.append(sha)
    return missing


def _server(one: ServerNotes, definitions: Mapping[tuple[str, str], list[str]]) -> ReviewedServer:
    tools = {
        name: ReviewedTool(one.facts_of(name), tuple(sorted(hashes)), one.reason_of(name))
        for (package, name), hashes in sorted(definitions.items())
        if package == one.packages[0] and one.facts_of(name)
    }
    return ReviewedServer(one.packages, tools)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
