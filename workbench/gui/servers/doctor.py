"""The page that checks why a server cannot be reached, and the dialog that checks this machine."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from workbench.errors import WorkbenchError
from workbench.events import ServerChecked
from workbench.gui.kit.checks_view import ChecksView, report
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import EmptyState, Strip, label
from workbench.gui.kit.theme import mark
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.context import Context
from workbench.records import Check, CheckState, ServerState, ServerStatus
from workbench.records.common_types import count_of


class DoctorPage(ServerPage):
    """Starts by itself for a failed server, otherwise when the user presses Check."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context, state)
        self._is_checking = False
        self.checks_view = ChecksView(context.theme, "Checks of the server")
        self._start = QPushButton("Check")
        self._copy = QPushButton("Copy report")
        self.verdict = label("", "muted")
        self._empty = EmptyState(
            context.theme,
            "search",
            "Not checked yet",
            "Checks the command or address, the connection, the first answer and the protocol.",
        )
        self._lay_out()
        self._start.clicked.connect(self.check)
        self._copy.clicked.connect(self._copy_report)
        context.store.on(ServerChecked, self._server_checked)
        self._show_verdict()

    def set_seen(self, *, seen: bool) -> None:
        if seen and self.state.status is ServerStatus.FAILED and not self.checks_view.checks():
            self.check()

    def _server_checked(self, event: ServerChecked) -> None:
        """Show each check as it ends, also if another client started the diagnosis."""
        if event.server == self.server:
            if event.number == 0:
                self.checks_view.clear()
            if event.number == len(self.checks_view.checks()):
                self.checks_view.add(event.check)
            self._show_verdict()

    def check(self) -> None:
        if not self._is_checking:
            self.context.tasks.run("diagnose a server", self._check())

    async def _check(self) -> None:
        self._is_checking = True
        self._show_verdict()
        try:
            checks = await self.context.api.diagnose(self.server)
            self.checks_view.show_checks(checks)
        except WorkbenchError as fault:
            self.checks_view.show_checks((Check("Doctor", CheckState.BAD, fault.message, fault.hint),))
        finally:
            self._is_checking = False
            self._show_verdict()

    def _show_verdict(self) -> None:
        checks = self.checks_view.checks()
        failed = sum(check.state is CheckState.BAD for check in checks)
        self._start.setEnabled(not self._is_checking)
        self._start.setText("Check again" if checks else "Check")
        self._copy.setEnabled(bool(checks) and not self._is_checking)
        self._stack.setCurrentWidget(self.checks_view if checks or self._is_checking else self._empty)
        if self._is_checking:
            self.verdict.setText("Checking…")
        elif failed:
            self.verdict.setText(f"{count_of(failed, 'problem')} found")
        else:
            self.verdict.setText("No problems found" if checks else "")

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        mark(self._start, kind="primary")
        strip.row.addWidget(self._start)
        strip.row.addWidget(self._copy)
        strip.row.addWidget(self.verdict, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.checks_view)
        column(self, strip, self._stack, grows=self._stack)
        self.setFocusProxy(self._start)

    def _copy_report(self) -> None:
        QGuiApplication.clipboard().setText(report(f"Checks of {self.server}", self.checks_view.checks()))
        self.context.say("Copied the report.")


class MachineDialog(Dialog):
    """Checks whether this machine and project have what the workbench needs. Opens at once."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, "Check this machine", "Checking…", parent)
        self._context = context
        self.resize(context.theme.unit * 170, context.theme.unit * 120)
        self._view = ChecksView(context.theme, "Checks of this machine")
        self.body.addWidget(self._view, 1)
        self._copy = self.add_button("Copy report", self._copy_report, left=True)
        self._copy.setEnabled(False)
        self.add_close()
        context.tasks.run("check this machine", context.api.diagnose_machine(), self._show)

    def _show(self, checks: tuple[Check, ...]) -> None:
        self.set_intro("")
        self._view.show_checks(checks)
        self._copy.setEnabled(True)

    def _copy_report(self) -> None:
        QGuiApplication.clipboard().setText(report("This machine", self._view.checks()))
        self._context.say("Copied the report.")
