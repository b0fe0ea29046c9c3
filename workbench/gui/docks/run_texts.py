"""The other texts of a run: what a person changed of it, and what it would be without what kept it from running."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from workbench.gui.context import Context
from workbench.gui.dialogs.difference import DifferenceDialog
from workbench.gui.dialogs.edit_check import is_cleanable
from workbench.gui.models.changes import HELD
from workbench.gui.theme import mark
from workbench.gui.wishes import ShowChanges, ShowCode
from workbench.gui.words import risk_word
from workbench.records import Gate, Run, RunState


class RunTexts(QWidget):
    """Shows only what there is."""

    wished = Signal(object)
    """Carries a wish."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._run: Run | None = None
        self._clean_text = ""
        self.changes = self._chip("Your changes", self._show_changes)
        self.changes.setToolTip("Show what you changed of the author's text before you allowed it")
        self.clean = self._chip("Clean and check again…", self._ask_clean)
        self.clean.setToolTip("Show the text without hidden characters, foreign encodings and odd line ends")
        self.files = self._chip("Files it changed", self._show_files)
        self.files.setToolTip("Show the files of the workspace that it left different, and take that back")
        self.held = self._chip("Files that wait for you", self._show_held)
        self.held.setToolTip("Show what it wants to change in files that are not its own, and decide")
        self._wrote: tuple[str, int] = ("", 0)  # a run, and how many files it is known to have changed
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for chip in (self.changes, self.clean, self.files, self.held):
            row.addWidget(chip)

    def show_run(self, run: Run) -> None:
        self._run = run
        original = run.proposal.original
        self.changes.setVisible(bool(original) and original != run.proposal.code)
        self.clean.setVisible(run.state is RunState.REFUSED and is_cleanable(run.verdict))
        told = self._wrote[1] if self._wrote[0] == run.id else 0
        seen = sum(one.kind in ("written", "deleted") and one.times > 0 for one in run.observed)
        self.files.setVisible(bool(told or seen) and not run.proposal.dry_run)
        self.files.setText(f"Files it changed · {told or seen}")
        self.held.setVisible(bool(run.held))
        self.held.setText(f"Files that wait for you · {len(run.held)}")
        self.setVisible(not all(chip.isHidden() for chip in (self.changes, self.clean, self.files, self.held)))

    def note_files(self, run_id: str, count: int) -> None:
        """The core says so before the run ends."""
        self._wrote = (run_id, count)
        if self._run is not None and self._run.id == run_id:
            self.show_run(self._run)

    def _chip(self, words: str, act: object) -> QPushButton:
        chip = QPushButton(words, self)
        chip.clicked.connect(act)
        mark(chip, kind="chip")
        chip.hide()
        return chip

    def _show_files(self) -> None:
        if self._run is not None:
            self.wished.emit(ShowChanges(self._run.id))

    def _show_held(self) -> None:
        if self._run is not None:
            self.wished.emit(ShowChanges(HELD + self._run.id))

    def _show_changes(self) -> None:
        if self._run is not None:
            proposal = self._run.proposal
            words = "What you changed before it was allowed"
            self._open(words, f"− {proposal.author}   + you", proposal.original, proposal.code)

    def _ask_clean(self) -> None:
        if self._run is not None:
            self._context.tasks.run("clean a program", self._show_clean(self._run))

    async def _show_clean(self, run: Run) -> None:
        """The clean text is judged before it is offered."""
        clean = await self._context.api.clean_code(run.proposal.code)
        verdict = await self._context.api.assess(clean)
        self._clean_text = clean
        still = "It still cannot run"
        risk = still if verdict.gate is Gate.BLOCKED else risk_word(verdict.risk).text
        signs = "− as it was proposed   + clean"
        dialog = self._open(f"{risk}: {verdict.sentence}", signs, run.proposal.code, clean)
        dialog.offer("Open the clean text in the editor").connect(self._open_clean)

    def _open_clean(self) -> None:
        self.wished.emit(ShowCode(self._clean_text, purpose="clean"))

    def _open(self, words: str, signs: str, before: str, after: str) -> DifferenceDialog:
        dialog = DifferenceDialog(self._context, words, before, after, self.window(), signs=signs)
        dialog.setWindowTitle("Two texts of one program")
        dialog.open()
        return dialog
