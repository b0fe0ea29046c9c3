"""Fixtures of the tests about decisions and runs."""

from __future__ import annotations

from typing import Any

import pytest
from shiboken6 import isValid

from workbench.gui.runs.approval_page import ApprovalPage
from workbench.records import Run


@pytest.fixture
def ask(context: Any, qtbot: Any) -> Any:
    """Shows the dialog for a run; `settled` waits until Allow may be pressed."""
    made: list[ApprovalPage] = []

    def show(run: Run, *, settled: bool = True) -> ApprovalPage:
        dialog = ApprovalPage(context, run)
        made.append(dialog)
        dialog.resize(900, 600)
        dialog.open()
        if settled:
            qtbot.waitUntil(dialog.allow_button.settled)
        return dialog

    yield show
    for dialog in made:
        if isValid(dialog):
            dialog.done(0)
            dialog.deleteLater()
