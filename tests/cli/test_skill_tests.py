"""`skills test` on a real project: what differs is printed, written as JUnit, and decides the exit code."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from workbench.api.client import connect
from workbench.paths import Paths, starter_skills
from workbench.records import RunState

CODE = """\
from servers.demo import list_orders


async def count_orders(limit: int = 3) -> int:
    return len((await list_orders(limit=limit))["orders"])
"""


@pytest.fixture(scope="module")
def cassette(project: Paths) -> Path:
    asyncio.run(_record(project))
    return project.skills / "count-orders" / "cassettes" / "three.json"


async def _record(paths: Paths) -> None:
    connection = await connect(paths, start=False)
    api = connection.api
    draft = await api.draft_skill("count-orders", "Counts.", CODE, "")
    await api.keep_skill("count-orders", draft.sha)
    run = await api.run_skill("count-orders", {"limit": 3})
    while run.state not in (RunState.DONE, RunState.FAILED, RunState.REFUSED):
        await asyncio.sleep(0.01)
        run = await api.run(run.id)
    await api.record_cassette(run.id, "count-orders", "three", {})
    await connection.close()


def test_every_starter_brings_a_recording_and_all_of_them_pass(command, cassette, tmp_path):
    starters = sorted(path.name for path in starter_skills().iterdir() if (path / "SKILL.md").is_file())
    assert len(starters) == 11
    code, out, err = command("skills", "test")
    assert [name for name in ("count-orders", *starters) if f"  {name}/" not in out] == []
    assert (code, "12 as recorded, 0 not" in err) == (0, True), out


def test_tests_pass_fail_and_are_reported(command, cassette, tmp_path):
    code, out, err = command("skills", "test", "count-orders", "--junit", str(tmp_path / "report.xml"))
    assert (code, "count-orders/three" in out, "1 as recorded, 0 not" in err) == (0, True, True)
    assert ElementTree.parse(tmp_path / "report.xml").getroot().get("failures") == "0"
    text = cassette.read_text()
    cassette.write_text(text.replace('"limit": 3', '"limit": 5', 1))
    code, out, err = command("skills", "test", "count-orders", "--junit", str(tmp_path / "report.xml"))
    assert code == 1
    assert "argument: The arguments of demo.list_orders differ at limit. 3 → 5" in out
    failure = ElementTree.parse(tmp_path / "report.xml").getroot().find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("message", "").startswith("argument:")
    cassette.write_text(text)


def test_other_code_that_does_the_same_is_told_and_may_be_accepted(command, cassette):
    text = cassette.read_text()
    cassette.write_text(text.replace('"code": "', '"code": "f', 1))
    code, out, _ = command("skills", "test", "count-orders")
    assert (code, "code: The skill's code has changed since the recording." in out) == (1, True)
    code, out, _ = command("skills", "test", "count-orders", "--accept-changed", "--drift")
    assert (code, "The skill still did the same." in out) == (0, True)
    cassette.write_text(text)


def test_what_is_not_there_is_wrong_usage(command, cassette, project):
    shutil.rmtree(project.skills / "wait-for-message" / "cassettes")
    code, _, err = command("skills", "test", "no-such")
    assert (code, "count-orders" in err) == (2, True)
    code, _, err = command("skills", "test", "wait-for-message")
    assert (code, "no cassette" in err) == (2, True)
