"""A run gets the isolation that its risk requires. If that is not available, the user must consent, which is
audited.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.runs.steps import reached
from tests.sandbox.lent import Lent
from workbench.analysis.reading import read_program
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import Decision, EntryQuery, Level, Risk, RunState, Verdict
from workbench.records import Gate as GateWord
from workbench.runs.sandbox_choice import choose_sandbox
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.sandbox import Sandbox
from workbench.settings import Settings

SENDS = 'from servers.demo import send_email\nawait send_email(to="a@example.org", subject="s", body="b")\n'


class Known(Sandbox):
    """A sandbox with predefined isolation levels."""

    def __init__(self, *levels: Level) -> None:
        super().__init__()
        self._given = levels
        self._levels._found = {level.name: level for level in levels}

    def levels(self) -> tuple[Level, ...]:
        return self._given

    async def fitting(self, wanted: str, language: str = "python") -> Level | None:
        strong = self._given[("process", "container", "vm").index(wanted) :]
        return next((level for level in strong if level.available and language in level.languages), None)


PROCESS, CONTAINER, VM = (
    Level("process", True, "native"),
    Level("container", True, "podman"),
    Level("vm", True, "qemu"),
)


def absent(level: Level) -> Level:
    return replace(level, available=False)


async def placed(
    risk: Risk, *levels: Level, settings: Settings | None = None, code: str = "", language: str = "python"
) -> tuple[str, str]:
    verdict = Verdict("sha", risk, GateWord.ASK, "It does something.")
    found = await choose_sandbox(
        read_program(code, (), language=language).with_verdict(verdict), settings or Settings(), Known(*levels)
    )
    return found.level, found.isolation


async def test_each_risk_gets_the_level_of_the_settings() -> None:
    levels = (PROCESS, CONTAINER, VM)
    assert [(await placed(risk, *levels))[0] for risk in Risk] == ["process", "container", "container", "vm"]


async def test_a_stronger_level_needs_no_word_and_a_weaker_one_says_what_was_wanted() -> None:
    assert await placed(Risk.MEDIUM, PROCESS, absent(CONTAINER), VM) == ("vm", "")
    level, words = await placed(Risk.HIGH, PROCESS, absent(CONTAINER), absent(VM))
    assert level == "process"
    assert words == (
        "This program should run in a container, but this machine has none. It runs in the process sandbox at full"
        " strength instead."
    )
    level, words = await placed(Risk.CRITICAL, PROCESS, CONTAINER, absent(VM))
    assert (level, "runs in a container" in words) == ("container", True)


async def test_a_reduced_sandbox_never_gets_a_program_of_high_risk() -> None:
    weak = replace(PROCESS, reduced=True, hint="Allow user namespaces.")
    level, words = await placed(Risk.MEDIUM, weak, absent(CONTAINER), absent(VM))
    assert (level, words.endswith("reduced strength instead.")) == ("process", True)
    with pytest.raises(Exception, match="reduced strength"):
        await placed(Risk.HIGH, weak, absent(CONTAINER), absent(VM))
    plain = Settings(isolation_high="process")
    with pytest.raises(Exception, match="reduced strength"):
        await placed(Risk.HIGH, weak, absent(CONTAINER), absent(VM), settings=plain)
    assert await placed(Risk.HIGH, weak, CONTAINER, VM, settings=plain) == ("container", "")


async def test_a_program_that_imports_packages_runs_where_they_are_and_that_is_said() -> None:
    settings = Settings(run_packages="hypothesis")
    words = (
        "This program imports hypothesis, which a container does not have. It runs in the process sandbox at full"
        " strength."
    )
    code = "from hypothesis import given"
    assert await placed(Risk.MEDIUM, PROCESS, CONTAINER, VM, settings=settings, code=code) == ("process", words)
    assert await placed(Risk.MEDIUM, PROCESS, CONTAINER, VM, settings=settings, code="import json") == ("container", "")
    assert await placed(Risk.MEDIUM, PROCESS, CONTAINER, VM, code=code) == ("container", "")
    weak = replace(PROCESS, backend="reduced", reduced=True)
    words = "This program runs in {} without hypothesis: only process sandboxes with namespaces have packages."
    without = ("container", words.format("a container"))
    assert await placed(Risk.MEDIUM, weak, CONTAINER, VM, settings=settings, code=code) == without
    without = ("process", words.format("the process sandbox"))
    assert await placed(Risk.LOW, weak, CONTAINER, VM, settings=settings, code=code) == without


async def test_what_nothing_here_runs_is_refused_before_anybody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    # The result does not depend on an installed Deno; it is not started.
    monkeypatch.setattr(deno_backend, "runtime", lambda: "/usr/bin/deno")
    nothing = replace(absent(PROCESS), sentence="Namespaces are forbidden.", hint="Allow them.")
    with pytest.raises(WorkbenchError, match=r"Programs cannot run here\. Namespaces are forbidden\."):
        await placed(Risk.LOW, nothing, absent(CONTAINER), absent(VM))
    assert await placed(Risk.LOW, nothing, CONTAINER, absent(VM)) == ("container", "")
    weak = replace(PROCESS, backend="reduced", reduced=True, sentence="Reduced strength.", hint="Allow namespaces.")
    with pytest.raises(WorkbenchError) as refusal:
        await placed(Risk.LOW, weak, CONTAINER, VM, language="typescript")
    assert "with namespaces (native or bubblewrap). Reduced strength." in refusal.value.message
    assert refusal.value.hint == "Write the program in Python. Allow namespaces."


# ── in the run pipeline ──────────────────────────────────────────────────────────────────────────


OVER = (RunState.WAITING, RunState.DONE, RunState.FAILED, RunState.REFUSED)


@pytest.fixture
async def bare(demo: Core, monkeypatch: pytest.MonkeyPatch) -> Core:
    """A core without containers and virtual machines, and with medium risk allowed by the settings."""

    async def fitting(wanted: str, language: str = "python") -> Level | None:
        level = demo.sandbox.levels()[0]
        return level if wanted == "process" and level.available else None

    def levels() -> tuple[Level, ...]:
        first = Sandbox.levels(demo.sandbox)[0]
        return (first, absent(CONTAINER), absent(VM))

    if demo.sandbox.strength.level == "none":
        pytest.skip(demo.sandbox.strength.reason)
    monkeypatch.setattr(demo.sandbox, "levels", levels)
    monkeypatch.setattr(demo.sandbox, "fitting", fitting)
    demo.services.settings.set(replace(demo.settings, approval_auto_medium=True, isolation_low="container"))
    return demo


async def test_an_agent_s_run_waits_for_consent_although_it_would_pass(bare: Core) -> None:
    agent = bare.services.sessions.open("test agent")
    run = await reached(bare, bare.run_manager.submit("result = 6 * 7", agent), *OVER)
    assert run.state is RunState.WAITING
    assert run.isolation.startswith("This program should run in a container, but this machine has none")
    bare.run_manager.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
    done = await bare.run_manager.wait_until_finished(run.id)
    assert (done.state, done.result, done.level) == (RunState.DONE, "42", "process")
    assert done.backend == bare.sandbox.strength.backend
    steps = {entry.note.kind: entry.note.detail for entry in bare.journal.entries(EntryQuery(run_id=run.id, limit=20))}
    assert steps["run.running"]["backend"] == done.backend
    assert steps["run.waiting"]["isolation"] == run.isolation


async def test_a_person_s_own_run_is_not_asked_about_again_and_says_where_it_ran(bare: Core) -> None:
    person = bare.services.sessions.person
    done = await bare.run_manager.wait_until_finished(bare.run_manager.submit("result = 6 * 7", person).id)
    assert (done.state, done.level) == (RunState.DONE, "process")
    assert "should run in a container" in done.isolation


async def test_an_edit_that_changes_the_risk_changes_the_place(bare: Core) -> None:
    bare.services.settings.set(replace(bare.settings, isolation_low="process", approval_auto_low=False))
    agent = bare.services.sessions.open("test agent")
    run = await reached(bare, bare.run_manager.submit(SENDS, agent), *OVER)
    assert "This program should run in" in run.isolation
    edited = await bare.run_manager.edit(run.id, "result = 1")
    assert edited.isolation == ""
    await bare.run_manager.stop(run.id)


@pytest.fixture
async def lent(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Core]:
    monkeypatch.setattr("workbench.core.engines", lambda images: {"container": Lent("container")})
    core = Core(paths)
    await core.open()
    yield core
    await core.close()


async def test_a_run_of_a_machine_with_containers_goes_into_one_without_a_question(lent: Core) -> None:
    if lent.sandbox.strength.level == "none":
        pytest.skip(lent.sandbox.strength.reason)
    lent.services.settings.set(replace(lent.settings, isolation_low="container"))
    agent = lent.services.sessions.open("test agent")
    done = await lent.run_manager.wait_until_finished(lent.run_manager.submit("result = 6 * 7", agent).id)
    assert (done.state, done.level, done.backend, done.isolation) == (RunState.DONE, "container", "lent", "")


def test_the_settings_take_levels_only(tmp_path: Path) -> None:
    from workbench.settings import read

    file = tmp_path / "settings.toml"
    file.write_text('[isolation]\nlow = "hope"\nhigh = "vm"\n')
    reading = read(tmp_path / "none.toml", file)
    assert (reading.settings.isolation_low, reading.settings.isolation_high) == ("process", "vm")
    assert "isolation.low" in reading.notices[0].message
    reading = read(file, tmp_path / "none.toml")
    assert reading.settings.isolation_high == "container"  # an untrusted project must not loosen it
