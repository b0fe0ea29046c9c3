"""The calls of a run as a growing table."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt

from workbench.gui.runs.run_tables import calls_model
from workbench.records import CallTrace, Risk

CALL = CallTrace("1", "demo", "send_email", '{"to": "<EMAIL_1>"}', Risk.HIGH, "running")


def test_a_call_that_ends_changes_its_row(theme: Any, qtmodeltester: Any) -> None:
    model = calls_model(theme)
    model.add_or_replace(CALL)
    model.add_or_replace(replace(CALL, call_id="2"))
    model.add_or_replace(replace(CALL, state="failed", note="The outbox is full.", ms=12, bytes=2048))
    assert model.rowCount() == 2
    assert [model.data(model.index(0, column)) for column in range(4)] == [
        "demo.send_email",
        "The outbox is full.",
        "12 ms",
        "2.0 kB",
    ]
    assert model.data(model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole) == "Failed: demo.send_email"
    qtmodeltester.check(model, force_py=True)
