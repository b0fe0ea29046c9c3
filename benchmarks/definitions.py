"""Checks that agents receive tool definitions exactly as the servers sent them: `definitions.py FOLDER`.

FOLDER contains recorded tool lists, one JSON file per server. A real core serves them through `mcp-workbench serve` to
the SDK's client, which reads every signature and every definition: first in a new session, then in one whose vault
contains personal data (customers, a home folder named like an ordinary word, a README). The output is the number of
definitions that differ from the recording, of the workbench's own answers and errors that changed, and of values masked
where programs print definitions or fail. Goal: zero. `-v` shows the details.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from workbench.core import Core
from workbench.identifiers import package_name
from workbench.paths import OVERRIDE, paths_of
from workbench.records import Depth, ServerStatus
from workbench.servers.server_catalog import one_tool

TOKEN = re.compile(r"\[[A-Z_]+_\d+\.\w{4}\]")
PRINTED = {  # programs that print definitions; none of the output is personal
    "search_tools, names": "print(search_tools(server=SERVER, limit=500))",
    "search_tools, descriptions": "print(search_tools(server=SERVER, detail_level='description', limit=500))",
    "search_tools, full": "print(search_tools(server=SERVER, detail_level='full', limit=500))",
    "a list, printed": "print(list(search_tools(server=SERVER, detail_level='full', limit=500)))",
    "search_tools as result": "result = search_tools(server=SERVER, detail_level='full', limit=500)",
    "each description": "for one in search_tools(server=SERVER, detail_level='description', limit=500):\n"
    "    print(one['name'])\n    print(one['description'])",
    "name → description": "for one in search_tools(server=SERVER, detail_level='description', limit=500):\n"
    "    print(one['name'], '→', one['description'])",
    "Markdown table": "for one in search_tools(server=SERVER, detail_level='description', limit=500):\n"
    "    print('|', one['name'], '|', one['description'], '|')",
    "JSON lines": "import json\nfor one in search_tools(server=SERVER, detail_level='full', limit=500):\n"
    "    print(json.dumps(one))",
    "get_tool_definition": "for tool in TOOLS:\n    print(get_tool_definition(tool))",
    "get_tool_definition as result": "result = [get_tool_definition(tool) for tool in TOOLS]",
    "indented JSON": "import json\nfor tool in TOOLS:\n    print(json.dumps(get_tool_definition(tool), indent=2))",
    "wrappers and stubs": "import os\nfor place, _, files in os.walk('servers/PACKAGE'):\n"
    "    for file in sorted(files):\n"
    "        if file.endswith(('.py', '.pyi')):\n            print(open(os.path.join(place, file)).read())",
}
FAILED = {  # programs that fail, with errors of the workbench, of Python or of their own
    "KeyError": "from servers.demo import list_orders\ndef first(orders):\n    return orders['customer']\nfirst({})",
    "exceptions in a chain": "try:\n    int('x')\nexcept ValueError as fault:\n    raise OSError('no') from fault",
    "ModuleNotFoundError": "import numpy_of_nobody",
    "printed traceback": "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()",
    "ToolError": "from client import call_tool\nawait call_tool('demo', 'list_orders', {'status': 7})",
    "ToolError, no tool": "from client import call_tool\nname = 'list_' + 'orderz'\nawait call_tool('demo', name, {})",
}
README = Path(__file__).resolve().parent.parent / "README.md"
LEARN = (
    "print('HOME=/home/program', '/home/orders', '/home/return', 'login=calling')",
    "from servers.demo import list_customers\nprint(await list_customers(limit=50))",
    f"print({README.read_text(encoding='utf-8')[:60_000]!r})",
)
OWN = {  # the workbench's own answers, by tool
    "list_skills": ("list_skills", {}),
    "load_skill": ("load_skill", {"name": "wait-for-message"}),
    "unknown tool": ("get_tool_definition", {"name": "nobody.has_this"}),
    "unknown skill": ("load_skill", {"name": "nobody-has-this"}),
    "not run": ("execute_code", {"code": "import subprocess", "description": "x"}),
    "nothing printed": ("execute_code", {"code": "x = 1", "description": "x"}),
    "does not parse": ("execute_code", {"code": "print(", "description": "x"}),
    "wrong argument": (
        "execute_code",
        {"code": "from servers.demo import list_orders\nawait list_orders(name='x', state=1)", "description": "x"},
    ),
    "too slow": ("execute_code", {"code": "while True: pass", "description": "x", "timeout": 1}),
    "name error": ("execute_code", {"code": "print(program)", "description": "x"}),
}


@dataclass
class Expected:
    """What an agent should receive."""

    searches: dict[tuple[str, str], str] = field(default_factory=dict)  # server, depth → answer
    definitions: dict[str, str] = field(default_factory=dict)  # tool → answer


async def main(folder: Path) -> int:
    with tempfile.TemporaryDirectory() as home:
        os.environ[OVERRIDE] = str(Path(home) / "home")
        project = Path(home) / "project"
        project.mkdir()
        files = sorted(folder.glob("*.json"))
        entries = {one.stem: {"command": sys.executable, "args": [__file__, "--replay", str(one)]} for one in files}
        config = Path(home) / "home" / "config"
        config.mkdir(parents=True)
        (config / "settings.toml").write_text(
            "[approval]\nwait_seconds = 2\n[run]\nanswer_tokens = 1000000\noutput_bytes = 16000000\n", encoding="utf-8"
        )
        (project / ".mcp.json").write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
        expected = await _expected(project)
        return await _converse(project, expected)


async def _expected(project: Path) -> Expected:
    """Connect every server once, as the user would, and record the catalogue's answers."""
    core, told = Core(paths_of(project)), Expected()
    await core.open()
    try:
        names = [state.config.name for state in core.services.catalog.states()]
        for name in names:
            await core.api.connect(name, (await core.api.consent(name)).sha)
        while any(state.status is ServerStatus.STARTING for state in core.services.catalog.states()):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        catalog = core.services.catalog
        for name in names:
            for depth in Depth:
                told.searches[name, str(depth)] = catalog.search("", depth, 500, name).text
        for tool in catalog.tools():
            spelled = f"{tool.server}.{tool.name}"
            text = f"{one_tool(catalog, spelled).import_line}\n{json.dumps(dict(tool.raw), ensure_ascii=False)}"
            told.definitions[spelled] = text
    finally:
        await core.close()
    return told


async def _converse(project: Path, expected: Expected) -> int:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "workbench", "serve", "--project", str(project)], env=dict(os.environ)
    )
    async with Client(stdio_client(command), mode="legacy") as client:
        own = {name: await _ask(client, *asked) for name, asked in OWN.items()}
        wrong = await _compare("a fresh conversation", client, expected, own)
        for code in LEARN:
            told = await _ask(client, "execute_code", {"code": code, "description": "Learn."})
            assert TOKEN.search(told), told[:500]
        return wrong + await _compare("one that has learnt personal data", client, expected, own)


async def _compare(where: str, client: Client, expected: Expected, own: dict[str, str]) -> int:
    began = time.perf_counter()
    signatures = changed = schemas = 0
    for (server, depth), text in expected.searches.items():
        told = await _ask(client, "search_tools", {"server": server, "detail_level": depth, "limit": 500})
        lines = list(zip(text.split("\n"), told.split("\n"), strict=False))
        wrong = sum(one != other for one, other in lines) + abs(text.count("\n") - told.count("\n"))
        signatures += wrong if depth == Depth.FULL else 0
        changed += wrong
    for tool, text in expected.definitions.items():
        told = await _ask(client, "get_tool_definition", {"name": tool})
        if not _is_same(told, text):
            schemas += 1
            print(f"  {tool} differs: {told[:200]!r}")
    printed = await _count_tokens(client, expected)
    said = {name: await _ask(client, *asked) for name, asked in OWN.items()}
    words = [name for name, text in own.items() if _plain(said[name]) != _plain(text) or TOKEN.search(said[name])]
    many = len(expected.definitions)
    print(f"{where}: {time.perf_counter() - began:.1f} s")
    print(f"  lines of signatures changed: {signatures} ({many} tools)")
    print(f"  lines of all search answers changed: {changed}")
    print(f"  definitions changed: {schemas} of {many}")
    print(f"  answers and errors of the workbench changed: {len(words)} of {len(OWN)} {words or ''}")
    print(f"  replaced in what programs print of definitions and in their failures: {sum(printed.values())}")
    for name, many in printed.items():
        if many:
            print(f"    {name}: {many}")
    for name in words:
        print(f"    {name}: {said[name][:300]!r}")
    return signatures + changed + schemas + len(words) + sum(printed.values())


async def _count_tokens(client: Client, expected: Expected) -> Counter[str]:
    """The number of spans masked in the output of programs, by program."""
    found: Counter[str] = Counter()
    programs = list(FAILED.items())
    for server in dict.fromkeys(server for server, _ in expected.searches):
        tools = [tool for tool in expected.definitions if tool.startswith(f"{server}.")]
        head = f"SERVER, TOOLS = {server!r}, {tools!r}\n"
        package = package_name(server)
        programs += [(what, head + code.replace("PACKAGE", package)) for what, code in PRINTED.items()]
    for what, code in programs:
        said = await _ask(client, "execute_code", {"code": code, "description": "Print."})
        assert what in FAILED or not said.startswith("The program"), (what, said[:500])
        tokens = [*TOKEN.finditer(said)]
        found[what] += len(tokens)
        for token in tokens[:1] if "-v" in sys.argv else ():
            print(f"    {what}: …{said[max(0, token.start() - 80) : token.end() + 40]!r}")
    return found


def _is_same(told: str, text: str) -> bool:
    """Whether the answer is the complete definition, or its beginning and end if it was too long."""
    beginning, _, rest = told.partition("\n… [cut: ")
    return text.startswith(beginning) and text.endswith(rest.partition("] …\n")[2]) and (bool(rest) or text == told)


def _plain(text: str) -> str:
    """The text without numbers that differ between two runs."""
    return re.sub(r"\d+(\.\d+)?", "0", text)


async def _ask(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    said = await client.call_tool(tool, arguments)
    return "\n".join(part.text for part in said.content if part.type == "text")


def replay(file: Path) -> None:
    """An MCP server that offers a recorded tool list."""
    tools = json.loads(file.read_text(encoding="utf-8")).get("tools") or []
    for line in sys.stdin:
        message = json.loads(line)
        if (number := message.get("id")) is None:
            continue
        result: dict[str, Any] = {}
        if message["method"] == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
            result["serverInfo"] = {"name": file.stem, "version": "1"}
        elif message["method"] == "tools/list":
            result = {"tools": tools}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1] == "--replay":
        replay(Path(sys.argv[2]))
    else:
        raise SystemExit(1 if asyncio.run(main(Path(sys.argv[1]))) else 0)
