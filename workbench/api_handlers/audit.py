"""API methods about the audit: entries, export, figures, reports, verification."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.audit.audit_export import export
from workbench.audit.audit_statistics import figures
from workbench.audit.chain_verification import verify_in_processes
from workbench.audit.compliance_report import ReportContext, as_csv, as_json, make_report
from workbench.audit.compliance_report_html import as_html
from workbench.errors import WorkbenchError
from workbench.events import AuditVerifying
from workbench.records import ChainReport, Entry, EntryMarks, EntryPage, EntryQuery, Figures

_FORMS = {"html": as_html, "json": as_json, "csv": as_csv}


class AuditHandler(RequestHandler):
    """Entries, figures, reports and verification of the audit."""

    @api
    async def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        self._services.journal.settle_quietly()
        return await asyncio.to_thread(self._services.audit_search.entries, query)

    @api
    async def entry_page(self, query: EntryQuery) -> EntryPage:
        self._services.journal.settle_quietly()
        return await asyncio.to_thread(self._services.audit_search.page, query)

    @api
    async def entry_marks(self, query: EntryQuery) -> EntryMarks:
        gone = threading.Event()  # set when the list no longer needs these entries
        try:
            return await asyncio.to_thread(self._services.audit_search.marks, query, gone.is_set)
        finally:
            gone.set()

    @api
    async def export_entries(self, query: EntryQuery, file: str, form: str) -> int:
        self._services.journal.settle_quietly()
        gone = threading.Event()
        try:
            count = await asyncio.to_thread(export, self._services.audit_search, query, Path(file), form, gone.is_set)
        finally:
            gone.set()
        self._note("audit.exported", f"You exported audit entries: {count}")
        return count

    @api
    async def audit_figures(self, since: float, until: float) -> Figures:
        self._services.journal.settle_quietly()
        cents = self._services.settings().tokens_cents_per_million
        return await asyncio.to_thread(figures, self._services.audit_search, since, until or time.time() + 1, cents)

    @api
    async def audit_report(self, since: float, until: float, form: str) -> str:
        if form not in _FORMS:
            raise WorkbenchError(f"The report cannot be made as {form!r}.", f"Choose one of {', '.join(_FORMS)}.")
        chain = await self.verify_audit()
        rules = self._services.rules.view(self._catalog.tools())
        labels = {rule.id: rule.label or rule.id for rule in rules.rules}
        void = tuple(f"{labels.get(rule, rule)}: {why}" for rule, why in rules.void.items())
        context = ReportContext(
            self._services.paths.project, chain, void, self._services.settings().tokens_cents_per_million
        )
        made = await asyncio.to_thread(
            make_report, self._services.audit_search, since, until or time.time() + 1, context
        )
        self._note("audit.reported", f"You created an audit report as {form}")
        return await asyncio.to_thread(_FORMS[form], made)

    @api
    async def verify_audit(self) -> ChainReport:
        self._services.journal.settle_quietly()
        tell = self._services.tell
        return await verify_in_processes(
            self._services.paths.audit, lambda done, number: tell(AuditVerifying(done, number))
        )
