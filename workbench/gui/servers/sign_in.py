"""The page where the user signs in at a server, with every step of OAuth."""

from __future__ import annotations

import time

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QWidget

from workbench.events import SignInChanged, SignInWanted
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState, Strip, label, paragraph
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.plain_edit import reading_box
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import duration
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.context import Context
from workbench.records import ServerState, SignIn, SignInStep


def step_text(step: SignInStep) -> str:
    """The request and response of a step."""
    request = " ".join(part for part in (step.method, step.url) if part)
    status = f"HTTP {step.status}" if step.status else ""
    parts = (step.sentence, request, step.sent, status, step.received)
    return visible("\n\n".join(part for part in parts if part))


def _step_row(key: str, step: SignInStep) -> Row:
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
_WIDE = 110  # letters of width from which steps and detail are side by side
_BROWSER_SCHEMES = ("https", "http")


class BrowserCard(QFrame):
    """Hidden while no sign-in waits for the browser."""

    pasted = Signal(str)
    """Carries the address of the browser's last page."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._url = ""
        mark(self, kind="banner", tone="info")
        unit = context.theme.unit
        self._host = ForeignLabel(role="heading")
        self._address = ForeignLabel(elide=True, role="muted")
        self.open = QPushButton("Open in browser")
        mark(self.open, kind="primary")
        self.copy = QPushButton("Copy address")
        self.field = QLineEdit()
        self.field.setPlaceholderText("http://127.0.0.1:…/callback?code=…")
        self.field.setAccessibleName("Address of the browser's last page")
        self.use = QPushButton("Finish sign-in")
        other_machine = paragraph(
            "If your browser runs on a different machine, it cannot open the last page of the sign-in. Copy the "
            "address of that page and paste it here.",
            "muted",
        )
        column(
            self,
            row(None, label("Sign in at"), self._host, spacing=unit * 2, grows=self._host),
            self._address,
            row(None, self.open, self.copy, None, spacing=unit),
            other_machine,
            row(None, self.field, self.use, spacing=unit, grows=self.field),
            margins=(unit * 3,) * 4,
            spacing=unit * 2,
        )
        self.open.clicked.connect(self._open)
        self.copy.clicked.connect(self._copy)
        self.use.clicked.connect(self._submit)
        self.field.returnPressed.connect(self._submit)
        self.hide()

    def show_page(self, url: str, host: str) -> None:
        fresh = url != self._url
        self._url = url
        self.setVisible(bool(url))
        self._host.setText(host)
        self._address.setText(url)
        self.open.setEnabled(QUrl(url).scheme() in _BROWSER_SCHEMES)
        if fresh:
            self.field.clear()
            if url and self.window().isActiveWindow():
                self.open.setFocus()

    def _open(self) -> None:
        QDesktopServices.openUrl(QUrl(self._url))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._url)
        self._context.say("Copied the address.")

    def _submit(self) -> None:
        if text := self.field.text().strip():
            self.pasted.emit(text)


class SignInPage(ServerPage):
    """Reads the whole report again after each change: the steps are few."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context, state)
        self.report = SignIn(state.config.name)
        self._sentence = ForeignLabel(role="muted")
        self.begin = QPushButton("Sign in…")
        self.cancel = QPushButton("Cancel")
        self.sign_out = QPushButton("Sign out")
        self.browser = BrowserCard(context)
        self._fault = Notice(context.theme)
        self.detail = reading_box("", "Request and response of this step")
        sentence = "Every request of a sign-in and its response appear here, with secrets masked."
        self.list = ListPane(
            context.theme, "Steps of the sign-in", EmptyState(context.theme, "key", "OAuth, step by step", sentence)
        )
        self._lay_out()
        self._connect_signals()
        self.show_report(self.report)

    def set_seen(self, *, seen: bool) -> None:
        if seen:
            self.load()

    def load(self) -> None:
        if self.state.config.remote:
            report = self.context.api.sign_in_report(self.server)
            self.context.tasks.run("read the sign-in report", report, self.show_report)

    def _sign_in_changed(self, event: SignInChanged) -> None:
        if event.server == self.server:
            self.load()

    def _page_wanted(self, event: SignInWanted) -> None:
        if event.server == self.server:
            self.browser.show_page(event.url, event.host)

    def show_state(self, state: ServerState) -> None:
        changed = state.sign_in != self.state.sign_in
        super().show_state(state)
        self.show_report(self.report)
        if changed:
            self.load()

    def show_report(self, report: SignIn) -> None:
        failed = report.state == "failed" != self.report.state
        self.report = report
        under_way = report.state in _UNDER_WAY
        self.begin.setVisible(self.state.config.remote and not under_way)
        self.begin.setEnabled(self.state.allowed)
        self.begin.setText("Sign in again…" if report.stored else "Sign in…")
        self.cancel.setVisible(under_way)
        self.sign_out.setVisible(report.stored and not under_way)
        self._sentence.setText(self._describe())
        self.browser.show_page(report.url if report.state == "waiting" else "", report.host)
        self._fault.show_fault(report.fault)
        self.list.show_rows([_step_row(str(number), step) for number, step in enumerate(report.steps)])
        self.detail.setVisible(bool(report.steps))
        if report.steps and (failed or not self.list.key()):
            failures = [number for number, step in enumerate(report.steps) if not step.ok]
            self.list.select(str(failures[-1] if failed and failures else 0))
        self._show_step()

    def start(self) -> None:
        """Start a sign-in. The call returns when it has ended, which may take minutes."""
        self.show_report(SignIn(self.server, "asking", stored=self.report.stored))
        self.context.tasks.run("sign in", self.context.api.sign_in(self.server), self.show_report)

    # internals

    def _describe(self) -> str:
        report, state = self.report, self.state
        if not state.config.remote:
            return "This server runs on your machine and needs no sign-in."
        if not state.allowed:
            return "Connect this server first. If it requires a sign-in, start it here."
        match report.state:
            case "asking":
                return "Contacting the server and its authorization server…"
            case "waiting":
                return "Waiting for the sign-in in your browser…"
        if report.stored and state.sign_in != "needed":
            renewal = " The access token is renewed automatically." if report.expires > time.time() else ""
            scope = f" Scope: {report.scope}." if report.scope else ""
            return f"You are signed in.{scope}{renewal}"
        if state.sign_in == "needed":
            return "The server requires you to sign in."
        return "You are not signed in."

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        mark(self.begin, kind="primary")
        for button in (self.begin, self.cancel, self.sign_out):
            strip.row.addWidget(button)
        strip.row.addWidget(self._sentence, 1)
        self.detail.setFont(self.context.theme.mono(-1))
        split = AdaptiveSplit(_WIDE, (1, 1), self.list, self.detail)
        column(self, strip, self.browser, self._fault, split, grows=split)
        self.setFocusProxy(self.begin)

    def _connect_signals(self) -> None:
        self.begin.clicked.connect(self.start)
        self.cancel.clicked.connect(self._cancel)
        self.sign_out.clicked.connect(self._sign_out)
        self.browser.pasted.connect(self._finish)
        self.list.selection_changed.connect(self._show_step)
        self.context.store.on(SignInChanged, self._sign_in_changed)
        self.context.store.on(SignInWanted, self._page_wanted)

    def _cancel(self) -> None:
        self.context.tasks.run("cancel the sign-in", self.context.api.cancel_sign_in(self.server), self.show_report)

    def _sign_out(self) -> None:
        self.context.tasks.run("sign out", self.context.api.sign_out(self.server), self.show_report)

    def _finish(self, address: str) -> None:
        self.context.tasks.run("finish the sign-in", self.context.api.complete_sign_in(self.server, address))

    def _show_step(self) -> None:
        key = self.list.key()
        number = int(key) if key else -1
        text = step_text(self.report.steps[number]) if 0 <= number < len(self.report.steps) else ""
        if text != self.detail.text():
            self.detail.setPlainText(text)
