"""The sandbox of a REPL session: programs run one after another in the same sandboxed child, and all ways it can
end.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.program import Answer, Ending, Program
from workbench.sandbox.supervision.repl_sandbox import ReplSandbox

QUICK = Limits(seconds=60.0, cpu_seconds=10.0, memory_mb=384, disk_mb=16)


@dataclass
class Flat:
    """A REPL sandbox, and a shortcut for running the next program in it."""

    room: Any  # Any: the class of the fixture
    kept: ReplSandbox
    heard: list[str] = field(default_factory=list)

    def program(self, code: str, limits: Limits = QUICK) -> Program:
        project = self.room.project
        return Program(code, limits, project / "workspace", project / "servers", project / "skills")

    async def run(self, code: str, limits: Limits = QUICK, answer: Answer | None = None) -> Ending:
        say: Callable[[str, str], None] = lambda stream, text: self.heard.append(text)  # noqa: E731
        return await self.kept.run(self.program(code, limits), answer or _echo, say)

    async def value(self, code: str) -> object:
        ending = await self.run(code)
        assert ending.ok, ending
        return json.loads(ending.result) if ending.result else None


async def _echo(what: str, wish: JsonObject) -> JsonValue:
    return {"what": what, **wish}


async def _moved_in(room: Any) -> Flat:
    first = Program("", QUICK, room.project / "workspace", room.project / "servers", room.project / "skills")
    return Flat(room, await room.sandbox.keep(first))


@pytest.fixture
async def flat(room: Any) -> AsyncIterator[Flat]:
    made = await _moved_in(room)
    yield made
    await made.kept.end("the test is over")


@pytest.fixture
async def quick_flat(native: Any) -> AsyncIterator[Flat]:
    made = await _moved_in(native)
    yield made
    await made.kept.end("the test is over")


async def test_the_next_program_goes_on_with_variables_imports_functions_and_open_files(flat: Flat) -> None:
    first = (
        "import statistics\nprices = [1, 2, 6]\ndef mean(): return statistics.mean(prices)\n"
        "notes = open('workspace/notes', 'w')\nnotes.write('a')\nprint('one')"
    )
    assert await flat.value(first) is None
    assert await flat.value("prices.append(7)\nprint('two')\nmean()") == 4
    assert await flat.value(
        "_ = notes.write('b')\nnotes.close()\n[read_file('notes'), await call_tool('s', 't', {})]"
    ) == [
        "ab",
        {"what": "call", "server": "s", "tool": "t", "arguments": {}, "unwrap": True},
    ]
    assert flat.heard == ["one\n", "two\n"]


async def test_each_program_has_its_own_output_answer_calls_and_time(quick_flat: Flat) -> None:
    first = await quick_flat.run("print('first')\nresult = 5")
    second = await quick_flat.run("print('second')\nawait call_tool('a', 'b', {})", replace(QUICK, calls=1))
    third = await quick_flat.run("await call_tool('a', 'b', {})\nx = result", replace(QUICK, calls=1))
    assert [first.output, second.output, third.output] == ["first\n", "second\n", ""]
    assert [first.result, third.ok, third.result] == ["5", True, ""]
    assert await quick_flat.value("result = 5") == 5
    assert await quick_flat.value("return result + 1") == 6


async def test_a_failure_ends_the_program_and_not_the_state(quick_flat: Flat) -> None:
    await quick_flat.run("def divide(n):\n    return 1 / n")
    failed = await quick_flat.run("kept = 'still here'\n\ndivide(0)")
    assert (failed.reason, failed.error_type) == ("failed", "ZeroDivisionError")
    assert 'File "<program 2>", line 3' in failed.traceback
    assert "return 1 / n" in failed.traceback
    assert (await quick_flat.run("import sys\nsys.exit(3)")).reason == "failed"
    assert (await quick_flat.run("x = (")).error_type == "SyntaxError"
    assert await quick_flat.value("kept") == "still here"


@pytest.mark.parametrize(
    ("code", "limits", "reason", "why"),
    [
        ("while True: pass", replace(QUICK, seconds=0.5), "timeout", "the program ran longer than 0.5 seconds"),
        ("import os\nos._exit(3)", QUICK, "killed", "the program's process ended without a result (exit code 3)"),
        ("import ctypes\nctypes.string_at(0)", QUICK, "killed", "the program crashed Python (SIGSEGV)"),
        ("while True: print('x' * 999)", replace(QUICK, output_bytes=9_000), "output", "the program printed more"),
        ("while True: pass", replace(QUICK, cpu_seconds=0.3), "cpu", "the program used more than 0.3 seconds"),
    ],
)
async def test_what_kills_a_program_takes_the_state_with_it(
    flat: Flat, code: str, limits: Limits, reason: str, why: str
) -> None:
    assert (await flat.run("x = 1")).ok
    assert (await flat.run(code, limits)).reason == reason
    assert (await flat.kept.gone).startswith(why)


async def test_processor_time_is_counted_for_each_program_alone(quick_flat: Flat) -> None:
    burn = "import time\nend = time.process_time() + 0.6\nwhile time.process_time() < end: pass"
    for _ in range(3):
        assert (await quick_flat.run(burn, replace(QUICK, cpu_seconds=1.5))).ok
    used = await quick_flat.kept.used()
    assert used.cpu > 1.7
    assert used.memory_mb > 5


async def test_a_name_that_is_no_text_hides_nothing_of_what_it_uses(quick_flat: Flat) -> None:
    """The kernel shows the process name in /proc, where a name with invalid UTF-8 must not break the measurement."""
    name = "import ctypes\nctypes.CDLL(None).prctl(15, b'\\xff\\xfe) R 1', 0, 0, 0)"
    assert await quick_flat.value(name) == 0
    assert (await quick_flat.kept.used()).memory_mb > 1


async def test_memory_holds_for_the_whole_life(quick_flat: Flat) -> None:
    eat = "held = [*globals().get('held', []), bytearray(100 << 20)]\nlen(held)"
    endings = [await quick_flat.run(eat) for _ in range(5)]
    assert endings[0].ok
    assert endings[-1].reason == "memory"


LEFT_BEHIND = """
import threading
go, done, said = threading.Event(), threading.Event(), []
def later():
    go.wait()
    print('from the past')
    try:
        search_tools('x')
    except BaseException as e:
        said.append(type(e).__name__)
    done.set()
threading.Thread(target=later, daemon=True).start()
"""


async def test_a_thread_of_an_earlier_program_does_not_speak_for_a_later_one(flat: Flat) -> None:
    await flat.run(LEFT_BEHIND)
    ending = await flat.run("go.set()\ndone.wait()\nprint('mine')\nsaid")
    assert (ending.output, json.loads(ending.result)) == ("mine\n", ["ToolError"])


async def test_a_question_nobody_waited_for_ends_with_its_program(quick_flat: Flat) -> None:
    asked, let_go = asyncio.Event(), asyncio.Event()

    async def answer(what: str, wish: JsonObject) -> JsonValue:
        if what == "call":
            await asked.wait()
            return None
        asked.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            let_go.set()
            raise
        return None

    code = (
        "import threading\nheard = []\ndef ask():\n    try:\n        search_tools('x')\n"
        "    except BaseException as e:\n        heard.append(str(e))\n"
        "asker = threading.Thread(target=ask)\nasker.start()\n"
        "await call_tool('s', 'until it has asked', {})"
    )
    assert (await quick_flat.run(code, answer=answer)).ok
    assert let_go.is_set()
    assert await quick_flat.value("asker.join()\nheard") == ["The program that sent this request has ended."]


FORGED = """
import json, os, struct, threading, time
def forge():
    while True:
        frame = json.dumps({frame}).encode()
        os.write(3, struct.pack('>I', len(frame)) + frame)
        time.sleep(0.002)
threading.Thread(target=forge, daemon=True).start()
"""


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        ('{"kind": "ask", "id": 7, "what": "call", "wish": {}}', "sent a frame between programs"),
        ('{"kind": "end", "ok": True, "result": "1"}', "sent a frame between programs"),
        ('{"kind": "output", "stream": "stdout", "text": "x" * 9000}', "printed too much"),
    ],
)
async def test_what_speaks_outside_of_a_program_ends_the_state(quick_flat: Flat, frame: str, why: str) -> None:
    await quick_flat.run(FORGED.replace("{frame}", frame), replace(QUICK, output_bytes=100_000))
    async with asyncio.timeout(60):
        assert why in await quick_flat.kept.gone


async def test_what_goes_on_computing_between_programs_ends_the_state(quick_flat: Flat) -> None:
    await quick_flat.run("import threading\ndef burn():\n    while True: pass\nthreading.Thread(target=burn).start()")
    async with asyncio.timeout(60):
        assert "kept computing" in await quick_flat.kept.gone


async def test_cancelling_a_program_ends_the_state(quick_flat: Flat, processes: Callable[[], set[int]]) -> None:
    began = asyncio.Event()

    async def answer(what: str, wish: JsonObject) -> JsonValue:
        began.set()
        return await asyncio.sleep(60)

    running = asyncio.ensure_future(quick_flat.run("await call_tool('s', 't', {})", answer=answer))
    await began.wait()
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    assert await quick_flat.kept.gone == "its last program was stopped"
    while len(processes()) > 1:  # 1: the launcher
        await asyncio.sleep(0.01)


async def test_a_kept_sandbox_that_is_killed_from_outside_says_so(native: Any) -> None:
    flat = await _moved_in(native)
    await flat.run("x = 1")
    await native.sandbox.close()
    assert await flat.kept.gone


async def test_a_program_that_asks_for_other_limits_or_folders_does_not_fit(native: Any) -> None:
    flat = await _moved_in(native)
    unsuitability = native.sandbox.unsuitability
    assert unsuitability(flat.kept, flat.program("1")) == ""
    assert unsuitability(flat.kept, flat.program("1", replace(QUICK, seconds=3.0))) == ""
    assert "limits" in unsuitability(flat.kept, flat.program("1", replace(QUICK, memory_mb=100)))
    assert "a container" in unsuitability(flat.kept, dataclasses.replace(flat.program("1"), level="container"))
    (native.project / "skills").rename(native.project / "away")
    (native.project / "skills").mkdir()
    assert "were replaced" in unsuitability(flat.kept, flat.program("1"))
    await flat.kept.end("the test is over")
    assert await flat.kept.gone == "the test is over"
