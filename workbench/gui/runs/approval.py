"""Why an open question about a program does not need an answer any more."""

from __future__ import annotations

import time

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QSplitter, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, RunChanged
from workbench.gui.kit.faults import FaultCard, LaterDialog
from workbench.gui.kit.text import one_line
from workbench.gui.results.token_chips import TokenChips
from workbench.gui.runs.approval_parts import ONCE, ApprovalFoot, ApprovalHead, HostTicks, LikenessStrip
from workbench.gui.runs.effects_view import EffectsView
from workbench.gui.runs.program_view import EditCheck, ProgramView, is_cleanable, needs_sight
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, whole_size
from workbench.gui.shell.navigation import StartDryRun
from workbench.records import Decision, Fault, Gate, Risk, Run, RunState, Verdict


def ending(run: Run) -> Fault:
    """How a run ended that was not decided here."""
    decision = run.decision
    by = f" by {one_line(decision.by, 60)}" if decision is not None and decision.by else ""
    if decision is not None and decision.allow:
        return Fault(f"This was allowed elsewhere{by}.")
    if run.state is RunState.REFUSED and decision is not None:
        return Fault(f"This was denied elsewhere{by}.", decision.reason)
    if run.state is RunState.REFUSED:
        return Fault("Time ran out: the program was refused.")
    if run.state in (RunState.STOPPED, RunState.INTERRUPTED):
        return Fault("This run was stopped; nobody has to decide any more.")
    return Fault("This run does not wait any more.")


_LEAST_LETTERS = 96  # narrower than this, effects stand above the code
_CODE_LINES = 10  # that the code has at least
_EFFECT_LINES = 5  # of effects, where they stand above it


class ReviewSplit(QSplitter):
    """A person may move the border; from then on it stays where they put it."""

    def __init__(self, effects: EffectsView, program: ProgramView, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._effects, self._program = effects, program
        self._moved = False
        self.setChildrenCollapsible(False)
        self.addWidget(effects)
        self.addWidget(program)
        self.setSizes([420, 620])
        self.splitterMoved.connect(self._keep)

    def sizeHint(self) -> QSize:
        """Around it scrolls what does not fit, so it asks for no more than it must have and is given the rest."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        code = self._program.height_of(_CODE_LINES)
        self._program.setMinimumHeight(code)
        lines = 0 if wide else self.fontMetrics().lineSpacing() * _EFFECT_LINES
        self._effects.setMinimumHeight(lines)
        self.setMinimumHeight(code + lines + self.handleWidth())
        direction = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self.orientation() is not direction:
            self.setOrientation(direction)
            self._moved = False
            if wide:
                self.setSizes([420, 620])
        super().resizeEvent(event)
        if not wide and not self._moved:
            self._share(code)

    def _share(self, code: int) -> None:
        """The effects get what they need, out of what ten lines of code leave."""
        left = self.height() - self.handleWidth()
        effects = min(self._effects.wanted_height(), max(0, left - code))
        self.setSizes([effects, left - effects])

    def _keep(self) -> None:
        self._moved = True


class ApprovalDialog(LaterDialog):
    """One run, one decision."""

    decided = Signal(object)
    """Carries the Decision that the core took."""

    def __init__(self, context: Context, run: Run, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._run = run
        self._sending = False
        self._missed: Run | None = None  # told while an answer was on its way
        self._whole = not whole_size([run.proposal.code])
        self._began = time.monotonic()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Allow this program?")
        self._head = ApprovalHead(context.theme)
        self._effects = EffectsView(context.theme)
        self._likeness = LikenessStrip(context.theme)
        self._alike: dict[str, Run] = {}  # further requests that are the same question
        original = run.proposal.original or run.proposal.code
        self._program = ProgramView(context.theme, original, language=run.proposal.language)
        self._chips = TokenChips(self._program.reader, context, run.proposal.session)
        self._edits = EditCheck(context, self._program.edited_text, self)
        self._hosts = HostTicks(context.theme)
        self._foot = ApprovalFoot(context.theme)
        self._fault = FaultCard(context.theme)
        self._build()
        self._clock = QTimer(self, interval=500)
        self._clock.timeout.connect(self._tick)
        self._clock.start()
        self._show_run(run)
        context.tasks.run("look for identical requests", context.api.runs(), self._find_alike)
        if not self._whole:
            context.tasks.run("read the whole program", self._read_whole(run))

    @property
    def run(self) -> Run:
        return self._run

    def hear(self, event: Event) -> None:
        """The run may be decided elsewhere, time out, or get another text."""
        if not isinstance(event, RunChanged) or self._over:
            return
        if event.run.id != self._run.id:
            self._compare_question(event.run)
            return
        if self._sending:
            self._missed = event.run  # most likely the echo of what is being sent
        else:
            self._take(event.run)

    def _take(self, run: Run) -> None:
        if run.state is not RunState.WAITING:
            self._end(ending(run))
        elif run.proposal.sha != self._run.proposal.sha:
            self._show_run(run)
            words = "The text was changed elsewhere; this is the new one."
            self._fault.show_fault(Fault(words), tone="warning")

    def _find_alike(self, runs: tuple[Run, ...]) -> None:
        for run in runs:
            self._compare_question(run)

    def _compare_question(self, run: Run) -> None:
        """The same question asked once more is answered along with this one."""
        mine = self._run
        same = bool(mine.fingerprint) and (mine.fingerprint, mine.proposal.session) == (
            run.fingerprint,
            run.proposal.session,
        )
        if same and run.id != mine.id and run.state is RunState.WAITING:
            self._alike[run.id] = run
        else:
            self._alike.pop(run.id, None)
        if not self._program.editing:
            self._foot.show_alike(len(self._alike))

    def core_lost(self) -> None:
        """The core is gone, and with it the question."""
        self._end(Fault("The core is gone, so this program will not run.", "Nothing was let through."))

    def deny(self, reason: str = "") -> None:
        self._decide(allow=False, reason=reason)

    def allow(self) -> None:
        """Only where nothing stands against it; the core checks the sha once more."""
        if not self._obstacle() and self._foot.allow.settled():
            self._decide(allow=True)

    def reject(self) -> None:
        """Escape takes one step back: it leaves the editor where nothing was changed, and the line for a reason; else
        the dialog is put away, with what was typed."""
        unchanged = self._program.editing and self._program.edited_text() == self._run.proposal.code
        if not self._over and unchanged:
            self._leave_edit()
        elif not self._over and self._foot.giving_reason():
            self._foot.drop_reason()
        else:
            super().reject()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._began = time.monotonic()
        self._foot.unsettle()
        self._foot.take_keyboard()
        QTimer.singleShot(0, self, self._program_to_worst)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._foot.unsettle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses Deny; not by a key that was still down when the dialog came, and not while reading code."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        focus = self.focusWidget()
        reading = focus is not None and self._program.isAncestorOf(focus)
        if enter and (event.isAutoRepeat() or not self._foot.allow.settled() or reading):
            event.accept()
            return
        super().keyPressEvent(event)

    # what is shown

    def _show_run(self, run: Run) -> None:
        self._run = run
        self._head.show_run(run)
        if run.verdict is not None:
            self._effects.show_verdict(run.verdict)
            self._hosts.show_hosts(run.verdict.hosts)
        self._likeness.show_likeness(run.like)
        self._program.show_program(run.proposal.code, run.verdict)
        self._foot.show_run(run)
        self._find_alike(tuple(self._alike.values()))
        self._tick()
        self._reconsider()

    def _obstacle(self) -> str:
        """Why this cannot be allowed now; "" when it can."""
        verdict = self._run.verdict
        if self._over or self._sending:
            return "This is decided."
        if not self._whole:
            return "The program is not here as a whole yet."
        if verdict is None or verdict.gate is Gate.BLOCKED:
            return "This program cannot run as it stands."
        if verdict.sha != self._run.proposal.sha:
            return "The text was not assessed yet."
        if self._program.editing:
            return "Have your changes checked first."
        if needs_sight(verdict.risk) and not self._program.worst_seen:
            return "Look at the marked line first."
        if verdict.risk is Risk.CRITICAL and not self._foot.typing.right():
            return "Type the name first."
        return ""

    def _reconsider(self) -> None:
        self._foot.allow.obstruct(self._obstacle())

    def _tick(self) -> None:
        if self._over:
            return
        left = self._run.deadline - time.time() if self._run.deadline else 0.0
        self._foot.show_time(self._run.deadline)
        if self._run.deadline and left <= 0:
            self._end(Fault("Time is up: the program was refused.", "Its author may ask again."))

    def _end(self, fault: Fault) -> None:
        """Nothing can be decided here any more, and why."""
        self._clock.stop()
        self._fault.show_fault(fault, tone="info")
        self._foot.show_over()
        self._hosts.hide()
        self._finish()
        self._reconsider()

    def _program_to_worst(self) -> None:
        if self._run.verdict is not None and not self._program.editing:
            self._program.show_program(self._run.proposal.code, self._run.verdict)
            self._reconsider()

    # what a person does

    def _decide(self, *, allow: bool, reason: str = "") -> None:
        if self._over or self._sending:
            return
        self._sending = True
        self._reconsider()
        looked = round(time.monotonic() - self._began, 2)
        sha = self._run.proposal.sha
        hosts = self._hosts.ticked() if allow else ()
        decision = Decision(self._run.id, sha, allow, "you", reason, time.time(), looked, hosts)
        scope = self._foot.scope.scope if allow else ONCE
        decision = replace(decision, scope=scope, fingerprint=self._run.fingerprint, also=tuple(self._alike))
        self._context.tasks.run("decide about a run", self._send(decision))

    async def _send(self, decision: Decision) -> None:
        try:
            await self._context.api.decide(decision)
        except WorkbenchError as fault:
            self._sent()
            if not self._over:
                self._fault.show_fault(Fault(fault.message, fault.hint))
            return
        self._over = True
        self.decided.emit(decision)
        self.done(QDialog.DialogCode.Accepted if decision.allow else QDialog.DialogCode.Rejected)

    def _sent(self) -> None:
        """The answer came; what was told meanwhile counts where it ended the question."""
        self._sending = False
        missed, self._missed = self._missed, None
        if missed is not None and missed.state is not RunState.WAITING:
            self._take(missed)
        self._reconsider()

    def _dry_run(self) -> None:
        self.show_dry_run(on=True)
        self._context.go(StartDryRun(self._run.id))

    def show_dry_run(self, *, on: bool, fault: Fault | None = None) -> None:
        """Show whether a dry run of this program is under way, or why none is possible."""
        self._foot.show_dry_run(on)
        self._fault.show_fault(fault)

    def _edit(self) -> None:
        self._program.edit()
        self._foot.show_editing(True)
        self._likeness.hide()
        self._edits.begin(self._run.id)
        self._reconsider()

    def _leave_edit(self) -> None:
        """Back to what waits; what was judged of the edit is not about that."""
        self._stop_editing()
        self._head.show_run(self._run)
        self._likeness.show_likeness(self._run.like)
        if self._run.verdict is not None:
            self._effects.show_verdict(self._run.verdict)
        self._reconsider()

    def _stop_editing(self) -> None:
        self._edits.end()
        self._program.leave_edit()
        self._foot.show_editing(False)
        self._fault.show_fault(None)
        self._foot.show_run(self._run)
        self._foot.take_keyboard()

    def _show_edit(self, verdict: Verdict) -> None:
        """What the text would do as it stands in the editor now; nothing is decided about it yet."""
        self._head.show_run(replace(self._run, verdict=verdict))
        self._effects.show_verdict(verdict)
        self._program.mark_edit(verdict)
        self._foot.show_cleanable(is_cleanable(verdict))

    def _take_clean(self, clean: str) -> None:
        self._program.take_clean(clean)
        words = "What could not be seen, or reads differently than it runs, was taken out."
        hint = "Check my changes shows the difference; Ctrl+Z brings the other text back."
        self._fault.show_fault(Fault(words, hint), tone="info")

    def _compare(self) -> None:
        if self._run.like is not None:
            self._program.compare(self._run.like.code)

    def _check_edit(self) -> None:
        code = self._program.edited_text()
        if code == self._run.proposal.code:
            self._leave_edit()
            return
        self._sending = True
        self._foot.allow.obstruct("Your changes are being checked.")
        self._context.tasks.run("check an edited program", self._send_edit(code))

    async def _send_edit(self, code: str) -> None:
        try:
            run = await self._context.api.edit(self._run.id, code)
        except WorkbenchError as fault:
            self._fault.show_fault(Fault(fault.message, fault.hint))
        else:
            self._stop_editing()
            self._show_run(run)
            self._missed = run
        self._foot.unsettle()
        self._sent()

    async def _read_whole(self, run: Run) -> None:
        """A long program arrives as a preview; nothing can be allowed before all of it is here."""
        code = (await fetch_whole(self._context.fetch, [run.proposal.code]))[0]
        if run.proposal.sha == self._run.proposal.sha:
            self._whole = True
            self._program.adopt(code)
            self._program.show_program(code, run.verdict)
            self._reconsider()

    def _build(self) -> None:
        unit = self._context.theme.unit
        self._split = ReviewSplit(self._effects, self._program)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addWidget(self._likeness)
        column.addWidget(self._split, 1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(middle)
        area.verticalScrollBar().valueChanged.connect(self._program.reader.seen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(area, 1)
        layout.addWidget(self._fault)
        layout.addWidget(self._hosts)
        layout.addWidget(self._foot)
        self.setMinimumSize(self.fontMetrics().averageCharWidth() * 62, self.fontMetrics().lineSpacing() * 18)
        self.resize(QSize(unit * 270, unit * 175).boundedTo(self.screen().availableSize()))
        self._connect()

    def _connect(self) -> None:
        for part in (self._effects, self._likeness):
            part.line_wanted.connect(self._program.go_to)
        self._likeness.compare_wanted.connect(self._compare)
        self._program.edited.connect(self._edits.stir)
        self._edits.judged.connect(self._show_edit)
        self._edits.cleaned.connect(self._take_clean)
        self._foot.clean_wanted.connect(self._edits.clean)
        self._program.seen.connect(self._reconsider)
        self._foot.allow.allowed.connect(self.allow)
        self._foot.denied.connect(self.deny)
        self._foot.edit_wanted.connect(self._edit)
        self._foot.dry_run_wanted.connect(self._dry_run)
        self._foot.check_wanted.connect(self._check_edit)
        self._foot.back_wanted.connect(self._leave_edit)
        self._foot.typing.typed.connect(self._reconsider)
        self._foot.close_wanted.connect(self.reject)
        self._foot.later_wanted.connect(self.put_away)
