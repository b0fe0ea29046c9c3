"""The page on which the user allows or denies a program, with its effects, its code and what it resembles."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QWidget

from workbench.events import RunChanged
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import level_word, was_denied
from workbench.gui.results.token_chips import MarkMenu, TokenChips
from workbench.gui.runs.approval_parts import ApprovalHead, HostTicks, LikenessStrip, OfferButton, TrustStrip
from workbench.gui.runs.decision_dialog import DecisionDialog, NameToType, is_high, scrolled
from workbench.gui.runs.edit_assessment import EditAssessment
from workbench.gui.runs.effects_view import EffectsView
from workbench.gui.runs.program_view import ProgramView, is_cleanable
from workbench.gui.runs.review_split import ReviewSplit
from workbench.gui.runs.run_endings import how_it_ended, was_released
from workbench.gui.runs.run_rows import run_sentence
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, whole_size
from workbench.gui.shell.navigation import DecideTrust, DoAction, FollowRun, ShowRun, StartDryRun
from workbench.records import Decision, Fault, Gate, Run, RunState, Span, Verdict
from workbench.records.common_types import count_of


class ApprovalPage(DecisionDialog):
    """The answer names the exact text by its hash; the core checks it again. The user can edit the program first."""

    lost = Fault("The connection to the core was lost, so this program will not run.", "Nothing was allowed.")

    def __init__(
        self,
        context: Context,
        run: Run,
        parent: QWidget | None = None,
        *,
        isolation_told: dict[tuple[str, str], str] | None = None,
    ) -> None:
        """`isolation_told`: which request of an agent session says first how its sandbox is weaker than wanted."""
        super().__init__(context, run.id, "Allow this program?", "the program", parent, modal=True)
        self.run = run
        self._isolation_told = {} if isolation_told is None else isolation_told
        self._code = ""  # all of it, once it is loaded
        self._complete = False
        self._conflict: Run | None = None  # as it was changed elsewhere while the user edits it here
        self.head = ApprovalHead(context.theme)
        self.effects = EffectsView(context.theme)
        self.likeness = LikenessStrip(context.theme)
        self.trust = TrustStrip(context.theme)
        self.trust_button = self.trust.button
        self.program = ProgramView(context.theme, run.proposal.language)
        self.token_chips = TokenChips(self.program.reader, context, run.proposal.session)
        MarkMenu(self.program.reader, context, self.token_chips)
        self.edits = EditAssessment(context, run.id, self.program, self)
        self.hosts = HostTicks(context.theme)
        self.typing = NameToType(context.theme, "The name to type before this can be allowed")
        self.rule = ForeignLabel(role="muted")
        self.facts = ForeignLabel(role="muted", elide=True)
        self.offers = OfferButton()
        self._make_buttons()
        self._lay_out()
        self._connect()
        self._show_run(run)
        context.store.on(RunChanged, self._run_changed)
        context.store.clocks_changed.connect(self._clock_changed)

    # deciding

    def obstacle(self) -> str:
        verdict = self.run.verdict
        if decided := super().obstacle():
            return decided
        if not self._complete:
            return "The program is still being loaded."
        if verdict is None or verdict.gate is Gate.BLOCKED:
            return "This program cannot run."
        if verdict.sha != self.run.proposal.sha:
            return "This text has not been assessed yet."
        if self.program.editing:
            return "Check your changes first."
        if is_high(verdict.risk) and not self.program.worst_seen:
            return "Look at the marked line first."
        if not self.typing.is_right():
            return "Type the name first."
        return ""

    @property
    def is_risky(self) -> bool:
        verdict = self.run.verdict
        return verdict is None or is_high(verdict.risk)

    def summary(self) -> str:
        return run_sentence(self.run)

    def show_obstacle(self) -> str:
        """Show the worst line, or give the focus to the name that has to be typed."""
        if not self.program.editing:
            self.program.show_worst_line()
            self.update_allow()
        if not self.typing.is_right():
            self.typing.line.setFocus(Qt.FocusReason.OtherFocusReason)
        return self.obstacle()

    def allow(self) -> None:
        if self.can_allow():
            self._decide(allow=True)

    def deny(self, reason: str = "") -> None:
        self._decide(allow=False, reason=reason)

    def _decide(self, *, allow: bool, reason: str = "") -> None:
        run = self.run
        decision = Decision(
            run.id,
            run.proposal.sha,
            allow,
            "you",
            reason,
            time.time(),
            self.seconds_open(),
            self.hosts.ticked() if allow else (),
            offer=self.offers.offer if allow else "",
            fingerprint=run.fingerprint,
            also=self._identical(),
            undoable=not self.isWindow(),
        )
        accepted = partial(self._accepted, decision)
        self.submit("decide about a program", partial(self.context.api.decide, decision), accepted)

    def _accepted(self, decision: Decision, run: Run) -> None:
        self.undo_until = run.denied_until
        self.close_with(decision)
        if decision.allow:
            self.context.go(FollowRun(decision.run_id))

    def sending_failed(self) -> None:
        """The run may have changed while the answer was being sent."""
        self._take(self.context.store.runs.get(self.run.id, self.run))

    # what happens to the run

    def _run_changed(self, event: RunChanged) -> None:
        if self.is_over:
            return
        if event.run.id != self.run.id:
            self._show_facts()
        elif event.run.state is not RunState.WAITING or not self._sending:
            self._take(event.run)
            self.set_deadline(event.run.deadline, clock_left=event.run.clock_left)

    def _clock_changed(self) -> None:
        if (run := self.context.store.runs.get(self.run.id)) is not None:
            self.set_deadline(run.deadline, clock_left=run.clock_left)

    def _take(self, run: Run) -> None:
        if run.decision is not None and run.decision.plan:  # answered in the dialog of its plan
            self.accept()
        elif was_released(run) and not self._has_changes():
            self.parting = how_it_ended(run).message
            self.context.go(FollowRun(run.id))
            self.close_with(None)
        elif not run.awaits_answer:
            self.end(how_it_ended(run))
            if run.can_be_revived and was_denied(run):
                self.fault.add_button("Let it run after all", self._revive)
        elif run.proposal.sha != (self._conflict or self.run).proposal.sha:
            self._take_change(run)
        elif run.verdict != self.run.verdict and not self.program.editing:
            self._show_run(run)  # the user has decided about a server that it uses

    def _revive(self) -> None:
        """Put the program back; it waits again as a new run, which is shown."""
        request = self.context.api.revive(self.run.id)
        self.context.tasks.run("put a program back", request, lambda run: self.context.go(ShowRun(run.id)))

    def _take_change(self, run: Run) -> None:
        """The program was changed elsewhere. What the user has typed stays until the user decides about it."""
        if self.program.editing and self.program.edited_text() not in (self._code, run.proposal.code):
            self._conflict = run
            self.check_button.setEnabled(False)
            self.clean_button.hide()
            hint = "Your text is not lost. Choose which text to continue with."
            self.show_fault(Fault("The program was changed in another window while you edited it.", hint), "warning")
            self.fault.add_button("Use the other text", self._use_other_text)
            self.fault.add_button("Keep my text", self._keep_own_text)
        else:
            self._use_text(run)

    def _use_other_text(self) -> None:
        if self._conflict is not None:
            self._use_text(self._conflict)

    def _use_text(self, run: Run) -> None:
        self._show_new_text(run)
        self.show_fault(Fault("The program was changed elsewhere; this is the new text."), "warning")

    def _keep_own_text(self) -> None:
        """Continue to edit; “Check my changes” replaces the other text, and “Back” shows it."""
        if self._conflict is not None:
            self._show_run(self._conflict)
            self.show_fault(None)
            self._show_editing()
            self.take_focus()

    def _identical(self) -> tuple[str, ...]:
        """Other waiting runs with the same request, to which the answer applies too."""
        mine, runs = self.run, self.context.store.runs.values()
        request = (mine.fingerprint, mine.proposal.session)
        same = (run for run in runs if mine.fingerprint and request == (run.fingerprint, run.proposal.session))
        return tuple(run.id for run in same if run.id != mine.id and run.awaits_answer)

    def dry_run_ended(self, fault: Fault | None) -> None:
        self.dry_run_button.setEnabled(True)
        if self._conflict is None:
            self.show_fault(fault)
        self.take_focus()

    def _start_dry_run(self) -> None:
        self.dry_run_button.setEnabled(False)
        self.take_focus()
        self.show_fault(None)
        self.context.go(StartDryRun(self.run.id))

    # what is shown

    def take_focus(self) -> None:
        if self.program.editing:
            self.program.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            super().take_focus()

    def is_reading(self, focus: QWidget) -> bool:
        return focus is self.head.sentence or self.program.isAncestorOf(focus)

    def _go_to(self, place: Span) -> None:
        self.program.go_to(place.line, place.column)

    def _show_run(self, run: Run) -> None:
        self.run, self._conflict = run, None
        texts = [run.proposal.code, run.proposal.original or run.proposal.code]
        self._code, self._complete = run.proposal.code, not whole_size(texts)
        if not self._complete:
            self.context.tasks.run("read the complete program", self._read_complete(run, texts))
        verdict = run.verdict
        self._show_assessment(run)
        self.hosts.show_hosts(verdict.hosts if verdict is not None else ())
        self._show_history()
        self.program.show_program(run.proposal.code, run.proposal.original or run.proposal.code, verdict)
        self.offers.show_run(run)
        self._show_buttons(editing=False)
        self.typing.ask(verdict, "To allow this, type {0}")
        risky = verdict is not None and is_high(verdict.risk) and not verdict.waits_for_trust
        mark(self.allow_button, kind="danger" if risky else "primary")
        self._show_facts()
        self.set_deadline(run.deadline, clock_left=run.clock_left)
        self.restart_settling()
        self.update_allow()

    def _show_assessment(self, run: Run) -> None:
        """Show what the text of the run would do, which may be the text in the editor."""
        self.head.show_run(run)
        self._show_isolation(run)
        self.trust.show_run(run)
        if run.verdict is not None:
            self.effects.show_verdict(run.verdict)

    def _show_isolation(self, run: Run) -> None:
        """Said in full once in an agent session, then as a fact with a tooltip."""
        first = self._isolation_told.setdefault((run.proposal.session, run.isolation), run.id)
        self.head.isolation.show_sentence(run.isolation if first == run.id else "")

    def _show_history(self) -> None:
        sha, runs = self.run.proposal.sha, self.context.store.runs.values()
        decisions = (run.decision for run in runs if run.proposal.sha == sha and run.decision is not None)
        denied = [decision.at for decision in decisions if not decision.allow and decision.by_user]
        self.likeness.show_history(self.run.like, max(denied, default=0.0))

    def _show_facts(self) -> None:
        if self.program.editing:
            self.rule.hide()
            self.facts.setText("Your changes are assessed as you type. Ctrl+Enter checks them; nothing is decided yet.")
            return
        rule = self.offers.rule()
        self.rule.setText(f"Allow makes a rule: {rule}")
        self.rule.setVisible(bool(rule))
        others = len(self._identical())
        answers = f"Answers {count_of(others + 1, 'identical request')} · " if others else ""
        sandbox = f"in {level_word(self.run.level)} · " if self.run.isolation and self.run.level else ""
        self.facts.setText(f"{answers}{sandbox}SHA-256 {(self.run.fingerprint or self.run.proposal.sha)[:12]}")
        self.facts.setToolTip("\n".join(filter(None, (self.run.isolation, _fingerprint_tip(self.run)))))

    def _show_buttons(self, *, editing: bool) -> None:
        run = self.run
        for button in (self.edit_button, self.reason_button, self.allow_button, self.deny_button):
            button.setVisible(not editing)
        self.edit_button.setEnabled(self._complete)
        self.check_button.setEnabled(True)
        self.dry_run_button.setVisible(not editing and not run.proposal.state)
        self.offers.setVisible(not editing and bool(run.offers or run.offers_limit))
        for button in (self.check_button, self.back_button):
            button.setVisible(editing)
        self.clean_button.hide()
        self.hide_reason()

    def _name_allow(self) -> None:
        rule = self.offers.rule()
        self.allow_button.setText("Allow" if rule else "Allow once")
        self._show_facts()

    # editing

    def _edit(self) -> None:
        self.program.edit()
        self._show_editing()

    def _show_editing(self) -> None:
        self._show_buttons(editing=True)
        self._show_facts()
        self.likeness.hide()
        self.edits.begin()
        self.update_allow()

    def _leave_edit(self) -> None:
        """Show the waiting program again, and the verdict on it."""
        if self._conflict is not None:
            self._use_other_text()
            return
        self._stop_editing()
        self._show_assessment(self.run)
        self._show_history()
        self.update_allow()

    def _stop_editing(self) -> None:
        self.program.show_worst_line()
        self._show_buttons(editing=False)
        self._show_facts()
        self.show_fault(None)
        self.restart_settling()
        self.take_focus()

    def _show_edit_verdict(self, verdict: Verdict) -> None:
        """Show what the edited text would do."""
        self._show_assessment(replace(self.run, verdict=verdict))
        self.clean_button.setVisible(is_cleanable(verdict) and self._conflict is None)

    def _take_clean(self, text: str) -> None:
        if self._conflict is None:
            self.program.take_clean(text)
            removed = "Characters that cannot be seen or that mislead were removed."
            hint = "“Check my changes” shows the difference. Ctrl+Z restores the text."
            self.show_fault(Fault(removed, hint), "info")

    def _has_changes(self) -> bool:
        """Whether the editor has text that the core does not know."""
        return self.program.editing and self.program.edited_text() != self._code

    def _compare(self) -> None:
        if self.run.like is not None:
            self.program.compare(self.run.like.code)

    def _check_edit(self) -> None:
        code = self.program.edited_text()
        if code == self._code:
            self._leave_edit()
        else:
            edit = partial(self.context.api.edit, self.run.id, code, self.run.proposal.sha)
            self.submit("check an edited program", edit, self._show_new_text)

    def _check_by_key(self) -> None:
        """Ctrl+Enter: check the changes while the program is edited. At other times the key does nothing here."""
        if self.program.editing and not self.is_over:
            self.check_button.click()

    def _show_new_text(self, run: Run) -> None:
        self._stop_editing()
        self._show_run(run)

    async def _read_complete(self, run: Run, texts: Sequence[str]) -> None:
        """A long program arrives as a preview. Nothing can be allowed before all of it is loaded."""
        code, original = await fetch_whole(self.context.fetch, texts)
        if run.proposal.sha == self.run.proposal.sha:
            self._code, self._complete = code, True
            self.edit_button.setEnabled(True)
            self.program.show_program(code, original, run.verdict)
            self.update_allow()

    # what Qt calls, layout

    def reject(self) -> None:
        """Escape leaves an editor without changes first."""
        if not self.is_over and self.program.editing and not self._has_changes():
            self._leave_edit()
        else:
            super().reject()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._show_worst_line)

    def _show_worst_line(self) -> None:
        """The page has its size only now."""
        if not self.program.editing:
            self.program.show_worst_line()
            self.update_allow()

    def _make_buttons(self) -> None:
        self.edit_button = self.make_button("Edit", "pencil", self._edit, gives_way=True)
        dry_run_tip = "Run it with its side effects held back, then choose which of them may happen"
        self.dry_run_button = self.make_button(
            "Dry run first", "list", self._start_dry_run, dry_run_tip, gives_way=True
        )
        self.back_button = self.make_button("Back", "undo", self._leave_edit)
        clean_tip = "Remove hidden characters, foreign encodings and unusual line endings"
        self.clean_button = self.make_button("Clean and check again", "refresh", self.edits.clean, clean_tip)
        check_tip = "Assess the changed program; you decide about it afterwards (Ctrl+Enter)"
        self.check_button = self.make_button("Check my changes", "shield", self._check_edit, check_tip)
        self.check_button.setIcon(icon("shield", "on_accent"))
        mark(self.check_button, kind="primary")

    def _lay_out(self) -> None:
        self.split = ReviewSplit(self.effects, self.program)
        middle = QWidget()
        column(middle, self.head, self.trust, self.likeness, self.split, grows=self.split)
        area = scrolled(middle)
        area.verticalScrollBar().valueChanged.connect(self.program.reader.seen)
        foot = self.make_foot(
            (self.later_button, self.edit_button, self.dry_run_button),
            (
                self.deny_button,
                self.reason_button,
                self.clean_button,  # before the others, which stay in their places when it appears
                self.back_button,
                self.check_button,
                self.offers,
                self.allow_button,
            ),
            self.typing,
            self.reason_row,
            self.rule,
            row(None, self.facts, self.countdown, spacing=self.context.theme.unit * 3, grows=self.facts),
        )
        self.answer_widgets += [self.hosts, self.typing, self.rule]
        column(self, area, self.fault, self.hosts, foot, grows=area)
        self.set_size(270, 175)

    def _connect(self) -> None:
        self.trust.decision_wanted.connect(lambda server: self.context.go(DecideTrust(server)))
        for part in (self.effects, self.likeness):
            part.line_wanted.connect(self.program.go_to)
        self.head.place_wanted.connect(self._go_to)
        self.head.isolation.build_wanted.connect(lambda: self.context.go(DoAction("core.sandbox")))
        self.likeness.compare_wanted.connect(self._compare)
        self.edits.assessed.connect(self._show_edit_verdict)
        self.edits.cleaned.connect(self._take_clean)
        self.program.seen.connect(self.update_allow)
        self.typing.typed.connect(self.update_allow)
        self.offers.chosen.connect(self._name_allow)
        QShortcut(QKeySequence("Ctrl+Return"), self, self._check_by_key).setAutoRepeat(False)


def _fingerprint_tip(run: Run) -> str:
    """What the short hash covers."""
    covers = "Covers the text, its limits, and the servers and tool definitions that it uses. Checked again at start."
    return f"{covers}\n{run.fingerprint or run.proposal.sha}\ntext: {run.proposal.sha}"
