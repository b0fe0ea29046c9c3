"""The line above the output of a run: its state, facts about it, and what can be done with it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.kit.controls import RoomyButton
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.layouts import row
from workbench.gui.kit.lists import Strip, label
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import duration, language_word, level_word, risk_word, run_state_word
from workbench.gui.runs.program_view import is_cleanable
from workbench.gui.runs.run_rows import can_keep, can_run_again
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.shell.navigation import HELD, ShowChanges, ShowCode
from workbench.records import Gate, Run, RunState
from workbench.records.runs import ENDS


def has_plan(run: Run) -> bool:
    """Whether a dry run has a plan. It is lost with its core; runs of earlier cores have no approval fingerprint."""
    return run.proposal.dry_run and bool(run.fingerprint) and run.state in (RunState.DONE, RunState.FAILED)


def can_record(run: Run) -> bool:
    return not run.proposal.dry_run and run.state is RunState.DONE and bool(run.calls)


def trifecta_badge(meaning: str) -> QLabel:
    badge = label("Lethal trifecta", "badge")
    badge.setToolTip(meaning)
    badge.setAccessibleDescription(meaning)
    mark(badge, tone="critical")
    return badge


_TRIFECTA = frozenset({"private", "untrusted", "sends"})


class RunHead(Strip):
    """The state of one run, facts about it, and what can be done with it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._theme = theme
        self._picture = QLabel(self)
        self.state = ForeignLabel(role="heading")
        self.state.setWordWrap(False)
        self.facts = ForeignLabel(role="muted", elide=True)
        trifecta = "Its session read private data and text from outsiders, and used a tool that can send data out."
        self.trifecta = trifecta_badge(trifecta)
        self.trifecta.hide()
        self.stop = QPushButton(icon("stop", "danger"), "Stop")
        self.stop.setToolTip("Stop this run and its calls")
        self.again = self._button("play", "Run it now", "Run this program as your own")
        self.revive = self._button("undo", "Let it run after all", "Put this program back; you decide about it again")
        self.plan = self._button("list", "Plan…", "Show what the dry run held back, and choose what may happen")
        self.record = self._button("history", "Record…", "Test a skill with the calls and answers of this run")
        self.keep = QPushButton(icon("bookmark", "muted"), "Keep as skill…")
        self.keep.setToolTip("Make a skill of this program that agents can use")
        buttons = (self.stop, self.revive, self.again, self.plan, self.record, self.keep)
        for widget in (self._picture, self.state, self.facts, self.trifecta, *buttons):
            self.row.addWidget(widget)
        self.row.setStretchFactor(self.facts, 1)
        for button in buttons:
            button.hide()

    def add(self, widget: QWidget) -> None:
        """Put something before the buttons."""
        self.row.insertWidget(self.row.indexOf(self.stop), widget)

    def show_run(self, run: Run) -> None:
        word = run_state_word(run)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 4, self.devicePixelRatioF()))
        self.state.setText(word.text)
        self.facts.setText(" · ".join(_facts(run)))
        self.trifecta.setVisible(frozenset(run.read) >= _TRIFECTA)
        self.stop.setVisible(run.state not in ENDS)
        self.stop.setEnabled(not run.stopping)
        did_not_finish = run.state in (RunState.REFUSED, RunState.STOPPED, RunState.INTERRUPTED)
        self.revive.setVisible(run.can_be_revived)
        self.again.setVisible(did_not_finish and can_run_again(run) and not run.can_be_revived)
        self.plan.setVisible(has_plan(run))
        self.record.setVisible(can_record(run))
        self.keep.setVisible(can_keep(run))

    def _button(self, symbol: str, text: str, tip: str) -> QPushButton:
        button = RoomyButton(self._theme, icon(symbol, "muted"), text)
        button.setToolTip(tip)
        return button


def _facts(run: Run) -> list[str]:
    proposal = run.proposal
    weaker = ", weaker than its risk requires" if run.isolation else ""
    facts = (
        "looking for personal data" if run.preparing else "",
        "dry run" if proposal.dry_run else "",
        proposal.skill or proposal.purpose,
        f"by {proposal.author}" if proposal.author else "",
        language_word(proposal.language) if proposal.language != "python" else "",
        f"continues “{proposal.state}”" if proposal.state else "",
        duration(1000 * ((run.ended or time.time()) - run.started)) if run.started else "",
        f"{run.memory_mb:,.0f} MB" if run.memory_mb else "",
        f"in {level_word(run.level)} ({run.backend}){weaker}" if run.backend and run.started else "",
    )
    return [fact for fact in facts if fact]


class RunLinks(QWidget):
    """Buttons for what belongs to a run: your changes, its clean text, its files. Only those that apply are shown."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._run: Run | None = None
        self._changed_files: tuple[str, int] = ("", 0)  # a run, and how many files it changed so far
        self.changes = self._chip(
            "Your changes", self._show_changes, "Show how you changed the program before you allowed it"
        )
        self.clean = self._chip(
            "Clean and check again…",
            self._ask_clean,
            "Show the text without hidden characters, foreign encodings and unusual line endings",
        )
        self.files = self._chip("", self._show_files, "Show which files of the workspace it changed, and undo that")
        self.held = self._chip(
            "", self._show_held, "Show how it wants to change files that are not its own, and decide"
        )
        self._chips = (self.changes, self.clean, self.files, self.held)
        row(self, *self._chips, spacing=context.theme.unit)

    def show_run(self, run: Run) -> None:
        self._run = run
        original = run.proposal.original
        self.changes.setVisible(bool(original) and original != run.proposal.code)
        self.clean.setVisible(run.state is RunState.REFUSED and is_cleanable(run.verdict))
        counted = self._changed_files[1] if self._changed_files[0] == run.id else 0
        files = counted or sum(effect.kind in ("written", "deleted") and effect.times > 0 for effect in run.observed)
        self.files.setVisible(files > 0 and not run.proposal.dry_run)
        self.files.setText(f"Files it changed · {files:,}")
        self.held.setVisible(bool(run.held))
        self.held.setText(f"Files wait for you · {len(run.held):,}")
        self.setVisible(not all(chip.isHidden() for chip in self._chips))

    def note_files(self, run_id: str, count: int) -> None:
        """The core reports changed files before the run ends."""
        self._changed_files = (run_id, count)
        if self._run is not None and self._run.id == run_id:
            self.show_run(self._run)

    def _chip(self, text: str, act: Callable[[], None], tip: str) -> QPushButton:
        chip = QPushButton(text, self)
        chip.setToolTip(tip)
        chip.clicked.connect(act)
        mark(chip, kind="chip")
        chip.hide()
        return chip

    def _show_files(self) -> None:
        if self._run is not None:
            self._context.go(ShowChanges(self._run.id))

    def _show_held(self) -> None:
        if self._run is not None:
            self._context.go(ShowChanges(HELD + self._run.id))

    def _show_changes(self) -> None:
        if self._run is not None:
            self._context.tasks.run("show the changes of a program", self._compare(self._run))

    async def _compare(self, run: Run) -> None:
        original, code = await fetch_whole(self._context.fetch, [run.proposal.original, run.proposal.code])
        title = "How you changed the program before you allowed it"
        self._open(title, f"− {run.proposal.author}   + you", original, code)

    def _ask_clean(self) -> None:
        if self._run is not None:
            self._context.tasks.run("clean a program", self._show_clean(self._run))

    async def _show_clean(self, run: Run) -> None:
        """Show the clean text together with its assessment."""
        (code,) = await fetch_whole(self._context.fetch, [run.proposal.code])
        clean = await self._context.api.clean_code(code)
        verdict = await self._context.api.assess(clean)
        risk = "Still cannot run" if verdict.gate is Gate.BLOCKED else risk_word(verdict.risk).text
        dialog = self._open(f"{risk}: {verdict.sentence}", "− as submitted   + clean", code, clean)
        opened = partial(self._context.go, ShowCode(clean, purpose="clean"))
        dialog.offer("Open the clean text in the editor").connect(lambda: opened())

    def _open(self, sentence: str, signs: str, before: str, after: str) -> DifferenceDialog:
        title = "Two versions of a program"
        dialog = DifferenceDialog(self._context, sentence, before, after, self.window(), signs, title=title)
        dialog.open()
        return dialog
