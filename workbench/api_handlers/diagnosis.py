"""API methods that diagnose a server that cannot be reached, or this machine and project."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import ServerChecked
from workbench.records import Check, CheckState, Fault, JsonObject, JsonValue, Level, Limits, ServerConfig
from workbench.sandbox.deno import deno_backend
from workbench.sandbox.program import Ending, Program, ToolFailure
from workbench.servers.configuration.launch_command import expand
from workbench.servers.doctor.command_check import launcher
from workbench.servers.doctor.diagnosis import Diagnosis

_TRIAL = "const one: number = 1;\none + 1"
_ROOM = 500 << 20  # bytes of free disk below which the user is warned
_RUNNERS = {"npx": "servers written for Node.js", "uvx": "servers written in Python", "docker": "servers in images"}


def _sandbox(services: Services) -> Check:
    strength = services.sandbox.strength
    if strength.level == "none":
        return Check("Sandbox", CheckState.BAD, f"Programs cannot run. {strength.reason}", strength.hint)
    marks = ", ".join(f"{name} {'✓' if there else '✗'}" for name, there in strength.features.items())
    words = f"Programs run in a sandbox ({strength.backend}, {strength.level}): {marks}. {strength.reason}".rstrip()
    fix = strength.hint or next(iter(strength.fixes.values()), "")
    return Check("Sandbox", CheckState.GOOD if strength.level == "full" else CheckState.DOUBT, words, fix)


def _level(level: Level) -> Check:
    """Check an isolation level. A missing one is not an error: the user is told when a program needs it."""
    name = {"container": "Containers", "vm": "Virtual machines"}[level.name]
    return Check(name, CheckState.GOOD if level.available else CheckState.SKIPPED, level.sentence, level.hint)


async def _typescript(services: Services) -> Check:
    """Check TypeScript by running it; a missing runtime is not an error."""
    if not deno_backend.runtime():
        return Check("TypeScript", CheckState.SKIPPED, deno_backend.MISSING, deno_backend.HINT)
    if deno_backend.LANGUAGE not in services.sandbox.levels()[0].languages:
        words = f"Deno {deno_backend.version()} is installed, but no sandbox that it can run in is available."
        return Check("TypeScript", CheckState.SKIPPED, words)
    try:
        ending = await _run_probe(services)
    except WorkbenchError as fault:
        return Check("TypeScript", CheckState.BAD, fault.message, fault.hint)
    if ending.result == "2":
        return Check("TypeScript", CheckState.GOOD, f"Deno {deno_backend.version()} runs programs in TypeScript.")
    return Check(
        "TypeScript", CheckState.BAD, f"Deno {deno_backend.version()} does not run: {ending.message}", deno_backend.HINT
    )


async def _run_probe(services: Services) -> Ending:
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-trial-") as folder:
        program = Program(_TRIAL, Limits(seconds=10.0), Path(folder), language=deno_backend.LANGUAGE)
        return await services.sandbox.run(program, _refuse_call, lambda stream, text: None)


async def _refuse_call(what: str, wish: JsonObject) -> JsonValue:
    raise ToolFailure("The trial program must not send requests.", "no_answer")


def _network(services: Services) -> Check:
    """Check the network rules. Open hosts are not an error; an unreadable rule is."""
    rules = services.network.rules()
    if rules.closed:
        words = f"Programs cannot reach any host. {rules.closed}"
        return Check("Network", CheckState.DOUBT, words, "Correct that file.")
    if not rules.open:
        return Check("Network", CheckState.GOOD, "Programs cannot reach any host unless you allow one for a run.")
    names = ", ".join(rule.domain for rule in rules.open[:5]) + (" …" if len(rules.open) > 5 else "")
    return Check("Network", CheckState.GOOD, f"Programs may reach these hosts: {names}.")


def _search(services: Services) -> Check:
    """Check search. A missing sentence model is not an error; an unusable one is."""
    words, source = services.catalog.finder.reading(), services.catalog.finder.source
    if source.trouble:
        return Check("Search", CheckState.BAD, f"{words} {source.trouble}")
    fix = "" if source.built() else "A sentence model finds more. Run: mcp-workbench search build"
    return Check("Search", CheckState.GOOD, words, fix)


def _secrets(services: Services) -> Check:
    """Check where secrets are stored; a keyring may block."""
    services.secrets.names()
    state = CheckState.GOOD if services.secrets.kind == "keyring" else CheckState.DOUBT
    return Check("Secrets", state, services.secrets.sentence, "" if state is CheckState.GOOD else services.secrets.hint)


def _disk(services: Services) -> Check:
    free = shutil.disk_usage(services.paths.project).free
    words = f"{free / (1 << 30):,.1f} GB are free on the disk of the project."
    if free < _ROOM:
        return Check("Disk", CheckState.DOUBT, words, "Free disk space: the audit and answers are written there.")
    return Check("Disk", CheckState.GOOD, words)


async def _audit(services: Services) -> Check:
    services.journal.settle_quietly()
    report = await asyncio.to_thread(services.journal.verify)
    if report.whole:
        return Check("Audit", CheckState.GOOD, f"All {report.entries:,} entries are unchanged.")
    fix = "Compare the entries before it with a backup of the file."
    return Check("Audit", CheckState.BAD, f"The hash chain is broken at entry {report.broken_at}.", fix, report.reason)


def _runner(name: str, what: str) -> Check:
    """Check a program that starts servers. A missing one is not an error, because the user may not need it."""
    if found := shutil.which(name):
        return Check(name, CheckState.GOOD, f"{found} starts {what}.")
    return Check(name, CheckState.SKIPPED, f"{name} is not installed; it starts {what}.")


class DiagnosisHandler(RequestHandler):
    """Diagnoses servers, and this machine with this project."""

    def __init__(
        self, services: Services, notices: Callable[[], Sequence[Fault]], notifications: Callable[[], Sequence[Check]]
    ) -> None:
        super().__init__(services)
        self._notices = notices
        self._notifications = notifications

    @api
    async def diagnose(self, server: str) -> tuple[Check, ...]:
        """Check why a server cannot be reached. Starts it only if the user has allowed it."""
        found = self._catalog.server(server)
        told: list[Check] = []

        def tell(check: Check) -> None:
            masked = self._masked(check)
            self._services.tell(ServerChecked(server, len(told), masked))
            told.append(masked)

        launch_of = launcher(self._services.paths.project, self._services.secrets.get_secret)
        await Diagnosis(found, launch_of, self._endpoint, tell).make()
        return tuple(told)

    @api
    async def diagnose_machine(self) -> tuple[Check, ...]:
        """Check whether this machine and this project have what the workbench needs, most important checks first."""
        services = self._services
        return (
            Check("Python", CheckState.GOOD, f"Python {platform.python_version()} on {platform.platform(terse=True)}."),
            _sandbox(services),
            *(_level(level) for level in (await services.sandbox.look_again())[1:]),
            await _typescript(services),
            _network(services),
            await asyncio.to_thread(_search, services),
            *(Check("Project", CheckState.DOUBT, one.message, one.hint, one.detail) for one in self._notices()),
            await asyncio.to_thread(_secrets, services),
            _disk(services),
            *self._notifications(),
            await _audit(services),
            *(_runner(name, what) for name, what in _RUNNERS.items()),
        )

    def _endpoint(self, config: ServerConfig) -> tuple[str, Mapping[str, str]]:
        """Return the address of a remote server and the headers sent to it; may block on a keyring."""
        secret = self._services.secrets.get_secret
        headers = {name: expand(value, os.environ, secret) for name, value in config.headers.items()}
        return expand(config.url, os.environ, secret), headers

    def _masked(self, check: Check) -> Check:
        """Mask secrets in a check, because a server may repeat what was sent to it."""
        mask = self._services.secrets.masks.mask
        return replace(check, sentence=mask(check.sentence), fix=mask(check.fix), detail=mask(check.detail))
