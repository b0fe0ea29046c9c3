"""Measures the window's audit pane with the audit that `audit.py` left in a folder.

    python benchmarks/audit.py 1000000 FOLDER

    python benchmarks/audit_window.py FOLDER

The window is real, drawn offscreen without a display, and connected to a real core process. "Gap" is the longest time
for which the event loop was blocked.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gui import Gaps, _until, _window
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QApplication, QTableView

from workbench.gui.app import make_loop
from workbench.gui.audit.audit_pane import AuditPane
from workbench.gui.audit.filters import Filter
from workbench.gui.main_window import MainWindow
from workbench.paths import OVERRIDE, paths_of

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
STEPS = 300  # steps of the scroll bar, from the newest entry to the oldest


async def main(application: QApplication, home: Path, made: Path) -> None:
    project = home / "project"
    paths = paths_of(project)
    noted = paths.audit.with_name(f"{paths.audit.name}.head")
    places = {"audit.sqlite": paths.audit, "audit.sqlite.head": noted, "index.sqlite": paths.audit_index}
    for source, target in places.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(made / source, target)
    async with _window(application, project, 1, 1) as window:
        await measure(window, Gaps())


async def measure(window: MainWindow, gaps: Gaps) -> None:
    window.docks["audit"].come()
    pane = window.audit
    await _until(lambda: pane.model.rowCount() > 10_000)
    await asyncio.sleep(3)  # the index adds the entries that the core wrote at its start
    total = pane.model.rowCount()
    took, gap = await _timed(pane, gaps, pane.reload)
    print(f"{total:,} entries: the pane's first page is painted after {took:.0f} ms, gap {gap:.0f} ms (goals: 300, 50)")
    for text in ("canonical", "needle77777", "sandbox program", "nowhere-at-all"):
        took, gap = await _timed(pane, gaps, lambda text=text: _search(pane, text))  # type: ignore[misc]
        print(f"filter by {text!r}: {took:.0f} ms, gap {gap:.0f} ms, {pane.model.rowCount():,} found (goals: 300, 50)")
    pane.finder.setText("")
    pane.add_filter(Filter("risk", "high"))
    await _until(lambda: pane.model.rowCount() > 10_000)
    print(f"then by risk: {pane.model.rowCount():,} rows counted")
    pane.chips.show_chips(())
    pane._filter()
    await _until(lambda: pane.model.rowCount() >= total)
    await _scroll(pane, gaps)
    gaps.reset()
    began = time.perf_counter()
    report = await window.context.api.verify_audit()
    rate = report.entries / (time.perf_counter() - began)
    print(f"verified from the window at {rate:,.0f} entries/s, gap {gaps.take():.0f} ms (goals: 200,000, 50)")


def _search(pane: AuditPane, text: str) -> None:
    pane.finder.setText(text)
    pane._filter()


async def _timed(pane: AuditPane, gaps: Gaps, deed: Callable[[], None]) -> tuple[float, float]:
    """Milliseconds until the core's first answer is painted, and the longest gap until then."""
    pane.model._pages.clear()
    gaps.reset()
    began = time.perf_counter()
    deed()
    model = pane.model
    await _until(lambda: 0 not in model._requests.values() and bool(model._pages or not model.rowCount()))
    pane.table.viewport().repaint()
    took = (time.perf_counter() - began) * 1000
    await asyncio.sleep(0.3)
    return took, gaps.take()


class _Plain(QAbstractTableModel):
    """A table of the same size with a constant text in each cell, to measure Qt's own time."""

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 1_000_000

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 9

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return "some words" if role == Qt.ItemDataRole.DisplayRole else None


async def _pull(table: QTableView) -> str:
    """Scroll from one end to the other. Returns the window's processor time per step in milliseconds."""
    bar, steps = table.verticalScrollBar(), []
    for step in range(STEPS + 1):
        spent = time.thread_time()
        bar.setValue(bar.maximum() * step // STEPS)
        await asyncio.sleep(0.01)
        steps.append((time.thread_time() - spent) * 1000)
    steps.sort()
    return f"{steps[STEPS // 2]:.0f} ms of a processor for a step, {steps[-1]:.0f} at most"


async def _scroll(pane: AuditPane, gaps: Gaps) -> None:
    plain = QTableView()
    plain.setModel(_Plain(plain))
    plain.resize(pane.table.size())
    plain.show()
    await asyncio.sleep(0.5)
    gaps.reset()
    work = await _pull(plain)
    print(f"floor, a plain table of Qt: gap {gaps.take():.0f} ms, {work}; {os.getloadavg()[0]:.1f} programs want one")
    plain.hide()
    plain.deleteLater()
    gaps.reset()
    work = await _pull(pane.table)
    bottom = pane.model.rowCount() - 1
    began = time.perf_counter()
    await _until(lambda: pane.model.index(bottom, 0).data() not in (None, "…"))
    late = (time.perf_counter() - began) * 1000
    print(f"scrolled through all in {STEPS} steps: gap {gaps.take():.0f} ms (goal: 50), {work}", end=", ")
    print(f"the last page {late:.0f} ms later, {pane.model.loaded_count:,} entries in memory")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        os.environ[OVERRIDE] = name
        application = QApplication([])
        loop = make_loop(application)
        with loop:
            loop.run_until_complete(main(application, Path(name), Path(sys.argv[1])))
