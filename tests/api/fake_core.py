"""The real core process around rooms that only answer what the tests of wire, process and command line ask.

Run as `fake_core.py core [--detached] [--agent] --project DIR`, just as `python -m workbench` is.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from workbench import process
from workbench.api.in_memory import StandIn
from workbench.audit.audit_export import export
from workbench.audit.audit_search import AuditSearch
from workbench.audit.compliance_report import ReportContext, as_json, make_report
from workbench.audit.compliance_report_html import as_html
from workbench.audit.journal import Journal
from workbench.errors import WorkbenchError
from workbench.events import Bus, Noticed
from workbench.paths import Paths
from workbench.records import ChainReport, CoreStatus, Entry, EntryQuery, Fault, JsonValue, Note, Strength
from workbench.settings import Settings, read


class Rooms:
    """An audit, an echo for agents, and a few answers."""

    def __init__(self, paths: Paths, on_shut_down: Callable[[], None], *, agent_comes: bool = False) -> None:
        self.paths = paths
        self.bus = Bus()
        self.settings: Settings = read(paths.project_settings, paths.user_settings).settings
        self.methods = StandIn(self)
        self.busy = False
        self._on_shut_down = on_shut_down
        self._left: list[subprocess.Popen[bytes]] = []

    async def open(self) -> None:
        if (self.paths.project / "broken").exists():
            raise WorkbenchError("The rooms cannot open.", "Remove the file broken.")
        if (self.paths.project / "crash").exists():
            os.abort()
        self.journal = Journal(self.paths.audit, self.bus.tell)
        self.journal.append(Note("core.opened", "The core opened"))
        if (self.paths.project / "stuck").exists():
            asyncio.get_running_loop().run_in_executor(None, _never_end)
        if (self.paths.project / "busy").exists():
            process.END_SECONDS = 1.0
            (self.paths.project / "opening").touch()
            _never_end()
        if (self.paths.project / "waits").exists():
            (self.paths.project / "opening").touch()
            await asyncio.Event().wait()

    async def serve_hook(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers no hook program."""

    async def serve_agent(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            if line == b"die\n":
                os.kill(os.getpid(), 9)
            writer.write(line.upper())
            await writer.drain()

    async def close(self) -> None:
        self.journal.append(Note("core.closed", "The core closed"))
        self.journal.close()

    async def status(self) -> CoreStatus:
        return CoreStatus("0.1.0", os.getpid(), str(self.paths.project), 1.0, Strength("native", "full"))

    async def change_setting(self, name: str, value: JsonValue) -> Settings:
        self.bus.tell(Noticed(Fault(f"{name} is now {value}.")))
        return self.settings

    async def start_example_agent(self) -> None:
        """Something that daemonizes itself: a shell that leaves a sleeper behind."""
        self._left.append(subprocess.Popen(["sh", "-c", "sleep 600 & exec sleep 600"], start_new_session=True))  # noqa: ASYNC220

    async def shut_down(self) -> None:
        self._on_shut_down()

    async def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        return self.journal.entries(query)

    async def export_entries(self, query: EntryQuery, file: str, form: str) -> int:
        return export(AuditSearch(self.paths.audit, self.paths.audit_index), query, Path(file), form)

    async def audit_report(self, since: float, until: float, form: str) -> str:
        frame = ReportContext(self.paths.project, self.journal.verify())
        made = make_report(
            AuditSearch(self.paths.audit, self.paths.audit_index), since, until or time.time() + 1, frame
        )
        return as_html(made) if form == "html" else as_json(made)

    async def verify_audit(self) -> ChainReport:
        return await asyncio.to_thread(self.journal.verify)


def _never_end() -> None:
    while True:
        time.sleep(0.1)


if __name__ == "__main__":
    process.new_core = Rooms  # type: ignore[assignment]
    sys.exit(process.main(sys.argv[2:]))
