"""The strip that says what waits for the user: programs, changes of files, held calls and requests of servers."""

from __future__ import annotations

import math

from msgspec import Struct
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import label, tool_button
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import StateText, risk_word, time_left, verdict_word
from workbench.gui.runs.run_rows import held_files_sentence, run_sentence
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import HELD, Request, ShowAsk, ShowChanges, ShowHeldCall, ShowRun
from workbench.gui.shell.store import Store
from workbench.records import Ask, HeldCall, Origin, Run
from workbench.records.common_types import count_of

_NAME = 60  # characters of a server's or tool's name


class PendingRequest(Struct, frozen=True):
    """One thing that waits for the user, as the strip shows it."""

    id: str
    deadline: float  # infinity: there is no limit
    picture: StateText
    text: str
    button: str
    accessible_name: str  # of the button
    opens: Request
    risk: StateText | None = None
    clock_left: float = 0.0  # seconds left while its clock is stopped; 0: it runs


def pending_requests(store: Store) -> list[PendingRequest]:
    """Everything that waits, what ends first at the front."""
    found = [_of_run(run) for run in store.runs.values() if run.awaits_answer or run.held]
    found += map(_of_held_call, store.held_calls.values())
    found += map(_of_elicitation, store.elicitations.values())
    return sorted(found, key=lambda request: request.deadline)


def _of_run(run: Run) -> PendingRequest:
    if not run.awaits_answer:
        text, picture = held_files_sentence(run), StateText("", "file", "accent")
        opens = ShowChanges(HELD + run.id)
        return PendingRequest(HELD + run.id, math.inf, picture, text, "Review", "Review the changes of files", opens)
    own = run.proposal.origin is Origin.PERSON
    who = "Your program waits" if own else f"{one_line(run.proposal.author, _NAME)} asks to run a program"
    return PendingRequest(
        run.id,
        run.deadline or math.inf,
        StateText("", "hourglass", "accent"),
        f"{who}: {one_line(run_sentence(run), 200)}",
        "Review",
        "Review the waiting program",
        ShowRun(run.id),
        verdict_word(run.verdict) if run.verdict is not None else None,
        run.clock_left,
    )


def _of_held_call(held_call: HeldCall) -> PendingRequest:
    name = one_line(f"{held_call.server}.{held_call.tool}", 80)
    calls = f"{count_of(held_call.more + 1, 'call')} of {name} wait" if held_call.more else f"A call of {name} waits"
    why = one_line(held_call.why[0], 160) if held_call.why else ""
    if held_call.is_answer:
        calls = f"An answer to {one_line(held_call.author, 60)} waits until you have seen it"
    text = f"{calls}: {why}" if why else f"{calls}."
    if not held_call.run_id and held_call.sentence:  # of another client
        text = one_line(held_call.sentence, 200)
    return PendingRequest(
        held_call.id,
        held_call.deadline or math.inf,
        StateText("", "hourglass", "warning"),
        text,
        "Decide",
        "Decide about the waiting call",
        ShowHeldCall(held_call.id),
        risk_word(held_call.risk),
        held_call.clock_left,
    )


def _of_elicitation(ask: Ask) -> PendingRequest:
    title = elicitation_title(ask)
    return PendingRequest(
        ask.id,
        ask.deadline or math.inf,
        title,
        f"{title.text}. {elicitation_source(ask)}",
        "Answer",
        "Answer the server's request",
        ShowAsk(ask.id),
    )


def elicitation_title(ask: Ask) -> StateText:
    """What the server asks for, with its icon; never in the server's own text."""
    server = one_line(ask.server, _NAME)
    match ask.kind:
        case "url":
            return StateText(f"{server} asks you to visit a page", "globe", "accent")
        case "sampling":
            return StateText(f"{server} requests a completion (sampling)", "robot", "accent")
        case _:
            return StateText(f"{server} asks you to fill in a form", "message", "accent")


def elicitation_source(ask: Ask) -> str:
    """During which call the server asks, and who made the call."""
    tool = one_line(ask.tool, _NAME)
    if not tool:
        return "The server does not say for which call."
    if ask.run_id:
        return f"Needed by a call of {tool} in a program of {one_line(ask.by, _NAME)}."
    if ask.by == "you":
        return f"Needed by your call of {tool}."
    return f"Needed by a call of {tool} for {one_line(ask.by, _NAME)}."


class PendingStrip(Pane):
    """Shows the most urgent request and how many more there are. Hidden while nothing waits, or only what the user
    hid. It never takes the focus: the user may be typing."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._hidden_ids: frozenset[str] = frozenset()
        self._shown: PendingRequest | None = None
        self._banner = QFrame()
        self._picture = QLabel()
        self._text = ForeignLabel(elide=True)
        self._risk = label("", "badge")
        self._aside = label("", "muted")
        self.act = QPushButton()
        self.dismiss = tool_button("close", "Hide this message; what waits keeps waiting", context.theme)
        self.act.clicked.connect(self._open)
        self.dismiss.clicked.connect(self._hide_all)
        mark(self.act, kind="primary")
        self.act.setFocusPolicy(self.dismiss.focusPolicy())
        unit = context.theme.unit
        parts = (self._picture, self._text, self._risk, self._aside, self.act, self.dismiss)
        margins = (unit * 3, unit + 2, unit * 2, unit + 2)
        row(self._banner, *parts, margins=margins, spacing=unit * 2, grows=self._text)
        column(self, self._banner)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._draw)
        context.store.requests_changed.connect(self._draw)
        context.theme.changed.connect(self._draw)
        self._draw()

    def text(self) -> str:
        """What the strip says; empty while it is hidden."""
        return "" if self.isHidden() else self._text.full_text()

    def aside(self) -> str:
        """The time that is left, and how many more requests wait."""
        return self._aside.text()

    def current(self) -> PendingRequest | None:
        """The request that the strip shows."""
        return self._shown

    def _draw(self) -> None:
        waiting = pending_requests(self.context.store)
        self._hidden_ids &= frozenset(request.id for request in waiting)
        self._shown = next((request for request in waiting if request.id not in self._hidden_ids), None)
        self.setVisible(self._shown is not None)
        if self._shown is None:
            self._tick.stop()
            return
        self._show(self._shown, len(waiting) - 1)
        self._tick.start()

    def _show(self, request: PendingRequest, others: int) -> None:
        picture = request.picture
        mark(self._banner, kind="banner", tone=picture.tone)
        size = self.context.theme.unit * 4
        self._picture.setPixmap(pixmap(picture.icon, picture.tone, size, self.devicePixelRatioF()))
        self._text.setText(request.text)
        left = f"{time_left(request.deadline, request.clock_left)} left" if request.deadline < math.inf else ""
        more = f"{others:,} more" if others else ""
        self._aside.setText(" · ".join(part for part in (left, more) if part))
        self._risk.setVisible(request.risk is not None)
        if request.risk is not None:
            self._risk.setText(request.risk.text)
            mark(self._risk, tone=request.risk.tone)
        self.act.setText(request.button)
        self.act.setAccessibleName(request.accessible_name)

    def _open(self) -> None:
        if self._shown is not None:
            self.context.go(self._shown.opens)

    def _hide_all(self) -> None:
        """Hide everything that waits now, until something new comes."""
        self._hidden_ids = frozenset(request.id for request in pending_requests(self.context.store))
        self._draw()
