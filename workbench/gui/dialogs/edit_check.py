"""Judges a program while it is edited: a moment after the last key the verdict on what stands there now is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.records import Gate, Verdict

PAUSE_MS: Final = 120  # after the last key; the core answers in a few milliseconds


class EditCheck(QObject):
    """Asks about the newest text only; an answer about an older one is dropped."""

    judged = Signal(object)
    """Carries the Verdict on the text as it is now."""
    cleaned = Signal(str)

    def __init__(self, context: Context, text: Callable[[], str], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._text = text
        self._run_id = ""
        self._asking = False
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._ask)

    def begin(self, run_id: str) -> None:
        self._run_id = run_id
        self._pause.start()

    def end(self) -> None:
        self._run_id = ""
        self._pause.stop()

    def stir(self) -> None:
        """The text is another one."""
        if self._run_id:
            self._pause.start()

    def clean(self) -> None:
        """Ask for the text without what makes it unfit."""
        self._context.tasks.run("clean a program", self._clean(self._text()))

    def _ask(self) -> None:
        if self._asking:
            self._pause.start()  # the answer under way comes first
            return
        self._asking = True
        self._context.tasks.run("judge an edit", self._judge(self._run_id, self._text()))

    async def _judge(self, run_id: str, text: str) -> None:
        try:
            verdict = await self._context.api.assess_edit(run_id, text)
        except WorkbenchError:
            return  # the run is over; the dialog hears of that by itself
        finally:
            self._asking = False
        if run_id == self._run_id and text == self._text():
            self.judged.emit(verdict)

    async def _clean(self, text: str) -> None:
        clean = await self._context.api.clean_code(text)
        if text == self._text():
            self.cleaned.emit(clean)


def is_cleanable(verdict: Verdict | None) -> bool:
    """Whether it is blocked by its characters alone, which can be taken out."""
    blocked = verdict is not None and verdict.gate is Gate.BLOCKED
    rules = [finding.rule for finding in verdict.findings] if verdict is not None else []
    return blocked and bool(rules) and all(rule.startswith("text.") and rule != "text.size" for rule in rules)
