"""The line above a run: its state, what it was for, how long it took, and what can be done with it."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from workbench.gui.icons import icon, pixmap
from workbench.gui.roomy_button import RoomyButton
from workbench.gui.run_actions import KEEPABLE, RECORDABLE, RUN_OFFERS
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.gui.views import Strip, label
from workbench.gui.words import duration, language_word, level_word, run_state_word
from workbench.records import Run, RunState

_OPEN = (RunState.PROPOSED, RunState.CHECKED, RunState.WAITING, RunState.RUNNING)
_TRIFECTA = frozenset({"private", "untrusted", "sends"})


class RunHead(Strip):
    """Shows one run; told again after each step."""

    stop_wanted = Signal()
    keep_wanted = Signal()
    plan_wanted = Signal()
    record_wanted = Signal()
    offered = Signal(object)
    """Carries those of RUN_OFFERS that hold for the run that is shown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._theme = theme
        self._picture = QLabel(self)
        self._state = ForeignLabel()
        self._state.setWordWrap(False)
        mark(self._state, role="heading")
        self._words = ForeignLabel(elide=True)
        mark(self._words, role="muted")
        self._trifecta = label("Trifecta", "badge")
        words = "Its session read private data and text that outsiders can write, and used a tool that can send"
        self._trifecta.setToolTip(words)
        self._trifecta.setAccessibleDescription(words)
        mark(self._trifecta, tone="critical")
        self._trifecta.hide()
        self._stop = QPushButton(icon("stop", "danger"), "Stop", self)
        self._stop.setToolTip("End this run and the calls it waits for")
        self._stop.clicked.connect(self.stop_wanted)
        self._keep = QPushButton(icon("bookmark", "muted"), "Keep as skill…", self)
        self._keep.setToolTip("Make a skill of this program, for agents to use again")
        self._keep.clicked.connect(self.keep_wanted)
        self._plan = RoomyButton(theme, icon("list", "muted"), "Plan…", self)
        self._plan.setToolTip("What the dry run held back. Choose what may really happen.")
        self._plan.clicked.connect(self.plan_wanted)
        self.row.addWidget(self._picture)
        self.row.addWidget(self._state)
        self.row.addSpacing(theme.unit)
        self.row.addWidget(self._words, 1)
        self.row.addWidget(self._trifecta)
        self.row.addWidget(self._stop)
        self.row.addWidget(self._plan)
        self._record = RoomyButton(theme, icon("history", "muted"), "Record…", self)
        self._record.setToolTip("Test a skill against what this run asked and was told")
        self._record.clicked.connect(self.record_wanted)
        self.row.addWidget(self._record)
        self.row.addWidget(self._keep)

    def add(self, widget: QWidget) -> None:
        """Put something before the buttons."""
        self.row.insertWidget(self.row.indexOf(self._stop), widget)

    def show_run(self, run: Run) -> None:
        word = run_state_word(run)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._theme.unit * 4, self.devicePixelRatioF()))
        self._state.setText(word.text)
        self._words.setText(" · ".join(_facts(run)))
        self._trifecta.setVisible(frozenset(run.read) >= _TRIFECTA)
        self._stop.setVisible(run.state in _OPEN)
        self._stop.setEnabled(not run.stopping)
        real = not run.proposal.dry_run
        # A plan is lost when its core ends; runs of earlier cores have no approval fingerprint.
        self._plan.setVisible(not real and bool(run.fingerprint) and run.state in (RunState.DONE, RunState.FAILED))
        self._record.setVisible(real and run.state is RunState.DONE and bool(run.calls))
        self._keep.setVisible(real and run.state is RunState.DONE and run.proposal.language == "python")
        can = {KEEPABLE: not self._keep.isHidden(), RECORDABLE: not self._record.isHidden()}
        self.offered.emit(frozenset(offer for offer in RUN_OFFERS if can[offer]))


def _facts(run: Run) -> list[str]:
    name = run.proposal.skill or run.proposal.purpose
    facts = [name, f"by {run.proposal.author}" if run.proposal.author else ""]
    if run.proposal.dry_run:
        facts.insert(0, "dry_run")
    if run.proposal.language != "python":
        facts.append(language_word(run.proposal.language))
    if run.proposal.state:
        facts.append(f"goes on in “{run.proposal.state}”")
    if run.preparing:
        facts.insert(0, "looking for personal data")
    if run.started:
        facts.append(duration(1000 * ((run.ended or time.time()) - run.started)))
    if run.memory_mb:
        facts.append(f"{run.memory_mb:.0f} MB")
    if run.backend and run.started:
        less = ", less than its risk requires" if run.isolation else ""
        facts.append(f"in {level_word(run.level)} ({run.backend}){less}")
    return [fact for fact in facts if fact]
