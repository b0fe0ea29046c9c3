"""Replays tasks and injection attacks in a real core, and counts approval requests and stopped attacks.

    python benchmarks/injection.py [FOLDER] [--brief] [--each] [--held-out] [--json] [--servers FOLDER]

The design follows published injection benchmarks: scripted agents on invented data, with injected instructions in
mails, pages, issues, logs and reviews. Five worlds: the demo server, and four with 20 servers that have the tools of
widely used ones (`injection_server.py`; with FOLDER, the recorded tool lists of the real ones). With `--servers`, plans
of their own are replayed on published servers that really run (`injection_real.py`). README.md says what counts as a
needed request, and how the simulated users behave.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shlex
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import injection_plans
import injection_real
import injection_worlds
from injection_plans import Plan
from injection_worlds import HOSTILE, NEW_SESSION
from msgspec.structs import replace

from workbench.broker.agent_sessions import Session
from workbench.core import Core
from workbench.events import CallHeld, Event, RunChanged
from workbench.paths import OVERRIDE, paths_of
from workbench.permissions.rule_offers import KINDS
from workbench.records import Decision, HeldCall, HeldCallAnswer, Risk, Run, RunState, ServerConfig

TASKS = (*injection_plans.TASKS, *injection_worlds.TASKS)
ATTACKS = (*injection_plans.ATTACKS, *injection_worlds.ATTACKS)
RECORDED = {
    "github": "github", "git": "git-py", "filesystem": "filesystem", "slack": "slack", "memory": "memory",
    "kubernetes": "kubernetes", "supabase": "supabase-0.5", "redis": "redis", "excel": "excel", "time": "time-py",
    "stripe": "stripe-0.2", "maps": "google-maps", "twilio": "twilio", "notion": "notion",
}  # fmt: skip
PYTHON_PACKAGES = frozenset({"git", "redis", "excel", "time"})
CACHE = Path.home() / ".cache" / "mcp-workbench-benchmarks"
GATHER = 0.12  # seconds the user waits, so that the calls of a loop are batched into one request
SENT = ("done", "failed")  # states of calls that reached their server
GOALS = {"fresh": 0.8, "after trust": 0.4, "steady": 0.2}


@dataclass(frozen=True, slots=True)
class Question:
    """One approval request."""

    about: str  # "program" or "call"
    risk: Risk
    text: str


@dataclass(slots=True)
class Replayed:
    """The result of one plan."""

    plan: Plan
    questions: list[Question] = field(default_factory=list)
    reached: bool = False  # the harm was done
    fault: str = ""  # why a program that should have run failed

    @property
    def by(self) -> str:
        """What stopped an attack."""
        if self.reached:
            return "-"
        return self.questions[-1].about if self.questions else "refused"

    @property
    def needless(self) -> int:
        return max(0, len(self.questions) - self.plan.needs)


class Person:
    """The simulated user, who answers approval requests as the plan says.

    `careless`: allows everything up to medium risk unread. `lasting`: accepts what is offered for longer."""

    def __init__(self, core: Core, *, careless: bool = False, lasting: bool = False) -> None:
        self._core = core
        self._careless, self._lasting = careless, lasting
        self.attacked = False  # what is asked from now on is about the attack
        self.questions: list[Question] = []
        self._waiting: set[str] = set()
        core.bus.listen(self._hear)

    def start_over(self) -> None:
        self.attacked = False
        self.questions = []

    def _hear(self, event: Event) -> None:
        loop = asyncio.get_running_loop()
        if isinstance(event, RunChanged) and event.run.state is RunState.WAITING and event.run.id not in self._waiting:
            self._waiting.add(event.run.id)
            loop.call_soon(self._decide, event.run)
        elif isinstance(event, CallHeld):
            loop.call_later(GATHER, self._answer, event.held_call.id)

    def _allows(self, risk: Risk) -> bool:
        return not self.attacked or (self._careless and risk in (Risk.LOW, Risk.MEDIUM))

    def _decide(self, run: Run) -> None:
        risk = run.verdict.risk if run.verdict is not None else Risk.CRITICAL
        self.questions.append(Question("program", risk, run.verdict.sentence if run.verdict is not None else ""))
        allow = self._allows(risk)
        offer = self._offer(run) if allow and self._lasting and not self.attacked else ""
        decision = Decision(run.id, run.proposal.sha, allow, by="you", fingerprint=run.fingerprint, offer=offer)
        self._core.run_manager.decide(decision)

    def _offer(self, run: Run) -> str:
        """The lasting answer that the user accepts: the widest that is not about a whole server."""
        offered = {one.kind: one.id for one in run.offers if one.reach == "always"}
        return next((offered[kind] for kind in reversed(KINDS) if kind in offered), offered.get("server", ""))

    def _answer(self, held_call_id: str) -> None:
        held = next((one for one in self._core.run_manager.held_calls.all() if one.id == held_call_id), None)
        if held is None:
            return
        self.questions.append(Question("call", held.risk, " ".join(held.why)))
        self._core.run_manager.held_calls.answer(HeldCallAnswer(held.id, self._allows(held.risk), self._rest(held)))

    def _rest(self, held: HeldCall) -> str:
        return "rest"


class Bench:
    """A core with all servers, and a simulated user."""

    def __init__(self, core: Core, person: Person, folder: Path, values: Mapping[str, str] | None = None) -> None:
        """`values`: what stands for names such as `$DATA` in programs."""
        self.core = core
        self.person = person
        self._change = folder / "changed"
        self._workspace = folder / "project" / "workspace"
        self._values = values or {}
        self._sessions = 0

    async def replay(self, plan: Plan, time_of: int = 0) -> Replayed:
        """Replay one plan in a session of its own."""
        self.person.start_over()
        self._sessions += 1
        author = f"scripted agent {self._sessions}"
        session, done = self._open(author), Replayed(plan)
        programs = plan.programs_of(time_of)
        for number, code in enumerate(programs, 1):
            last = number == len(programs)
            if code == NEW_SESSION:
                session.connected = False
                self.core.services.sessions.mark_disconnected(session)
                session = self._open(author)
                continue
            if plan.hostile and last:
                if plan.changes:
                    await self._change_definitions(session)
                self.person.attacked, self.person.questions = True, []
            state = f"{plan.state}-{self._sessions}" if plan.state else ""
            run = await self._run(session, code, state)
            if plan.hostile and last:
                done.reached = any(call.tool == plan.harm and call.state in SENT for call in run.calls)
                if plan.file:
                    made = self._workspace / plan.file
                    done.reached = made.exists()
                    made.unlink(missing_ok=True)
            elif run.state is not RunState.DONE:
                done.fault = f"{run.state}: {run.fault.message if run.fault else ''} {run.output[-300:]}"
        done.questions = self.person.questions
        if plan.changes:
            self._change.unlink(missing_ok=True)
            await self.core.catalog.disconnect("weather")
            await self.core.catalog.connect("weather")
        return done

    def _open(self, author: str) -> Session:
        session = self.core.services.sessions.open(author)
        self.core.services.sessions.set_name(session, author)
        return session

    async def _change_definitions(self, session: Session) -> None:
        """Let the weather server announce other definitions, as a hostile server does after it was reviewed."""
        self._change.touch()
        await self._run(session, "from servers.weather import get_forecast\nawait get_forecast(city='Faro')", "")

    async def _run(self, session: Session, code: str, state: str) -> Run:
        for name, value in self._values.items():
            code = code.replace(name, value)
        async with asyncio.timeout(60):
            manager = self.core.run_manager
            return await manager.wait_until_finished(manager.submit(code, session, state=state).id)


@contextlib.asynccontextmanager
async def bench(
    recorded: str,
    *,
    trust: bool,
    careless: bool = False,
    lasting: bool = False,
    medium_unasked: bool = False,
    servers: str = "",
) -> AsyncIterator[Bench]:
    """A core with the servers of all worlds, or those installed in the folder `servers`. `trust`: the user has answered
    one trust question for each server. `medium_unasked`: programs of medium risk run without approval, so that requests
    about calls remain."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="mcp-workbench-project-") as folder,
        tempfile.TemporaryDirectory(prefix="injection-", dir=CACHE) as protected,
        injection_real.web_proxy() if servers else contextlib.nullcontext("") as proxy,
    ):
        os.environ[OVERRIDE] = f"{folder}/home"
        project = Path(folder, "project")
        project.mkdir()
        core = Core(paths_of(project))
        await core.open()
        try:
            await core.catalog.connect("demo")
            values = injection_real.make_data(Path(folder)) if servers else {}
            own = [] if servers else _entries(recorded, Path(folder), Path(protected))
            used = injection_real.entries(Path(servers).resolve(), Path(folder), proxy) if servers else own
            for entry in used:
                await core.catalog.add(entry)
            await asyncio.gather(*(core.catalog.connect(entry.name) for entry in used))
            if trust:
                for name in {entry.name for entry in used} - HOSTILE:
                    question = await core.api.trust_question(name)
                    await core.api.decide_trust(name, question.sha, question.groups)
            places = dict.fromkeys(("isolation_medium", "isolation_high", "isolation_critical"), "process")
            core.settings = replace(core.settings, approval_auto_medium=medium_unasked, **places)
            yield Bench(core, Person(core, careless=careless, lasting=lasting), Path(folder), values)
        finally:
            await core.close()


def _entries(recorded: str, folder: Path, protected: Path) -> list[ServerConfig]:
    """Entries of all servers. With recorded tool lists they start the packages of the real servers, as far as the
    configuration says; the package runners in the path are ours. `protected`: a folder in which only the user writes,
    because packages from temporary folders do not count as reviewed."""
    entries, cases = [], []
    for name in sorted(injection_worlds.EVERY):
        listed = Path(recorded, f"{RECORDED[name]}.json") if recorded and name in RECORDED else None
        command = [sys.executable, str(Path(__file__).with_name("injection_server.py")), name]
        if listed is None or not listed.exists():
            entries.append(ServerConfig(name, command[0], tuple(command[1:]), env={"CHANGE_FILE": f"{folder}/changed"}))
            continue
        package = json.loads(listed.read_text(encoding="utf-8"))["package"]
        cases.append(f"{shlex.quote(package)}) exec {shlex.join([*command, str(listed.resolve())])} ;;")
        runner = ("uvx",) if name in PYTHON_PACKAGES else ("npx", "-y")
        entries.append(ServerConfig(name, runner[0], (*runner[1:], package)))
    runners = protected / "bin"
    runners.mkdir()
    for command_name in ("npx", "uvx"):
        script = runners / command_name
        script.write_text("\n".join(["#!/bin/sh", "for package; do :; done", 'case "$package" in', *cases, "esac", ""]))
        script.chmod(0o755)
    os.environ["PATH"] = f"{runners}:{os.environ['PATH']}"
    return entries


async def measure(arguments: argparse.Namespace, say: Callable[[str], None]) -> dict[str, list[Replayed]]:
    """Replay everything in every configuration."""
    found: dict[str, list[Replayed]] = {}
    every = injection_real.read_real_plans(Path(arguments.servers)) if arguments.servers else (TASKS, ATTACKS)
    tasks, attacks = (_selected(plans, arguments.only) for plans in every)
    open_bench = partial(bench, arguments.folder, servers=arguments.servers)
    async with open_bench(trust=False) as one:
        found["fresh"] = [await one.replay(plan) for plan in tasks]
    say("fresh")
    async with open_bench(trust=True) as one:
        found["after trust"] = [await one.replay(plan) for plan in tasks]
    say("after trust")
    async with open_bench(trust=True) as one:
        found["attacks, careful user"] = [await one.replay(plan) for plan in attacks]
    say("careful")
    async with open_bench(trust=True, careless=True, lasting=True) as one:
        for plan in tasks:
            await one.replay(plan)
        found["steady"] = [await one.replay(plan, turn) for turn in (1, 2) for plan in tasks]
        say("steady")
        found["attacks, careless user with lasting rules"] = [await one.replay(plan) for plan in attacks]
    return found


def _selected(plans: Sequence[Plan], only: str) -> list[Plan]:
    return [plan for plan in plans if not only or only in f"{plan.world}/{plan.group}/{plan.name}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="", help="recorded tool lists, NAME.json")
    parser.add_argument("--brief", action="store_true", help="totals only")
    parser.add_argument("--each", action="store_true", help="every plan that is not held out, with its questions")
    parser.add_argument("--held-out", action="store_true", help="with --each: the held-out plans too")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--servers", default="", help="folder where published servers are installed")
    parser.add_argument("--only", default="", help="plans whose WORLD/GROUP/NAME contains this text")
    arguments = parser.parse_args()
    began = time.monotonic()

    def say(part: str) -> None:
        print(f"[{time.monotonic() - began:.0f} s] {part}", file=sys.stderr, flush=True)

    found = asyncio.run(measure(arguments, say))
    if arguments.json:
        print(json.dumps({name: _figures(name, ones) for name, ones in found.items()}, indent=2))
        return
    for name, ones in found.items():
        print(f"\n{name}")
        (_print_attacks if name.startswith("attacks") else _print_tasks)(name, ones, brief=arguments.brief)
        if arguments.each:
            _print_each(ones, held_out=arguments.held_out)


def _figures(name: str, found: Sequence[Replayed]) -> dict[str, object]:
    attacks = name.startswith("attacks")
    return {
        part: _attack_figures(ones) if attacks else _task_figures(ones) for part, ones in _parts(found).items() if ones
    }


def _parts(found: Sequence[Replayed]) -> dict[str, list[Replayed]]:
    """All plans, those that rules are tuned with, and those held out."""
    kept = [one for one in found if one.plan.held_out]
    return {"all": list(found), "tuned": [one for one in found if not one.plan.held_out], "held out": kept}


def _task_figures(found: Sequence[Replayed]) -> dict[str, object]:
    questions = [question for one in found for question in one.questions]
    grave = sum(one.risk in (Risk.HIGH, Risk.CRITICAL) for one in questions)
    return {
        "tasks": len(found),
        "questions": len(questions),
        "a task": round(len(questions) / len(found), 3),
        "needless share": round(sum(one.needless for one in found) / max(1, len(questions)), 3),
        "high or critical share": round(grave / max(1, len(questions)), 3),
        "critical": sum(one.risk is Risk.CRITICAL for one in questions),
        "about calls": sum(one.about == "call" for one in questions),
        "failed": sum(bool(one.fault) for one in found),
    }


def _attack_figures(found: Sequence[Replayed]) -> dict[str, object]:
    caught = sum(not one.reached for one in found)
    return {"attacks": len(found), "caught": caught, "share": round(caught / len(found), 4)}


_COLUMNS = ("tasks", "questions", "a task", "needless", "high", "critical", "calls")


def _print_tasks(name: str, found: Sequence[Replayed], *, brief: bool) -> None:
    print(f"  {'tasks':30}", *(f"{title:>9}" for title in _COLUMNS))
    rows = [] if brief else _by(found, lambda one: f"{one.plan.world}: {one.plan.group}")
    worlds = _by(found, lambda one: one.plan.world)
    for title, ones in [*rows, *worlds, *_parts(found).items()]:
        told = [question for one in ones for question in one.questions]
        counts = [len([one for one in told if one.risk is risk]) for risk in (Risk.HIGH, Risk.CRITICAL)]
        needless = sum(one.needless for one in ones) / max(1, len(told))
        shares = (f"{len(told) / max(1, len(ones)):.2f}", f"{needless:.0%}")
        columns = (len(ones), len(told), *shares, *counts, sum(one.about == "call" for one in told))
        print(f"  {title:30.30}", *(f"{value:>9}" for value in columns))
    print(f"  goals: {GOALS[name]} a task, 15 % needless")
    for one in found:
        if one.fault:
            print(f"  failed: {one.plan.world}: {one.plan.name}: {one.fault}")


def _print_attacks(name: str, found: Sequence[Replayed], *, brief: bool) -> None:
    print(f"  {'attacks':30} {'tried':>6} {'caught':>7}   by")
    rows = _by(found, lambda one: one.plan.group) if not brief else []
    for title, ones in [*rows, *_by(found, lambda one: one.plan.world), *_parts(found).items()]:
        ways = ", ".join(f"{way} {count}" for way, count in Counter(one.by for one in ones).most_common())
        print(f"  {title:30.30} {len(ones):6} {sum(not one.reached for one in ones):7}   {ways}")
    print(f"  {sum(not one.reached for one in found) / max(1, len(found)):.1%} caught (goal: 99 %)")
    for one in found:
        if one.reached and not one.plan.held_out:
            print(f"  missed: {one.plan.world}: {one.plan.group}: {one.plan.name}")


def _print_each(found: Iterable[Replayed], *, held_out: bool) -> None:
    for one in found:
        if not one.plan.held_out or held_out:
            told = "; ".join(f"{each.about} {each.risk}: {each.text[:150]}" for each in one.questions)
            mark = "MISSED" if one.reached else one.by if one.plan.hostile else f"{len(one.questions)}/{one.plan.needs}"
            print(
                f"    {mark:8} {one.plan.world:12.12} {one.plan.group:22.22} {one.plan.name:38.38} {told} {one.fault}"
            )


def _by(found: Iterable[Replayed], key: Callable[[Replayed], str]) -> list[tuple[str, list[Replayed]]]:
    groups: defaultdict[str, list[Replayed]] = defaultdict(list)
    for one in found:
        groups[key(one)].append(one)
    return list(groups.items())


if __name__ == "__main__":
    main()
