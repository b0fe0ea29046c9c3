"""A person's own program uses the workbench without a window: real core, real sandbox, real demo server."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench import Orchestrator, Task, TaskResult
from workbench.api.client import connect
from workbench.cli.main import main
from workbench.errors import WorkbenchError
from workbench.paths import OVERRIDE, Paths, paths_of
from workbench.records import Decision, RunState

ROOT = Path(__file__).parents[1]
READS = "from servers.demo import list_orders\npage = await list_orders(limit=3)\nreturn len(page['orders'])"
SENDS = (
    "from servers.demo import send_email\nawait send_email(to='a@acme.example', subject='s', body='b')\nreturn 'sent'"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paths]:
    """A project whose core the first orchestrator starts, and that the last test's end ends."""
    folder = tmp_path_factory.mktemp("orchestrator")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OVERRIDE, str(folder / "home"))
        paths = paths_of(folder / "project")
        paths.project.mkdir()
        paths.user_settings.parent.mkdir(parents=True)
        paths.user_settings.write_text("[core]\nlinger_seconds = 120\n")
        yield paths
        assert main(["stop", "--project", str(paths.project)]) == 0


async def one(project: Paths, task: Task, *, attended: bool = False) -> TaskResult:
    async with Orchestrator(project.project, attended=attended) as orchestrator:
        return await orchestrator.execute_task(task)


async def test_a_task_runs_and_tells_what_it_took(project: Paths) -> None:
    task = Task("t1", "Count", READS, required_tools=["demo"])
    assert task.status == "pending"
    result = await one(project, task)
    assert (task.status, result.success, result.data, result.task) == ("done", True, 3, "t1")
    assert result.stats.tools_called == ("demo.list_orders",)
    assert result.stats.duration > 0 < result.stats.tokens_used
    assert result.stats.memory_used > 1_000_000


async def test_only_required_tools_can_be_called(project: Paths) -> None:
    result = await one(project, Task(code=READS, required_tools=["demo.count_orders"]))
    assert result.status == "refused"
    assert "list_orders" in result.error


async def test_what_needs_a_person_is_refused_where_nobody_attends(project: Paths) -> None:
    result = await one(project, Task(code=SENDS))
    assert (result.status, result.data) == ("refused", None)
    assert "No user was available" in result.error


async def test_a_script_may_stand_behind_its_programs(project: Paths) -> None:
    from workbench import AgentTask, MCPOrchestrator

    async with MCPOrchestrator(project.project, allow=True) as orchestrator:
        result = await orchestrator.execute_task(AgentTask("t", "Send.", SENDS))
    assert (result.status, result.data) == ("done", "sent")


async def test_a_skill_is_found_the_moment_it_is_kept(project: Paths) -> None:
    async with Orchestrator(bench=project.project) as orchestrator:  # the keyword of version 0.1
        assert "count-more" not in {skill.name for skill in await orchestrator.search_skills("count some orders")}
        await orchestrator.save_skill("count-more", "Count some orders", READS, keep=True)
        assert "count-more" in {skill.name for skill in await orchestrator.search_skills("count some orders")}


async def test_attended_it_waits_for_the_person(project: Paths) -> None:
    person = await connect(project)
    try:
        waiting = asyncio.ensure_future(one(project, Task(code=SENDS), attended=True))
        while not (runs := [run for run in await person.api.runs() if run.state is RunState.WAITING]):
            await asyncio.sleep(0.01)
        await person.api.decide(
            Decision(runs[0].id, runs[0].proposal.sha, allow=True, by="", fingerprint=runs[0].fingerprint)
        )
        assert (await waiting).data == "sent"
    finally:
        await person.close()


async def test_a_failure_is_a_result_and_a_cancelled_task_stops_its_program(project: Paths) -> None:
    failed = await one(project, Task(code="print('before')\n1 / 0"))
    assert (failed.success, failed.output) == (False, "before\n")
    assert "ZeroDivisionError" in failed.error
    async with Orchestrator(project.project) as orchestrator:
        task = Task(code="import asyncio\nprint('x')\nawait asyncio.sleep(20)")
        going = asyncio.ensure_future(orchestrator.execute_task(task))
        while (await orchestrator.get_stats()).active_tasks == 0:
            await asyncio.sleep(0.01)
        going.cancel()
        await asyncio.wait([going])
        assert (going.cancelled(), task.status) == (True, "stopped")
        while (await orchestrator.get_stats()).active_tasks:
            await asyncio.sleep(0.01)


async def test_tasks_run_beside_each_other_and_the_project_is_counted(project: Paths) -> None:
    async with Orchestrator(project.project) as orchestrator:
        results = await asyncio.gather(*(orchestrator.execute_task(Task(str(n), code=READS)) for n in range(6)))
        stats = await orchestrator.get_stats()
    assert [result.data for result in results] == [3] * 6
    assert (stats.servers, stats.max_concurrent_tasks, stats.active_tasks) == (1, 5, 0)
    assert stats.tools > 5
    assert stats.skills >= 3


async def test_skills_are_saved_found_and_run(project: Paths) -> None:
    async with Orchestrator(project.project) as orchestrator:
        draft = await orchestrator.save_skill("count-some", "Count some orders", READS, ["orders", "counting"])
        assert (draft.state, draft.tags) == ("draft", ("orders", "counting"))
        assert "count-some" not in {skill.name for skill in await orchestrator.search_skills()}
        with pytest.raises(WorkbenchError, match="kept skill"):
            await orchestrator.execute_skill("count-some")
        await orchestrator.save_skill("count-some", "Count some orders", READS, ["orders"], keep=True)
        assert (await orchestrator.search_skills("count some orders"))[0].name == "count-some"
        assert (await orchestrator.execute_skill("count-some")).data == 3


async def test_one_that_was_not_opened_says_so(project: Paths) -> None:
    with pytest.raises(WorkbenchError, match="not open"):
        await Orchestrator(project.project).get_stats()


def test_the_example_runs(project: Paths) -> None:
    script = ROOT / "docs/scripts/pending_orders.py"
    done = subprocess.run(
        [sys.executable, str(script), str(project.project)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.stdout.startswith("done {'pending': "), done.stderr
    assert "pending-orders-summary done" in done.stdout


def test_importing_the_package_loads_nothing_else() -> None:
    look = "import sys, workbench; assert not hasattr(workbench, 'nonsense'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout.split()
    assert [name for name in loaded if name.startswith("workbench") or name in ("asyncio", "json")] == ["workbench"]
    heavy = "import sys; from workbench import Orchestrator; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True).stdout.split()
    assert not {"mcp", "pydantic", "PySide6"} & {name.split(".")[0] for name in told}
