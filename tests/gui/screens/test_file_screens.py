"""Draws the pane Files, its page and the undo dialog into ./screenshots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from workbench.gui.files.file_tree import CHANGES, FILES
from workbench.gui.files.undo_dialog import UndoDialog
from workbench.gui.shell.navigation import ShowChanges, ShowFile

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"
CODE = "def total(rows):\n    # all\n    return sum(rows)\n"
TABLE = "id,name,amount\n" + "".join(f"{n},Order {n},{n * 12.5}\n" for n in range(1, 60))
REPORT = "# Orders\n\nThere are 59 orders, worth 22,125.00.\n\n* the largest is order 59\n* nothing is late\n"


def shoot(widget: Any, name: str) -> None:
    QTest.qWait(100)
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


@pytest.mark.parametrize(("colours", "width"), [("light", 1440), ("dark", 1440), ("light", 900)])
def test_files_can_be_looked_at(
    window: Any, fake_core: Any, settled: Any, qtbot: Any, colours: str, width: int
) -> None:
    window.context.theme.choose(colours)
    window.resize(width, 900)
    window.docks["files"].come()
    window.files.reload()
    settled()
    shoot(window, f"files-empty-{colours}-{width}")
    fake_core.put_files({
        "orders.csv": TABLE, "report.md": REPORT, "results/6f1d2a7c9b10.txt": "x" * 9_000, "data/deep/a.json": "{}",
        "data/customers.json": '{"customers": [{"id": 1, "name": "Ada", "open": true}], "total": 1}',
        ".git/hooks/pre-commit": "#!/bin/sh\n", "Makefile": "all:\n\techo\n", "total.py": CODE,
    })  # fmt: skip
    changed = REPORT.replace("59 orders, worth 22,125.00", "61 orders, worth 23,400.00") + "* two are new\n"
    fake_core.run_writes(
        "run-1", {"report.md": changed, "data/deep/a.json": None, "summary.txt": "ok\n", ".vscode/tasks.json": "{}"}
    )
    fake_core.run_writes("run-2", {"summary.txt": "later\n"}, "Add the last week")
    window.files.reload()
    settled()
    window.files.tree.expand(window.files.model.find("data"))
    settled()
    window.files.show_path("orders.csv")
    window.context.go(ShowFile("orders.csv"))
    settled()
    shoot(window, f"files-table-{colours}-{width}")
    window.context.go(ShowFile("total.py"))
    window.files.look(CHANGES)
    settled()
    window.files.changes.select("run-1")
    window.context.go(ShowChanges("run-1"))
    settled()
    page = window.centre.files.changes
    page.rows.select("report.md")
    settled()
    shoot(window, f"files-changes-{colours}-{width}")
    window.commands.do("files.undo")
    qtbot.waitUntil(lambda: window.findChild(UndoDialog) is not None)
    settled_dialog = window.findChild(UndoDialog)
    shoot(settled_dialog, f"files-undo-{colours}-{width}")
    settled_dialog.reject()
    window.files.look(FILES)
    settled()
