"""Programs in the real sandbox: results, and how each run ends."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.sandbox.conftest import empty
from workbench.errors import WorkbenchError
from workbench.records import Limits
from workbench.sandbox.program import Program, ToolFailure
from workbench.sandbox.sandbox import Sandbox

QUICK = Limits(seconds=60.0, cpu_seconds=10.0, memory_mb=384, disk_mb=16)


async def test_a_program_prints_and_its_last_line_is_its_answer(room: Any) -> None:
    ending = await room.run("print('hé')\nimport sys\nprint('oh', file=sys.stderr)\n{'sum': 1 + 1}")
    assert (ending.ok, ending.reason, json.loads(ending.result)) == (True, "done", {"sum": 2})
    assert room.heard == [("stdout", "hé\n"), ("stderr", "oh\n")]
    assert ending.output == "hé\noh\n"
    assert ending.memory_mb > 5


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the time within which a timed-out program must report its current line, for busy machines."""
    monkeypatch.setattr("workbench.sandbox.supervision.program_run._LINE_SECONDS", 20.0)


ANSWERS: list[tuple[str, object]] = [
    ("result = [1]\n5", [1]),
    ("if True:\n    return 7", 7),
    ("await call_tool('a', 'b', {})\nreturn {'x': 1}", {"x": 1}),
    ("async def main():\n    return 4\nmain()", 4),
    (
        "async def f():\n    return (await call_tool('a', 'b', {}))['tool']\nasyncio.run(f())",
        "b",
    ),
    ("x: int = 3\ndef f():\n    return x\ntry:\n    return f()\nexcept BaseException:\n    pass", 3),
    (
        "import datetime, decimal\n[{1, 2}, b'x', datetime.date(2026, 1, 2), float('nan'), {(1, 2): 3}]",
        [[1, 2], "x", "2026-01-02", None, {"[1, 2]": 3}],
    ),
    ("x = 5", None),
]


async def test_every_way_to_answer(native: Any) -> None:
    for code, answer in ANSWERS:
        ending = await native.run(code)
        assert ending.ok, (code, ending)
        assert (json.loads(ending.result) if ending.result else None) == answer, code


ALONE = """
import asyncio, signal, threading
said = []
async def tick():
    for number in range(3):
        await asyncio.sleep(0.01)
        said.append(number)
task = asyncio.create_task(tick())
await call_tool("s", "slow", {})
await task
try:
    async with asyncio.timeout(0.05):
        await call_tool("s", "never", {})
except TimeoutError:
    said.append("in time")
await call_tool("s", "quick", {})
ready = asyncio.Event()
loop = asyncio.get_running_loop()
late = asyncio.ensure_future(call_tool("s", "never", {}))
threading.Thread(target=lambda: loop.call_soon_threadsafe(ready.set)).start()
await ready.wait()
late.cancel()
loop.add_signal_handler(signal.SIGALRM, lambda: said.append("signal"))
signal.setitimer(signal.ITIMER_REAL, 0.02)
await call_tool("s", "slow", {})
await asyncio.sleep(0)
said.append(await asyncio.to_thread(lambda: asyncio.run(call_tool("s", "quick", {}))))
result = said
"""


async def test_whoever_waits_alone_for_an_answer_holds_up_nobody_else(native: Any) -> None:
    async def answer(what: str, wish: Any) -> Any:
        await asyncio.sleep({"slow": 0.1, "never": 60, "quick": 0}[wish["tool"]])
        return wish["tool"]

    ending = await native.run(ALONE, answer=answer)
    assert ending.ok, ending
    assert json.loads(ending.result) == [0, 1, 2, "in time", "signal", "quick"]


async def test_calls_run_at_the_same_time(room: Any) -> None:
    together = asyncio.Barrier(5)

    async def answer(what: str, wish: Any) -> Any:
        await together.wait()
        return wish["arguments"]["i"]

    ending = await room.run("await asyncio.gather(*[call_tool('s', 't', {'i': i}) for i in range(5)])", answer=answer)
    assert json.loads(ending.result) == [0, 1, 2, 3, 4]


async def test_calls_from_threads_and_without_await_reach_the_host(room: Any) -> None:
    ending = await room.run(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from client import call_mcp_tool\n"
        "with ThreadPoolExecutor(4) as pool:\n"
        "    names = [found['query'] for found in pool.map(search_tools, 'abcdefgh')]\n"
        "inner = await asyncio.to_thread(lambda: asyncio.run(call_mcp_tool('mcp__s__t__u', {'n': 1})))\n"
        "[names, inner, (await get_tool_definition('x'))['name']]"
    )
    assert json.loads(ending.result) == [
        list("abcdefgh"),
        {"what": "call", "server": "s", "tool": "t__u", "arguments": {"n": 1}, "unwrap": True},
        "x",
    ]


async def test_a_refusal_can_be_caught_and_says_what_would_be_right(room: Any) -> None:
    async def answer(what: str, wish: Any) -> Any:
        raise ToolFailure("There is no parameter 'titel'.", "bad_arguments", ["title"], ["create_issue"])

    caught = await room.run(
        "from client import ToolError\n"
        "try:\n    await call_tool('s', 't', {'titel': 1})\n"
        "except ToolError as e:\n    result = [e.message, e.code, e.valid_parameters, e.suggestions]",
        answer=answer,
    )
    assert json.loads(caught.result) == ["There is no parameter 'titel'.", "bad_arguments", ["title"], ["create_issue"]]
    failed = await room.run("await call_tool('s', 't', {})", answer=answer)
    assert (failed.reason, failed.error_type) == ("failed", "ToolError")
    assert "Valid parameters: title." in failed.message


async def test_a_failure_shows_the_programs_own_lines_only(native: Any) -> None:
    ending = await native.run("print('before')\ndef f(n):\n    return json.loads(n)\nf('{')")
    assert (ending.reason, ending.error_type, ending.output) == ("failed", "JSONDecodeError", "before\n")
    assert "return json.loads(n)" in ending.traceback
    assert "decoder.py" not in ending.traceback
    assert "sandbox" not in ending.traceback


async def test_a_text_that_is_not_python_fails_with_its_line(native: Any) -> None:
    ending = await native.run("x = 1\ny = (")
    assert (ending.reason, ending.error_type) == ("failed", "SyntaxError")
    assert "line 2" in ending.message


async def test_the_workspace_stays_and_everything_else_is_forgotten(room: Any) -> None:
    first = await room.run(
        "import os\nwrite_file('notes/a.txt', 'kept')\nopen(os.environ['TMPDIR'] + '/x', 'w').write('1')\n"
        "open(os.environ['HOME'] + '/x', 'w').write('1')\nopen('workspace/b', 'w').close()"
    )
    assert first.ok, first
    second = await room.run(
        "import os\n"
        "[read_file('notes/a.txt'), list_files(), os.listdir(os.environ['TMPDIR']), os.listdir(os.environ['HOME'])]"
    )
    assert json.loads(second.result) == ["kept", ["b", "notes/a.txt"], [], []]
    assert (room.project / "workspace/notes/a.txt").read_text() == "kept"
    (room.project / "workspace/b").write_text("from the host")
    third = await room.run("open('workspace/b', 'a').write('!')\nread_file('/workspace/b')")
    assert json.loads(third.result) == "from the host!"


async def test_a_read_only_profile_cannot_write_the_workspace(room: Any) -> None:
    ending = await room.run("write_file('a', '1')", writable=False)
    assert (ending.reason, ending.error_type) in {("failed", "PermissionError"), ("failed", "OSError")}
    assert not (room.project / "workspace/a").exists()


async def test_generated_wrappers_and_skills_are_importable_and_read_only(room: Any) -> None:
    package = room.project / "servers/demo"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from client import call_tool\nasync def ping(): return await call_tool('demo', 'ping', {})\n"
    )
    (room.project / "skills/greet.py").write_text("def hello(name): return f'hello {name}'\n")
    for path in (package, package / "__init__.py"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    ending = await room.run(
        "from servers.demo import ping\nfrom skills.greet import hello\nskill = load_skill('greet')\n"
        "def blocked(path):\n"
        "    try:\n        open(path, 'w')\n"
        "    except OSError:\n        return True\n"
        "[(await ping())['tool'], hello('you'), skill.hello('me'),"
        " blocked('servers/x'), blocked('skills/greet.py'), blocked('client.py')]"
    )
    assert ending.ok, ending
    assert json.loads(ending.result) == ["ping", "hello you", "hello me", True, True, True]


async def test_a_result_of_ten_megabytes_arrives_whole(native: Any) -> None:
    ending = await native.run("'x' * 10_000_000")
    assert len(json.loads(ending.result)) == 10_000_000


async def test_an_answer_of_ten_megabytes_arrives_whole(native: Any) -> None:
    async def answer(what: str, wish: Any) -> Any:
        return "y" * 10_000_000

    ending = await native.run("len(await call_tool('s', 't', {}))", answer=answer)
    assert json.loads(ending.result) == 10_000_000


LIMITED: list[tuple[str, Limits, str]] = [
    ("print('first')\nwhile True: pass", replace(QUICK, seconds=1.0), "timeout"),
    ("print('first')\nimport time\ntime.sleep(60)", replace(QUICK, seconds=0.5), "timeout"),
    ("print('first')\nwhile True: pass", replace(QUICK, cpu_seconds=1.0), "cpu"),
    ("print('first')\nb = []\nwhile True: b.append(bytearray(1 << 24))", QUICK, "memory"),
    ("print('first')\nwhile True: print('x' * 100)", replace(QUICK, output_bytes=50_000), "output"),
    (
        "print('first')\nimport os\nwhile True: os.write(1, b'y' * 100)",
        replace(QUICK, output_bytes=50_000),
        "output",
    ),
    ("print('first')\nwhile True: await call_tool('s', 't', {})", replace(QUICK, calls=20), "calls"),
    (
        "print('first')\nfor i in range(9000): write_file(f'{i % 900}', 'x' * 10_000)\nimport time\ntime.sleep(9)",
        replace(QUICK, disk_mb=4),
        "disk",
    ),
    ("print('first')\nimport os\nos._exit(0)", QUICK, "killed"),
    ("print('first')\nimport ctypes\nctypes.string_at(0)", QUICK, "killed"),
]


async def test_every_limit_ends_with_its_own_word_and_what_was_printed(room: Any) -> None:
    for code, limits, reason in LIMITED:
        room.heard.clear()
        empty(room.project / "workspace")
        # The time limit starts with its first output.
        ending = await room.run(code, limits, stands=lambda: not room.heard)
        assert (ending.ok, ending.reason) == (False, reason), (code, ending)
        assert ending.output.startswith("first\n")
        assert len(ending.output.encode()) <= limits.output_bytes
        assert ending.message
        empty(room.project / "workspace")
        assert (await room.run("'fine'")).result == '"fine"', code


async def test_threads_are_limited_and_a_few_are_fine(room: Any) -> None:
    ending = await room.run(
        "import threading\nstop = threading.Event()\nthreads = []\n"
        "try:\n"
        "    for _ in range(200):\n"
        "        threads.append(threading.Thread(target=stop.wait))\n        threads[-1].start()\n"
        "except RuntimeError:\n    threads.pop()\n"
        "stop.set()\nlen(threads)",
        replace(QUICK, pids=24),
    )
    assert 10 <= json.loads(ending.result) <= 24  # one more if the kernel counts a zombie of the same user


async def test_leaving_is_an_end_like_any_other(native: Any) -> None:
    assert (await native.run("import sys\nsys.exit()")).ok
    left = await native.run("raise SystemExit(3)")
    assert (left.reason, left.error_type, left.message) == (
        "failed",
        "SystemExit",
        "The program exited with code 3.",
    )


async def test_runs_at_the_same_time_do_not_meet(native: Any) -> None:
    together = asyncio.Barrier(4)

    async def answer(what: str, wish: Any) -> Any:
        await together.wait()
        return wish["arguments"]["n"]

    endings = await asyncio.gather(
        *[native.run(f"await call_tool('s', 't', {{'n': {n}}})", answer=answer) for n in range(4)]
    )
    assert [json.loads(ending.result) for ending in endings] == [0, 1, 2, 3]


async def test_a_call_in_flight_is_cancelled_when_the_run_ends(native: Any) -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def answer(what: str, wish: Any) -> Any:
        if wish["tool"] == "until then":
            return await begun.wait()
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    ending = await native.run(
        "t = asyncio.ensure_future(call_tool('s', 't', {}))\nawait call_tool('s', 'until then', {})\n'over'",
        answer=answer,
    )
    assert ending.result == '"over"'
    assert cancelled.is_set()


async def test_a_fault_of_ours_in_an_answer_reaches_the_program_as_an_error(
    native: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def answer(what: str, wish: Any) -> Any:
        raise ZeroDivisionError("ours")

    ending = await native.run("await call_tool('s', 't', {})", answer=answer)
    assert (ending.reason, ending.error_type) == ("failed", "ToolError")
    assert "could not be answered" in caplog.text


async def test_without_isolation_nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_WORKBENCH_SANDBOX", "none")
    sandbox = Sandbox()
    strength = await sandbox.open()
    assert (strength.backend, strength.level) == ("none", "none")
    with pytest.raises(WorkbenchError) as refused:
        await sandbox.run(Program("1", QUICK, tmp_path), lambda what, wish: asyncio.sleep(0), lambda stream, text: None)
    assert refused.value.hint
    await sandbox.close()


async def test_an_unknown_backend_is_said_to_be_unknown() -> None:
    sandbox = Sandbox("hope")
    strength = await sandbox.open()
    assert strength.level == "none"
    assert "hope" in strength.reason
    await sandbox.close()


async def test_a_workspace_that_is_a_link_is_not_opened_to_programs(native: Any, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "linked").mkdir()
    native.project = tmp_path / "linked"
    (native.project / "workspace").symlink_to(tmp_path / "private")
    with pytest.raises(WorkbenchError, match="is a link"):
        await native.run("open('workspace/planted', 'w')")
    assert list((tmp_path / "private").iterdir()) == []


async def test_a_file_in_the_place_of_the_workspace_is_said(native: Any, tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    native.project = tmp_path / "odd"
    (native.project / "workspace").write_text("")
    with pytest.raises(WorkbenchError, match="cannot be created"):
        await native.run("1")


async def test_the_time_for_which_a_person_is_asked_is_not_the_programs(native: Any) -> None:
    async def answer(what: str, wish: Any) -> Any:
        await asyncio.sleep(0.7)  # longer than the time limit
        return "an answer"

    limits = replace(QUICK, seconds=0.5)
    assert (await native.run("await call_tool('s', 't', {})", limits, answer, stands=lambda: True)).reason == "done"
    assert (await native.run("await call_tool('s', 't', {})", limits, answer)).reason == "timeout"


async def nobody(what: str, wish: Any) -> Any:
    raise ToolFailure("Nobody answers.")


COMPUTES = "def compute():\n    while True: pass\n\ncompute()\n"


async def test_the_time_of_tools_is_not_the_programs_but_has_an_end(native: Any) -> None:
    async def answer(what: str, wish: Any) -> Any:
        await asyncio.sleep(wish["arguments"]["seconds"])
        return "an answer"

    calls = "await asyncio.gather(*(call_tool('s', 't', {{'seconds': {}}}) for _ in range(3)))"
    limits = replace(QUICK, seconds=0.5, total_seconds=60.0)
    assert (await native.run(calls.format(0.8), limits, answer)).reason == "done"
    ending = await native.run(f"{calls.format(0.8)}\n{COMPUTES}", limits, answer)
    assert (ending.reason, ending.message) == (
        "timeout",
        "The program ran longer than 0.5 seconds, not counting tool calls. It was at line 3.",
    )
    ending = await native.run(calls.format(60), replace(limits, total_seconds=1.0), answer)
    assert ending.message.startswith("The program and the tools it called took longer than 1 seconds in total.")


async def test_sleeping_is_not_the_programs_own_time_unless_it_is_to_count(native: Any, patient: None) -> None:
    limits = replace(QUICK, seconds=0.5, total_seconds=60.0, sleep_counts=False)
    for sleep in ("import time\ntime.sleep(1.2)", "await asyncio.sleep(1.2)"):
        assert (await native.run(sleep, limits)).reason == "done"
        ending = await native.run(sleep, replace(limits, sleep_counts=True))
        assert ending.message.startswith("The program ran longer than 0.5 seconds, not counting tool calls.")
        assert ending.message.endswith(f"It was at line {1 + sleep.count(chr(10))}.")
    assert (await native.run(f"await asyncio.sleep(1)\n{COMPUTES}", limits)).message.endswith("It was at line 3.")


@pytest.mark.parametrize("kept", [False, True])
async def test_a_program_that_uses_up_its_processor_time_is_told_the_line(native: Any, kept: bool) -> None:
    limits = replace(QUICK, seconds=60.0, cpu_seconds=1.0)
    if kept:
        program = Program(COMPUTES, limits, native.project / "workspace")
        state = await native.sandbox.keep(program)
        ending = await state.run(program, nobody, lambda stream, text: None)
    else:
        ending = await native.run(COMPUTES, limits)
    assert ending.reason == "cpu"
    assert ending.message == "The program used more than 1 seconds of processor time. It was at line 2."
    assert "at line" not in ending.output


async def test_ten_megabytes_pass_in_every_direction(native):
    async def size(what, wish):
        text = wish["arguments"]["text"]
        return "é" * 5_000_000 if not text else [text]

    ending = await native.run("await call_tool('s', 't', {'text': ''})", answer=size)
    assert json.loads(ending.result) == "é" * 5_000_000
    ending = await native.run("len((await call_tool('s', 't', {'text': 'x' * 7_000_000}))[0])", answer=size)
    assert ending.result == "7000000"


async def test_too_large_arguments_are_an_error_that_a_program_can_catch(native):
    code = """
try:
    await call_tool("s", "t", {"text": "x" * 20_000_000})
except ToolError as fault:
    print(fault.code, "file" in str(fault))
result = (await call_tool("s", "t", {"n": 1}))["tool"]
"""
    ending = await native.run(code)
    assert (ending.output, ending.result) == ("too_large True\n", '"t"')


async def test_a_result_too_long_to_hand_over_says_what_to_do(native):
    ending = await native.run("'é' * 15_000_000")
    assert ending.reason == "failed"
    assert "Write it to the workspace" in ending.message
