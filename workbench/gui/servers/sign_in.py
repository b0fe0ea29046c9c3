"""The steps of a sign-in as rows, and the whole of one as text."""

from __future__ import annotations

import time
from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from workbench.events import Event, SignInChanged, SignInWanted
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import duration
from workbench.gui.servers.browser_card import BrowserCard
from workbench.gui.servers.page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.records import ServerState, SignIn, SignInStep


def step_rows(steps: Iterable[SignInStep]) -> list[Row]:
    return [_row(str(place), step) for place, step in enumerate(steps)]


def step_text(step: SignInStep) -> str:
    """What was asked and what came back."""
    asked = " ".join(part for part in (step.method, step.url) if part)
    answered = f"HTTP {step.status}" if step.status else ""
    parts = (step.sentence, asked, step.sent, answered, step.received)
    return visible("\n\n".join(part for part in parts if part))


def _row(key: str, step: SignInStep) -> Row:
    aside = " · ".join(part for part in (str(step.status or ""), duration(step.ms) if step.ms else "") if part)
    return Row(
        key=key,
        title=step.title,
        detail=one_line(step.sentence, 200),
        aside=aside,
        icon="check" if step.ok else "alert",
        tone="success" if step.ok else "warning",
        tip=one_line(step.url, 300),
    )


_UNDER_WAY = ("asking", "waiting")


class SignInPage(ServerPage):
    """It reads the report anew whenever something changed; the steps are few."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self.report = SignIn(state.config.name)
        self._words = label("", "muted")
        self.begin = QPushButton("Sign in…")
        self.cancel = QPushButton("Cancel")
        self.leave = QPushButton("Sign out")
        self.browser = BrowserCard(context)
        self._fault = FaultCard(context.theme)
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "OAuth, step by step")
        self.list.setModel(self.model)
        self.detail = PlainEdit()
        self._steps = QSplitter(Qt.Orientation.Horizontal)
        self._empty = EmptyState(context.theme, "key", "", "")
        self._stack = QStackedWidget()
        self._lay_out()
        self._bind()
        self.show_report(self.report)

    def look(self, *, seen: bool) -> None:
        if seen:
            self.refresh()

    def refresh(self) -> None:
        if self.state.config.remote:
            api = self.context.api
            self.context.tasks.run("how signing in went", api.sign_in_report(self.server), self.show_report)

    def hear(self, event: Event) -> None:
        if isinstance(event, SignInChanged) and event.server == self.server:
            self.refresh()
        elif isinstance(event, SignInWanted) and event.server == self.server:
            self.browser.show_page(event.url, event.host)

    def show_state(self, state: ServerState) -> None:
        changed = state.sign_in != self.state.sign_in
        super().show_state(state)
        self.show_report(self.report)
        if changed:
            self.refresh()

    def show_report(self, report: SignIn) -> None:
        failed = report.state == "failed" != self.report.state
        self.report = report
        under_way = report.state in _UNDER_WAY
        self.begin.setVisible(self.state.config.remote and not under_way)
        self.begin.setEnabled(self.state.allowed)
        self.begin.setText("Sign in again…" if report.stored else "Sign in…")
        self.cancel.setVisible(under_way)
        self.leave.setVisible(report.stored and not under_way)
        self._words.setText(self._sentence())
        self.browser.show_page(report.url if report.state == "waiting" else "", report.host)
        self._fault.show_fault(report.fault)
        self.model.show_rows(step_rows(report.steps))
        self._stack.setCurrentWidget(self._steps if report.steps else self._empty)
        if report.steps and (failed or not self.list.key()):
            wrong = [place for place, step in enumerate(report.steps) if not step.ok]
            self.list.setCurrentIndex(self.model.index(wrong[-1] if failed and wrong else 0))
        self._show_step()

    def start(self) -> None:
        """Begin a sign-in; the answer comes when it is over, minutes later perhaps."""
        self.show_report(SignIn(self.server, "asking", stored=self.report.stored))
        self.context.tasks.run("sign in", self.context.api.sign_in(self.server), self.show_report)

    # inside

    def _sentence(self) -> str:
        report, state = self.report, self.state
        if not state.config.remote:
            return "This server runs on your machine: there is nowhere to sign in."
        if not state.allowed:
            return "Connect this server once; if it wants a sign-in, you begin it here."
        match report.state:
            case "asking":
                return "Asking the server and whoever grants access to it…"
            case "waiting":
                return "Waiting for you to come back from the browser…"
        if report.stored and state.sign_in != "needed":
            until = " The token is renewed by itself." if report.expires > time.time() else ""
            rights = f" It may: {report.scope}." if report.scope else ""
            return "You are signed in." + rights + until
        if state.sign_in == "needed":
            return "The server wants you to sign in."
        return "You are not signed in."

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        mark(self.begin, kind="primary")
        for button in (self.begin, self.cancel, self.leave):
            strip.row.addWidget(button)
        strip.row.addWidget(self._words, 1)
        self._words.setWordWrap(True)
        self.detail.setReadOnly(True)
        self.detail.setTabChangesFocus(True)
        self.detail.setAccessibleName("What was asked and answered in this step")
        self.detail.setFont(self.context.theme.mono(-1))
        mark(self.detail, kind="code")
        self._steps.addWidget(self.list)
        self._steps.addWidget(self.detail)
        self._steps.setSizes([100, 110])
        self._steps.setChildrenCollapsible(False)
        self._empty.say(
            "OAuth, step by step",
            "Each address that was asked in a sign-in and what it answered will stand here, secrets covered.",
        )
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._steps)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (strip, self.browser, self._fault):
            column.addWidget(part)
        column.addWidget(self._stack, 1)
        self.setFocusProxy(self.begin)

    def _bind(self) -> None:
        self.begin.clicked.connect(self.start)
        self.cancel.clicked.connect(self._give_up)
        self.leave.clicked.connect(self._sign_out)
        self.browser.brought.connect(self._bring)
        self.list.selection_changed.connect(self._show_step)

    def _give_up(self) -> None:
        api = self.context.api
        self.context.tasks.run("give up signing in", api.cancel_sign_in(self.server), self.show_report)

    def _sign_out(self) -> None:
        self.context.tasks.run("sign out", self.context.api.sign_out(self.server), self.show_report)

    def _bring(self, address: str) -> None:
        self.context.tasks.run("finish signing in", self.context.api.complete_sign_in(self.server, address))

    def _show_step(self) -> None:
        key = self.list.key()
        place = int(key) if key else -1
        text = step_text(self.report.steps[place]) if 0 <= place < len(self.report.steps) else ""
        if text != self.detail.text():
            self.detail.setPlainText(text)
