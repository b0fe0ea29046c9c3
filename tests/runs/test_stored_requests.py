"""Programs that wait for approval while their core ends, by itself or killed, and wait again in the next core."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from msgspec.structs import replace

from workbench.api.client import connect
from workbench.api.core_lock import lock_holder
from workbench.core import Core
from workbench.paths import OVERRIDE
from workbench.records import Decision, EntryQuery, Gate, RunState

DELETES = "import os\nos.remove('workspace/old.txt')\nresult = 'gone'"
HANG = 60


@pytest.fixture
async def next_core(paths):
    """Opens one core after the other on the same project; the previous one is closed."""
    opened: list[Core] = []

    async def open_core():
        if opened:
            await opened.pop().close()
        core = Core(paths)
        await core.open()
        opened.append(core)
        core.services.settings.set(replace(core.settings, isolation_high="process"))
        return core

    yield open_core
    for core in opened:
        await core.close()


async def until(condition):
    async with asyncio.timeout(HANG):
        while not condition():
            await asyncio.sleep(0.02)


def submit(core, code=DELETES, agent="Claude", **more):
    session = core.services.sessions.open(agent)
    core.services.sessions.set_name(session, agent)
    return core.run_manager.submit(code, session, "tidy up", **more), session


def decide(core, run_id, allow=True):
    run = core.run_manager.run(run_id)
    return core.run_manager.decide(Decision(run_id, run.proposal.sha, allow, "you", fingerprint=run.fingerprint))


async def test_a_waiting_program_waits_again_in_the_next_core_with_what_its_session_had_read(next_core):
    first = await next_core()
    first.services.workspace_files.write("old.txt", "x")
    run, session = submit(first)
    await until(lambda: first.run_manager.run(run.id).state is RunState.WAITING)
    session.provenance.kinds |= {"untrusted"}
    await first.run_manager.edit(run.id, DELETES + "  # edited")
    asked = first.run_manager.run(run.id)
    second = await next_core()
    await until(lambda: second.run_manager.run(run.id).state is RunState.WAITING)
    again = second.run_manager.run(run.id)
    assert (again.proposal, again.fingerprint) == (asked.proposal, asked.fingerprint)
    assert second.services.sessions.get(session.id).provenance.kinds == {"untrusted"}
    assert second.run_manager.interrupted == 0
    decide(second, run.id)
    ended = await second.run_manager.wait_until_finished(run.id)
    assert (ended.state, ended.result) == (RunState.DONE, '"gone"')
    kinds = [entry.note.kind for entry in second.journal.entries(EntryQuery(run_id=run.id, limit=50))]
    assert "run.restored" in kinds
    assert "run.interrupted" not in kinds
    third = await next_core()
    assert third.run_manager.run(run.id).state is RunState.DONE, "it is decided and does not wait any more"
    assert not list(third.paths.waiting_requests.glob("*"))


async def test_a_program_that_needs_values_that_are_gone_ends_as_interrupted(next_core):
    first = await next_core()
    session = first.services.sessions.open("Claude")
    token = session.mask("Write to maria.lopez@example.org").split()[-1]
    assert token.startswith("[EMAIL")
    code = f"from servers.demo import send_email\nresult = await send_email(to='{token}', subject='s', body='b')"
    await first.catalog.connect("demo")
    run = first.run_manager.submit(code, session, "write")
    await until(lambda: first.run_manager.run(run.id).state is RunState.WAITING)
    second = await next_core()
    ended = await second.run_manager.wait_until_finished(run.id)
    assert ended.state is RunState.INTERRUPTED
    assert "no longer known" in ended.fault.message


async def test_what_runs_unasked_now_still_asks_after_a_restart(next_core):
    first = await next_core()
    run, _ = submit(first, "open('workspace/new.py', 'w').write('x')")
    await until(lambda: first.run_manager.run(run.id).state is RunState.WAITING)
    folder = first.paths.user_settings
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("[approval]\nauto_medium = true\n", encoding="utf-8")
    second = await next_core()
    await until(lambda: second.run_manager.run(run.id).state is RunState.WAITING)
    assert second.run_manager.run(run.id).verdict.gate in (Gate.ASK, Gate.AUTO)


async def test_programs_that_share_variables_and_damaged_files_do_not_wait_again(next_core):
    first = await next_core()
    run, _ = submit(first, state="session-1")
    await until(lambda: first.run_manager.run(run.id).state is RunState.WAITING)
    assert not list(first.paths.waiting_requests.glob("*"))
    other, _ = submit(first)
    await until(lambda: first.run_manager.run(other.id).state is RunState.WAITING)
    (file,) = first.paths.waiting_requests.glob("*")
    assert file.stat().st_mode & 0o077 == 0
    stored = json.loads(file.read_text(encoding="utf-8"))
    stored["proposal"]["code"] += "\nimport shutil"
    file.write_text(json.dumps(stored), encoding="utf-8")
    (file.parent / "r1.json").write_text("{", encoding="utf-8")
    second = await next_core()
    assert second.run_manager.run(other.id).state is not RunState.WAITING
    assert not list(second.paths.waiting_requests.glob("*"))


async def test_a_killed_core_asks_again_when_it_is_started(paths):
    """A real core in a process of its own, a real agent process, and SIGKILL."""
    environment = {**os.environ, "MCP_WORKBENCH_HOME": os.environ[OVERRIDE]}
    command = [sys.executable, "-m", "workbench", "serve", "--project", os.fspath(paths.project)]
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "Claude", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    }

    def ask(agent, method, **params):
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}})
        agent.stdin.write(line + "\n")
        agent.stdin.flush()
        return json.loads(agent.stdout.readline())["result"]

    def start():
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, encoding="utf-8"
        )

    code = "open('workspace/new.py', 'w').write('x')\nresult = 'written'"
    with await asyncio.to_thread(start) as agent:
        made = await asyncio.to_thread(ask, agent, "tools/call", name="execute_code", arguments={"code": code})
        assert made["resultType"] == "task"
        os.kill(lock_holder(paths.lock), signal.SIGKILL)
        assert await asyncio.to_thread(agent.wait, HANG) == 1
    with await asyncio.to_thread(start) as agent:

        async def task():
            return await asyncio.to_thread(ask, agent, "tasks/get", taskId=made["taskId"])

        assert (await task())["status"] == "working"
        connection = await connect(paths)
        run_id = made["taskId"].partition(".")[0]
        end = time.monotonic() + HANG
        while (run := await connection.api.run(run_id)).state is not RunState.WAITING:
            assert time.monotonic() < end
            await asyncio.sleep(0.05)
        await connection.api.decide(Decision(run.id, run.proposal.sha, True, "you", fingerprint=run.fingerprint))
        while (state := await task())["status"] != "completed":
            assert time.monotonic() < end
            await asyncio.sleep(0.05)
        assert state["result"]["content"][0]["text"] == 'result = "written"'
        await connection.api.shut_down()
        await connection.close()
        agent.stdin.close()
        await asyncio.to_thread(agent.wait, HANG)
