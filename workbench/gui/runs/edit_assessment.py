"""Assesses the text in the editor of a waiting program."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.errors import WorkbenchError
from workbench.gui.runs.decision_dialog import DecisionDialog
from workbench.gui.runs.program_view import ProgramView
from workbench.gui.shell.context import Context

_PAUSE_MS = 120  # after the last key, before an edited text is assessed; the core answers in a few milliseconds


class EditAssessment(QObject):
    """Assesses the edited text as it is typed, and cleans it on demand. An answer about an older text is dropped.
    Nothing is decided about the text."""

    assessed = Signal(object)
    """Carries the Verdict on the text that is in the editor now."""
    cleaned = Signal(str)
    """Carries the text without the characters that keep it from running."""

    def __init__(self, context: Context, run_id: str, program: ProgramView, page: DecisionDialog) -> None:
        super().__init__(page)
        self._context = context
        self._run_id = run_id
        self._program = program
        self._page = page
        self._under_way = False
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._assess)
        program.edited.connect(self.begin)

    def begin(self) -> None:
        """Assess the text once nothing more is typed."""
        self._pause.start()

    def clean(self) -> None:
        """Ask for the text without the characters that keep it from running."""
        self._context.tasks.run("clean a program", self._take_clean(self._program.edited_text()))

    def _assess(self) -> None:
        if self._under_way:
            self._pause.start()  # the current answer comes first
        elif self._program.editing and not self._page.is_over:
            self._under_way = True
            self._context.tasks.run("assess an edit", self._take_verdict(self._program.edited_text()))

    async def _take_verdict(self, text: str) -> None:
        try:
            verdict = await self._context.api.assess_edit(self._run_id, text)
        except WorkbenchError:
            return  # the run has ended; the page is told by its event
        finally:
            self._under_way = False
        if self._is_current(text):
            self._program.mark_edit(verdict)
            self.assessed.emit(verdict)

    async def _take_clean(self, text: str) -> None:
        clean = await self._context.api.clean_code(text)
        if self._is_current(text):
            self.cleaned.emit(clean)

    def _is_current(self, text: str) -> bool:
        return self._program.editing and not self._page.is_over and text == self._program.edited_text()
