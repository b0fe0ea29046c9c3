"""TypeScript programs: the same conventions, restrictions and reasons for ending as in Python."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.records import JsonObject, JsonValue, Limits, Tool
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.program import Program, ToolFailure
from workbench.wrappers.typescript_package import write_inside_package

QUICK = Limits(seconds=60.0, cpu_seconds=10.0, memory_mb=256, disk_mb=16)

needs_deno = pytest.mark.skipif(not deno_backend.runtime(), reason="Deno is not installed (the extra `typescript`)")


@pytest.fixture
async def script(open_room: Callable[[str], Awaitable[Any]]) -> Any:
    if not deno_backend.runtime():
        pytest.skip("Deno is not installed (the extra `typescript`)")
    room = await open_room("native")
    room.language = "typescript"
    return room


@pytest.fixture(params=["native", "bubblewrap"])
async def locked(request: pytest.FixtureRequest, open_room: Callable[[str], Awaitable[Any]]) -> Any:
    if not deno_backend.runtime():
        pytest.skip("Deno is not installed (the extra `typescript`)")
    room = await open_room(request.param)
    room.language = "typescript"
    return room


def value(ending: Any) -> Any:
    assert ending.ok, (ending.reason, ending.error_type, ending.message, ending.traceback)
    return json.loads(ending.result) if ending.result else None


async def failing(what: str, wish: JsonObject) -> JsonValue:
    raise ToolFailure("There is no parameter x.", "parameters", ["a", "b"], ["alike"])


ANY = mock.ANY
ANSWERS: list[tuple[str, object]] = [
    ("const x: number = 5;\nx + 1", 6),
    ("result = { a: [1n, new Map([['k', 1]]), new Set([2])], b: null };", {"a": [1, {"k": 1}, [2]], "b": None}),
    ("const result: string = 'declared';", "declared"),
    ("let result = 1;\nresult += 1;\n", 2),
    (
        "interface A { n: number }\nconst a: A = { n: 3 };\nif (a.n > 2) {\n  return 'early';\n}\nreturn 'late';",
        "early",
    ),
    ("async function main() { await null; return 42; }\nmain()", 42),
    ("enum C { Red, Green }\nclass P { constructor(public v: number) {} }\nC.Green + new P(3).v;", 4),
    ("function f() {\n  return 1;\n}\n(async () => f() + 1)()", 2),
    ("const a = 1\n+ 2\n;[a]\n", [3]),
    ("const words = `a\n${[1, 2].map((n) => `<${n}>`).join(\n'')}\nb`;\nwords", "a\n<1><2>\nb"),
    (
        "const slash = 8 / 2 / 2; // not a / pattern /; 'nor a text\n"
        'const found = /[/\'"]+/.exec("a/\'b");\nfound![0].length + slash',
        4,
    ),
    ("if (true)\n  'one'\n", "one"),
    ("#!/usr/bin/env deno\n1 + 1", 2),
    ("type T = { a: number };\nconst t = { a: 1 } satisfies T;\nt.a /* last */ // words", 1),
    ("for (const n of [1, 2]) { void n; }", None),
    ("import { join } from 'node:path';\nexport const path = join('a', 'b');\nreturn path;", "a/b"),
    ("return null;", None),
    ("'half \\ud800'", "half \ufffd"),
    ("let deep: unknown[] = [];\nfor (let i = 0; i < 5000; i++) deep = [deep];\ntypeof deep; deep", ANY),
    ("const loop: { self?: unknown } = {};\nloop.self = loop;\nloop", {"self": "[circular]"}),
]


async def test_a_program_answers_as_in_python(script: Any) -> None:
    endings = await asyncio.gather(*(script.run(code) for code, _ in ANSWERS))
    assert [value(ending) for ending in endings] == [answer for _, answer in ANSWERS]


async def test_what_is_printed_streams_as_it_comes(script: Any) -> None:
    code = (
        "console.log('hello %s %d', 'you', 3, { a: [1] });\nconsole.error('bad');\nconsole.table([{ n: 1 }]);\n"
        "process.stdout.write('node\\n');\nDeno.stdout.writeSync(new TextEncoder().encode('deno\\n'));\n"
        "console.group('in');\nconsole.log('der');\nconsole.groupEnd();\nalert?.('x')"
    )
    ending = await script.run(code)
    assert ending.ok, ending
    assert ("stderr", "bad\n") in script.heard
    out = "".join(text for stream, text in script.heard if stream == "stdout")
    assert out == "hello you 3 { a: [ 1 ] }\n  | n\n0 | 1\nnode\ndeno\nin\n    der\n"


async def test_calls_run_beside_each_other_and_come_back_as_values(script: Any) -> None:
    both = asyncio.Barrier(2)

    async def meeting(what: str, wish: JsonObject) -> JsonValue:
        await asyncio.wait_for(both.wait(), 60)
        return {"what": what, **wish}

    code = "await Promise.all([callTool('s', 'a', { n: 1 }), callMcpTool('mcp__s__b__c')])"
    assert value(await script.run(code, answer=meeting)) == [
        {"what": "call", "server": "s", "tool": "a", "arguments": {"n": 1}, "unwrap": True},
        {"what": "call", "server": "s", "tool": "b__c", "arguments": {}, "unwrap": True},
    ]


async def test_a_refused_call_is_an_error_to_catch(script: Any) -> None:
    code = (
        "try {\n  await callTool('s', 't', { x: 1 });\n} catch (error) {\n"
        "  if (!(error instanceof ToolError)) throw error;\n"
        "  result = [error.name, error.message, error.code, error.validParameters, error.suggestions];\n}"
    )
    words = "There is no parameter x. Valid parameters: a, b. Did you mean: alike?"
    assert value(await script.run(code, answer=failing)) == ["ToolError", words, "parameters", ["a", "b"], ["alike"]]


async def test_a_failure_is_told_with_the_programs_own_lines(script: Any) -> None:
    code = "const wait = 1;\nasync function inner(): Promise<void> {\n  await callTool('s', 't');\n}\n\nawait inner();"
    ending = await script.run(code, answer=failing)
    assert (ending.reason, ending.error_type) == ("failed", "ToolError")
    assert "at inner (<program>:3:9)\n      await callTool('s', 't');" in ending.traceback
    assert "at <program>:6:7\n" in ending.traceback
    assert "file:" not in ending.traceback
    assert "blob:" not in ending.traceback


FAILURES = [  # text, kind, part of the sentence, part of the traceback
    ("const a = 1;\nconst b = = 2;", "SyntaxError", "(line 2)", "<program>:2\n    const b = = 2;"),
    ("let a = 1;\nlet a = 2;", "SyntaxError", "a", ""),
    ("return 1;\nconst b = = 2;", "SyntaxError", "(line 2)", "<program>:2\n"),
    ("throw new RangeError('far', { cause: new Error('near') });", "RangeError", "far", "Caused by: Error: near"),
    ("JSON.parse('{');", "SyntaxError", "JSON", "<program>:1:6"),
    ("throw 'a text';", "Error", "a text", "Uncaught a text"),
    ("Promise.reject(new Error('loose'));\nawait new Promise(() => {});", "Error", "loose", "<program>:1:16"),
    ("setTimeout(() => {\n  throw new Error('late');\n});\nawait new Promise(() => {});", "Error", "late", ":2:9"),
    ("import { x } from './servers/nobody';\nx();", "TypeError", "There is no server nobody.", ""),
    ("import { x } from 'https://example.org/x.ts';\nx();", "TypeError", "--no-remote", ""),
    ("import x from 'npm:left-pad';\nx();", "TypeError", "npm", ""),
    ("Deno.exit(3)", "Exit", "The program exited with code 3.", ""),
    ("await loadSkill('x')", "ToolError", "Kept skills are Python programs", ""),
    ("const deep = (n: number): number => deep(n + 1);\ndeep(0)", "RangeError", "call stack", "at deep"),
]


async def test_every_kind_of_failure_says_what_and_where(script: Any) -> None:
    endings = await asyncio.gather(*(script.run(code) for code, *_ in FAILURES))
    for ending, (code, kind, message, place) in zip(endings, FAILURES, strict=True):
        assert (ending.ok, ending.reason, ending.error_type) == (False, "failed", kind), (code, ending)
        assert message in ending.message, code
        assert place in ending.traceback, code


async def test_wrappers_are_imported_in_every_way_agents_write(script: Any) -> None:
    tools = [Tool("my-hub", "make_it"), Tool("my-hub", "from"), Tool("my-hub", "index")]
    write_inside_package("my-hub", tools, script.project / "servers")
    code = (
        "import { make_it, type Make_itInput } from './servers/my-hub';\n"
        "import * as hub from 'servers/my_hub/index.js';\n"
        "import { make_it as one } from './servers/my_hub/make_it.ts';\n"
        "import { callMCPTool } from './servers/client.js';\n"
        "const late = await import('./servers/my-hub/index.ts');\n"
        "const named = hub.from_?.() ?? hub.from();\n"
        "const all = [make_it({ a: 1 }), named, one({}), callMCPTool('my-hub__x'), late.make_it({})];\n"
        "(await Promise.all(all)).map((answer: any) => answer.server + '.' + answer.tool)"
    )
    found = value(await script.run(code))
    assert found == ["my-hub.make_it", "my-hub.from", "my-hub.make_it", "my-hub.x", "my-hub.make_it"]
    missing = await script.run("import { nothing } from './servers/my_hub';\nnothing();")
    assert missing.message == "The server my_hub has no tool nothing. searchTools() finds the right name."


async def test_the_workspace_is_read_and_written(script: Any) -> None:
    (script.project / "workspace" / "given.txt").write_text("given")
    code = (
        "await writeFile('out/a.txt', (await readFile('workspace/given.txt')) + '!');\n"
        "await writeFile('/workspace/b.bin', new Uint8Array([0, 255]));\n"
        "[await listFiles(), Deno.readTextFileSync('workspace/out/a.txt')]"
    )
    assert value(await script.run(code)) == [["b.bin", "given.txt", "out/a.txt"], "given!"]
    assert (script.project / "workspace" / "out" / "a.txt").read_text() == "given!"
    ending = await script.run("await writeFile('c.txt', 'x')", writable=False)
    assert ending.error_type in ("NotCapable", "PermissionDenied")


async def test_long_values_pass_both_ways(script: Any) -> None:
    code = (
        "const back = await callTool('s', 't', { text: 'é'.repeat(1_000_000) });\n"
        "[back.arguments.text.length, 'ü'.repeat(500_000)]"
    )
    length, text = value(await script.run(code))
    assert (length, text) == (1_000_000, "ü" * 500_000)


ENDS = [
    ("for (;;) {}", "timeout"),
    ("await new Promise(() => {});", "timeout"),
    ("const a = []; for (;;) a.push(new Array(1e6).fill(1));", "memory"),
    ("const a = []; for (;;) a.push(new Uint8Array(5e7).fill(1));", "memory"),
    ("const a = []; for (;;) a.push(new SharedArrayBuffer(5e7)), new Uint8Array(a.at(-1)).fill(1);", "memory"),
    ("let s = 'x'; for (;;) s = (s + s).toUpperCase();", "memory"),
    ("while (true) console.log('x'.repeat(1000));", "output"),
    ("callTool('s', 't').catch(() => {}); while (true) console.log('x'.repeat(9000));", "output"),
    ("for (let i = 0; i < 200; i++) await callTool('s', 't');", "calls"),
    ("import fs from 'node:fs'; fs.writeSync(1, 'not a frame, raw'); await new Promise(() => {});", "protocol"),
    (
        "import fs from 'node:fs';\nconst data = new TextEncoder().encode('{\"kind\":\"send\"}');\n"
        "fs.writeSync(1, Uint8Array.of(0, 0, 0, data.length, ...data));\n"
        "await new Promise((done) => setTimeout(done, 200));\nthrow new Error('it was refused and nothing else');",
        "failed",
    ),
    ("for (let i = 0; ; i++) Deno.writeFileSync(`workspace/${i}`, new Uint8Array(4e6).fill(1));", "disk"),
]


async def test_each_limit_ends_it_with_its_reason(script: Any) -> None:
    for code, reason in ENDS:
        limits = replace(QUICK, seconds=1.0 if reason == "timeout" else 60.0, memory_mb=128, output_bytes=200_000)
        ending = await script.run(code, replace(limits, calls=100))
        assert (ending.ok, ending.reason) == (False, reason), (code, ending)
        assert ending.memory_mb < 128 + 160, code
    for left in (script.project / "workspace").iterdir():  # a full disk would also end the next program
        left.unlink()
    assert value(await script.run("1 + 1")) == 2


async def test_processor_time_is_counted_over_all_its_threads(script: Any) -> None:
    ending = await script.run("for (;;) {}", replace(QUICK, cpu_seconds=1.0))
    assert ending.reason == "cpu"


async def test_calls_in_flight_are_let_go_when_it_ends(script: Any) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def slow(what: str, wish: JsonObject) -> JsonValue:
        if wish["tool"] == "until the other is asked":
            await begun.wait()
            return None
        begun.set()
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()

    code = "callTool('s', 't'); await callTool('s', 'until the other is asked'); 'gone'"
    assert value(await script.run(code, answer=slow)) == "gone"
    await asyncio.wait_for(ended.wait(), 60)


REFUSED = {
    "a file of the host": "Deno.readTextFileSync(CANARY)",
    "a file of the host by Node": "(await import('node:fs')).readFileSync(CANARY, 'utf8')",
    "the accounts": "Deno.readTextFileSync('/etc/passwd')",
    "a folder": "[...Deno.readDirSync('/')]",
    "a file as a module": "await import('file:///etc/passwd', { with: { type: 'text' } })",
    "a process": "new Deno.Command('/bin/sh', { args: ['-c', 'id'] }).outputSync()",
    "a process by Node": "(await import('node:child_process')).execSync('id')",
    "Deno again": "new Deno.Command(Deno.execPath(), { args: ['eval', '1'] }).outputSync()",
    "an address": "await fetch(`http://127.0.0.1:${PORT}/`)",
    "a socket": "await Deno.connect({ hostname: '127.0.0.1', port: PORT })",
    "a socket by Node": "await new Promise((_, no) => NET.connect(PORT, '127.0.0.1').on('error', no))",
    "listening": "Deno.listen({ port: 0 })",
    "a library": "Deno.dlopen('/lib/x86_64-linux-gnu/libc.so.6', {})",
    "the environment": "Deno.env.toObject()",
    "the machine's name": "Deno.hostname()",
    "more rights": "if ((await Deno.permissions.request({ name: 'net' })).state !== 'granted') throw new Error('no')",
    "a link out": "Deno.symlinkSync('/etc/passwd', 'workspace/link')",
    "a module of the network": "await import('https://example.org/x.js')",
    "a package": "await import('npm:left-pad')",
    "made code": "new WebAssembly.Memory({ initial: 1 })",
    "a worker": "new Worker(URL.createObjectURL(new Blob([''])), { type: 'module' })",
    "writing elsewhere": "Deno.writeTextFileSync('/bench/x', 'x')",
    "writing the wrappers": "Deno.writeTextFileSync('/bench/servers/x.ts', 'x')",
    "a special file": "Deno.chmodSync('workspace', 0o4777); throw new Error(String(Deno.statSync('workspace').mode))",
}


async def test_what_is_not_its_own_is_refused(locked: Any, tmp_path: Path) -> None:
    canary = tmp_path / "canary.txt"
    canary.write_text("do not read")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        tries = ",\n".join(f"[{json.dumps(name)}, async () => {{ {code}; }}]" for name, code in REFUSED.items())
        code = (
            f"const CANARY = {json.dumps(str(canary))};\nconst PORT = {listener.getsockname()[1]};\n"
            "const NET = await import('node:net');\n"
            f"const tries: [string, () => Promise<unknown>][] = [{tries}];\nconst open: string[] = [];\n"
            "for (const [name, attempt] of tries) {\n"
            "  try { await attempt(); open.push(name); } catch { /* as it should be */ }\n}\nopen"
        )
        assert value(await locked.run(code)) == []
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert not os.path.lexists(locked.project / "workspace" / "link")


async def test_the_locks_are_on_before_deno_starts(locked: Any) -> None:
    profile = Program("1", QUICK, locked.project / "workspace", language="typescript")
    ending, facts = await locked.sandbox._trial(locked.sandbox.strength.backend, profile)
    assert ending.ok
    assert facts["filtered"] is True
    assert facts["powerless"] is True
    assert all(os.readlink(f"/proc/self/ns/{name}") != world for name, world in facts["worlds"].items())


async def test_without_deno_it_is_refused_with_the_line_that_brings_it(script: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(deno_backend, "runtime", lambda: "")
    sandbox = script.sandbox
    sandbox._levels.begin(sandbox.strength)
    with pytest.raises(WorkbenchError, match="need Deno") as refusal:
        await script.run("1")
    assert 'pip install "deno' in refusal.value.hint
    assert deno_backend.version() == ""
    assert deno_backend.languages("native") == ("python",)


@needs_deno
def test_what_is_installed_has_a_version() -> None:
    assert deno_backend.version()[0].isdigit()
    assert deno_backend.languages("reduced") == ("python",)


async def test_where_only_python_runs_it_says_so(open_room: Callable[[str], Awaitable[Any]]) -> None:
    if not deno_backend.runtime():
        pytest.skip("Deno is not installed (the extra `typescript`)")
    room = await open_room("reduced")
    room.language = "typescript"
    with pytest.raises(WorkbenchError, match="TypeScript runs only in process sandboxes with namespaces"):
        await room.run("1")
