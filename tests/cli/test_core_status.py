"""Status and end of a core, seen from a script."""

from __future__ import annotations

import json

from workbench.api.client import connect
from workbench.api.core_lock import lock_holder
from workbench.paths import Paths


def start_core(paths: Paths) -> int:
    import asyncio

    async def begin() -> int:
        connection = await connect(paths)
        pid = (await connection.api.status()).pid
        await connection.close()
        return pid

    return asyncio.run(begin())


def test_status_without_a_core_starts_none_and_has_a_code_of_its_own(run, paths):
    assert run("status") == (4, "", f"No core is running for {paths.project}.\n")
    assert lock_holder(paths.lock) == 0


def test_status_says_what_the_core_does(run, paths):
    pid = start_core(paths)
    code, out, err = run("status")
    assert (code, err) == (0, "")
    assert f"process {pid}" in out
    assert str(paths.project) in out


def test_status_as_json_is_the_whole_record(run, paths):
    pid = start_core(paths)
    code, out, _ = run("status", "--json")
    status = json.loads(out)
    assert code == 0
    assert (status["pid"], status["strength"]["level"]) == (pid, "full")


def test_stop_ends_the_core_and_is_content_when_there_is_none(run, paths):
    start_core(paths)
    assert run("stop") == (0, "", "The core has ended.\n")
    assert lock_holder(paths.lock) == 0
    assert run("stop") == (0, "", f"No core is running for {paths.project}.\n")


def test_stop_ends_also_a_core_that_does_not_understand_us(run, paths, monkeypatch):
    start_core(paths)
    monkeypatch.setattr("workbench.api.client.__version__", "99.0")
    code, _, err = run("stop")
    assert code == 0
    assert "Ending the core with a signal." in err
    assert lock_holder(paths.lock) == 0
