"""Checks generated functions against their schemas, and measures generating and importing them.

    python benchmarks/wrappers.py [FOLDER]

The project's own difficult schemas are always included. FOLDER may contain recorded tool lists as JSON files:
`{"server": …, "tools": [answers of tools/list]}`, or definitions by name. Needs mypy; TypeScript is checked if `tsc` is
found.
"""

from __future__ import annotations

import asyncio
import bisect
import importlib
import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from msgspec.structs import replace
from schema_instances import AWKWARD, Instances

from workbench.analysis.certain_failures import find_certain_failures
from workbench.analysis.reading import read_program
from workbench.identifiers import package_name, parameter_names, python_names, script_names
from workbench.records import Tool
from workbench.wrappers.python_package import write_package
from workbench.wrappers.python_source import call_source, wrapper_source
from workbench.wrappers.schema_reader import read_definition
from workbench.wrappers.typescript_package import write_script_package

TRIES = 12  # instances tried for each tool
CLIENT = (
    "from typing import Any\n\nAnswer = Any\n\n"
    "async def call_tool(server: str, tool: str, arguments: Any, *, whole: bool = False) -> Any: ...\n"
    "def as_arguments(given: Any, name: str) -> Any: return given if isinstance(given, dict) else {}\n"
)
PROGRAM = """
from servers.github import create_issue, list_issues
page = await list_issues(owner="me", repo="mine")
for one in page[:3]:
    await create_issue(owner="me", repo="mine", title=one["title"], body="again")
result = await call_mcp_tool("mcp__github__get_me", {})
"""
IMPORT = (
    "import sys, time, typing, asyncio; import client; before = time.perf_counter(); from servers.many import {0}; "
)
IMPORT += "print((time.perf_counter() - before) * 1000, sum(name.startswith('servers.many.') for name in sys.modules))"


@dataclass(frozen=True)
class Example:
    """Arguments that a tool's own schema accepts."""

    tool: Tool
    function: str
    arguments: dict[str, Any]


def main(folder: Path | None) -> None:
    tools = [*_built_in(), *(recorded(folder) if folder else [])]
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        (root / "client.py").write_text(CLIENT)
        warnings = [
            warning for server, some in _by_server(tools) for warning in write_package(server, some, root / "servers")
        ]
        _tell("generated", len(tools), warnings)
        examples, without = _examples(tools)
        _tell("imported", len(tools), _not_imported(root, tools))
        _tell("tools with an instance of their own schema", len(tools), without)
        _tell("instances sent exactly, as one dict and as keywords", len(examples), _not_sent(root, examples))
        _tell("type-checked, mypy --strict (stubs and instances)", len(tools) + len(examples), _mypy(root, examples))
        for stub in set((root / "servers").glob("*/*.pyi")) - set((root / "servers").glob("*/__init__.pyi")):
            stub.unlink()
        _tell("type-checked, mypy --strict (modules and instances)", len(tools) + len(examples), _mypy(root, examples))
        _typescript(root, tools, examples)
    _times(tools)


def _tell(what: str, whole: int, failures: Sequence[str]) -> None:
    print(f"{what}: {whole - len(failures):,} of {whole:,}")
    for failure in failures:
        print(f"  not: {failure}")


def _built_in() -> list[Tool]:
    return [_tool("awkward-shapes", {"name": name, **definition}) for name, definition in AWKWARD.items()]


def recorded(folder: Path) -> list[Tool]:
    found = [tool for file in sorted(folder.glob("*.json")) for tool in _listed(file)]
    if not found:
        raise SystemExit(f"There are no tool lists in {folder}: name a folder that holds JSON files of them.")
    return found


def _listed(file: Path) -> Iterator[Tool]:
    whole = json.loads(file.read_text(encoding="utf-8"))
    whole = whole if isinstance(whole, dict) else {}
    by_name = [
        {**part, "name": name} for name, part in whole.items() if isinstance(part, dict) and "inputSchema" in part
    ]
    for tool in whole.get("tools") or by_name:
        yield _tool(str(whole.get("server", file.stem)), tool)


def _tool(server: str, raw: dict[str, Any]) -> Tool:
    title, about = str(raw.get("title") or ""), str(raw.get("description") or "")
    return Tool(server, raw["name"], title, about, raw.get("inputSchema") or {}, raw.get("outputSchema"), raw=raw)


def _by_server(tools: Sequence[Tool]) -> Iterator[tuple[str, list[Tool]]]:
    for server in dict.fromkeys(tool.server for tool in tools):
        yield server, [tool for tool in tools if tool.server == server]


def _examples(tools: Sequence[Tool]) -> tuple[list[Example], list[str]]:
    """Different instances for each tool, and the tools without any."""
    found, without = [], []
    for server, some in _by_server(tools):
        functions = python_names([tool.name for tool in some])
        for tool in some:
            made = list(_instances(tool))
            found.extend(Example(tool, functions[tool.name], one) for one in made)
            without.extend([] if made else [f"{server} {tool.name}"])
    return found, without


def _instances(tool: Tool) -> Iterator[dict[str, Any]]:
    try:
        Draft202012Validator.check_schema(tool.input_schema)
        is_valid = Draft202012Validator(tool.input_schema).is_valid
    except SchemaError:
        is_valid = lambda value: True  # noqa: E731  # an older draft: the generator alone decides
    source = Instances(tool.input_schema, random.Random(tool.name))
    seen = set()
    for _ in range(TRIES):
        value = source.make(tool.input_schema)
        text = json.dumps(value, sort_keys=True)
        if isinstance(value, dict) and text not in seen and is_valid(value):
            seen.add(text)
            yield value


def _not_imported(root: Path, tools: Sequence[Tool]) -> list[str]:
    sys.path.insert(0, str(root))
    failures = []
    for server, some in _by_server(tools):
        for name, function in python_names([tool.name for tool in some]).items():
            try:
                getattr(importlib.import_module(f"servers.{package_name(server)}"), function)
            except Exception as fault:
                failures.append(f"{server} {name}: {type(fault).__name__}: {fault}")
    return failures


def _not_sent(root: Path, examples: Sequence[Example]) -> list[str]:
    return [
        f"{one.tool.server} {one.tool.name}: {json.dumps(one.arguments)[:200]}" for one in examples if not _is_sent(one)
    ]


def _is_sent(one: Example) -> bool:
    sent: list[Any] = []

    async def remember(server: str, tool: str, arguments: Any, *, whole: bool = False) -> None:
        sent.append((server, tool, json.dumps(arguments, sort_keys=True)))

    module = importlib.import_module(f"servers.{package_name(one.tool.server)}")
    function = getattr(module, one.function)
    function.__globals__[_client_name(function)] = remember
    asyncio.run(function(one.arguments))
    keywords = parameter_names([field.key for field in read_definition(one.tool, one.function).fields])
    if all(key in keywords for key in one.arguments):
        asyncio.run(function(**{keywords[key]: value for key, value in one.arguments.items()}))
    exact = (one.tool.server, one.tool.name, json.dumps(one.arguments, sort_keys=True))
    return bool(sent) and all(what == exact for what in sent)


def _client_name(function: Any) -> str:
    """The module's name for `call_tool`, which is renamed if a tool has that name."""
    return next(name for name in ("call_tool", "call_tool_", "call_tool__") if _is_client(function.__globals__, name))


def _is_client(names: dict[str, Any], name: str) -> bool:
    return name in names and names[name].__name__ in ("call_tool", "remember")


def _mypy(root: Path, examples: Sequence[Example]) -> list[str]:
    """Check one function per instance, and once more in dict style, together with all generated modules in mypy."""
    texts = ["from __future__ import annotations\n\n", *map(_program, range(len(examples)), examples)]
    (root / "examples.py").write_text("".join(texts))
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(root / ".mypy_cache")]
    command += ["-m", "examples", "-p", "servers"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return _named(done, "examples.py:", texts, examples)


def _program(at: int, one: Example) -> str:
    text = call_source(one.tool, one.function, one.arguments).replace("\nresult = await", "\nreturn await", 1)
    imported = text.split("\n", 1)[0]
    return (
        f"async def keywords_{at}() -> object:\n{textwrap.indent(text, '    ')}\n\n"
        f"async def dict_{at}() -> object:\n    {imported}\n    return await {one.function}({one.arguments!r})\n\n"
    )


def _named(done: Any, place: str, texts: Sequence[str], examples: Sequence[Example]) -> list[str]:
    """A checker's errors, each with its tool. The first text is the head of the file."""
    ends = list(accumulate(text.count("\n") for text in texts))
    failures: list[str] = []
    output = done.stdout + done.stderr
    if done.returncode and "error" not in output:
        raise SystemExit(f"The checker did not run: {output}")
    for line in output.splitlines():
        if "error" in line and line.startswith(place):
            number = int(re.findall(r"\d+", line.removeprefix(place))[0])
            tool = examples[bisect.bisect_left(ends, number) - 1].tool
            failures.append(f"{tool.server} {tool.name}: {line}")
        elif "error" in line:
            failures.append(line)
    return failures


def _typescript(root: Path, tools: Sequence[Tool], examples: Sequence[Example]) -> None:
    if (compiler := shutil.which("tsc")) is None:
        print("TypeScript: not checked, there is no tsc (npm install typescript)")
        return
    place = root / "typescript"
    for server, some in _by_server(tools):
        write_script_package(server, some, place)
    (place / "package.json").write_text('{"type": "module"}')
    texts = list(_script_examples(examples))
    (place / "examples.ts").write_text("".join(texts))
    command = [compiler, "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"]
    files = [str(path.relative_to(place)) for path in [*place.glob("*/*.ts"), *place.glob("*.ts")]]
    (place / "files.txt").write_text("\n".join(f'"{file}"' for file in files))
    done = subprocess.run([*command, "@files.txt"], cwd=place, capture_output=True, text=True, check=False)
    failures = _named(done, "examples.ts(", texts, examples)
    _tell("type-checked, tsc --strict (tools and instances)", len(tools) + len(examples), failures)


def _script_examples(examples: Sequence[Example]) -> Iterator[str]:
    servers = list(_by_server([one.tool for one in examples]))
    functions = {server: script_names([tool.name for tool in some]) for server, some in servers}
    yield "".join(f'import * as {package_name(one)}_ from "./{package_name(one)}/index.js";\n' for one, _ in servers)
    for one in examples:
        name = f"{package_name(one.tool.server)}_.{functions[one.tool.server][one.tool.name]}"
        yield f"await {name}({json.dumps(one.arguments)});\n"


def _times(tools: Sequence[Tool]) -> None:
    thousand = [replace(tools[at % len(tools)], server="many", name=f"tool_{at}") for at in range(1_000)]
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        (root / "client.py").write_text(CLIENT)
        print(f"1,000 tools as text: {_seconds(lambda: [wrapper_source(tool, tool.name) for tool in thousand]):.2f} s")
        print(f"1,000 tools to disk: {_seconds(lambda: write_package('many', thousand, root / 'servers')):.2f} s")
        print(f"  nothing changed:   {_seconds(lambda: write_package('many', thousand, root / 'servers')):.2f} s")
        print(f"  as TypeScript:     {_seconds(lambda: write_script_package('many', thousand, root / 'ts')):.2f} s")
        answers = [_import_once(root, f"tool_{at}") for at in range(0, 1_000, 50)]
        milliseconds, files = statistics.median(answer[0] for answer in answers), max(answer[1] for answer in answers)
        _check_time(tools)
        print(f"import of one tool among 1,000: {milliseconds:.1f} ms (p50 of {len(answers)}), {files:.0f} file read")


def _check_time(tools: Sequence[Tool]) -> None:
    """Measure the type check before a short program runs: the first check with these tools, and later ones."""
    known = tuple(tools)
    reading = read_program(PROGRAM, known)
    first = _seconds(lambda: find_certain_failures(reading, known)) * 1_000
    later = statistics.median(_seconds(lambda: find_certain_failures(reading, known)) * 1_000 for _ in range(50))
    print(f"check of a short program against {len(known)} tools: {first:.1f} ms at first, then {later:.2f} ms (p50)")


def _seconds(work: Any) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def _import_once(root: Path, function: str) -> tuple[float, float]:
    """Measure in a new interpreter that has already imported asyncio and typing, like that of a program."""
    command = [sys.executable, "-B", "-c", IMPORT.format(function)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    milliseconds, files = done.stdout.split()
    return float(milliseconds), float(files)


if __name__ == "__main__":
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if given and not given.is_dir():
        raise SystemExit(f"There is no folder {given}: name one that holds recorded tool lists.")
    main(given)
