"""Chooses the sandbox of a run: as strong as its risk requires, and weaker only with the user's approval."""

from __future__ import annotations

from msgspec import Struct

from workbench.analysis.approval_gate import isolation_risk
from workbench.analysis.reading import PYTHON, Reading
from workbench.errors import WorkbenchError
from workbench.records import Level, Risk
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.importable_packages import packages
from workbench.sandbox.isolation_levels import LEVELS, level_name
from workbench.sandbox.sandbox import WITH_PACKAGES, Sandbox
from workbench.settings import Settings

_SERIOUS = frozenset({Risk.HIGH, Risk.CRITICAL})


class SandboxChoice(Struct, frozen=True):
    """The isolation level of a run; `isolation` says in one sentence how it is weaker than wanted, if it is."""

    level: str
    backend: str
    isolation: str = ""


async def choose_sandbox(reading: Reading, settings: Settings, sandbox: Sandbox) -> SandboxChoice:
    """Choose the wanted level or a stronger one; otherwise the strongest available, with a sentence that needs
    approval."""
    verdict, language = reading.verdict, reading.language
    least = verdict.profile.isolation if verdict.profile else ""
    wanted = _stronger(wanted_level(isolation_risk(verdict, settings), settings), least)
    found = await sandbox.fitting(wanted, language)
    if found is not None and _may_hold(found, verdict.risk):
        usual = found.name == LEVELS[0] and found.backend in WITH_PACKAGES
        if modules := () if usual else imported_packages(reading, settings):
            return _choose_for_packages(found, sandbox.levels()[0], modules)
        return SandboxChoice(found.name, found.backend)
    there = [level for level in sandbox.levels() if level.available and language in level.languages]
    able = [level for level in there if _may_hold(level, verdict.risk)]
    if there and not able:
        raise WorkbenchError(_too_weak_sentence(verdict.risk), there[-1].hint)
    if not able:
        await sandbox.need(LEVELS[0], language)  # raises: no sandbox here can run it, so the user is not asked
    strong = [level for level in able if LEVELS.index(level.name) >= LEVELS.index(wanted)]
    best = strong[0] if strong else able[-1]
    return SandboxChoice(best.name, best.backend, "" if strong else _weaker_sentence(wanted, best, language))


def _choose_for_packages(found: Level, first: Level, modules: tuple[str, ...]) -> SandboxChoice:
    """Choose a sandbox for a program that uses installed packages. Only two kinds of process sandboxes have
    packages, so the user is told if the program gets a different level, or none of the packages."""
    names = ", ".join(modules[:3])
    if first.available and first.backend in WITH_PACKAGES:
        words = (
            f"This program imports {names}, which {level_name(found.name)} does not have. It runs in"
            f" {level_name(LEVELS[0])} at full strength."
        )
        return SandboxChoice(first.name, first.backend, words)
    words = (
        f"This program runs in {level_name(found.name)} without {names}: only process sandboxes with namespaces have"
        " packages."
    )
    return SandboxChoice(found.name, found.backend, words)


def _may_hold(level: Level, risk: Risk) -> bool:
    return not (level.reduced and risk in _SERIOUS)


def wanted_level(risk: Risk, settings: Settings) -> str:
    """Return the isolation level that the settings require at this risk."""
    return {
        Risk.LOW: settings.isolation_low,
        Risk.MEDIUM: settings.isolation_medium,
        Risk.HIGH: settings.isolation_high,
        Risk.CRITICAL: settings.isolation_critical,
    }[risk]


def _stronger(one: str, other: str) -> str:
    """Return the stronger of two levels; an empty one requires nothing."""
    return max((one, other), key=lambda level: LEVELS.index(level) if level in LEVELS else -1)


def _weaker_sentence(wanted: str, best: Level, language: str) -> str:
    strength = "reduced" if best.reduced else "full"
    none = "none" if language == PYTHON else f"none for {NAMES[language]}"
    return (
        f"This program should run in {level_name(wanted)}, but this machine has {none}. It runs in"
        f" {level_name(best.name)} at {strength} strength instead."
    )


def _too_weak_sentence(risk: Risk) -> str:
    return (
        f"A program of {risk} risk cannot run in a sandbox of reduced strength, and this machine has no stronger one."
    )


def imported_packages(reading: Reading, settings: Settings) -> tuple[str, ...]:
    """Return the modules of `run.packages` that the program imports, in any form of import."""
    if not settings.run_packages or reading.language != PYTHON:
        return ()
    tops = {place.split(".")[0].split("/")[0] for place, _ in packages(settings.run_packages, "").mounts}
    return tuple(sorted(reading.modules & tops))


NAMES = {PYTHON: "Python", deno_backend.LANGUAGE: "TypeScript"}


def check_language(language: str, state: str = "") -> None:
    """Refuse an unknown language, one that no sandbox here can run, or a REPL session in a language without one."""
    if language not in NAMES:
        raise WorkbenchError(f"There is no language {language!r:.60}.", f"Use {' or '.join(NAMES)}.")
    if language == PYTHON:
        return
    if not deno_backend.runtime():
        raise WorkbenchError(deno_backend.MISSING, deno_backend.HINT)
    if state:
        raise WorkbenchError(f"Only programs in {NAMES[PYTHON]} can use a REPL session.", "Leave out session_id.")
