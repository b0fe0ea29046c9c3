"""The page that finds out why a server cannot be reached, check by check."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, ServerChecked
from workbench.gui.kit.checks_view import ChecksView, report
from workbench.gui.kit.lists import EmptyState, Strip, label
from workbench.gui.kit.theme import mark
from workbench.gui.servers.page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.records import Check, CheckState, ServerState, ServerStatus


class DoctorPage(ServerPage):
    """Begins by itself where a server has failed; otherwise when a person asks."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._under_way = False
        self._view = ChecksView(context.theme, "Checks of the server")
        self._start = QPushButton("Check")
        self._copy = QPushButton("Copy report")
        self._verdict = label("", "muted")
        self._empty = EmptyState(
            context.theme,
            "search",
            "Nothing was checked yet",
            "The command or the address, the way there, the first answer, the protocol: one line each.",
        )
        self._lay_out()
        self._start.clicked.connect(self.examine)
        self._copy.clicked.connect(self._copy_report)
        self._show_verdict()

    def look(self, *, seen: bool) -> None:
        if seen and self.state.status is ServerStatus.FAILED and not self._view.checks():
            self.examine()

    def hear(self, event: Event) -> None:
        """Checks appear while the examination goes on, whichever client started it."""
        if isinstance(event, ServerChecked) and event.server == self.server:
            if event.number == 0:
                self._view.clear()
            if event.number == len(self._view.checks()):
                self._view.add(event.check)
            self._show_verdict()

    def examine(self) -> None:
        if not self._under_way:
            self.context.tasks.run("examine a server", self._examine())

    async def _examine(self) -> None:
        self._under_way = True
        self._show_verdict()
        try:
            checks = await self.context.api.diagnose(self.server)
            self._view.show_checks(checks)
        except WorkbenchError as fault:
            self._view.show_checks((Check("Doctor", CheckState.BAD, fault.message, fault.hint),))
        finally:
            self._under_way = False
            self._show_verdict()

    def _show_verdict(self) -> None:
        checks = self._view.checks()
        wrong = sum(check.state is CheckState.BAD for check in checks)
        self._start.setEnabled(not self._under_way)
        self._start.setText("Check again" if checks else "Check")
        self._copy.setEnabled(bool(checks) and not self._under_way)
        self._stack.setCurrentWidget(self._view if checks or self._under_way else self._empty)
        if self._under_way:
            words = "Checking…"
        elif not checks:
            words = ""
        elif wrong:
            words = "One thing is wrong" if wrong == 1 else f"{wrong} things are wrong"
        else:
            words = "Nothing wrong was found"
        self._verdict.setText(words)

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        mark(self._start, kind="primary")
        strip.row.addWidget(self._start)
        strip.row.addWidget(self._copy)
        strip.row.addWidget(self._verdict, 1)
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(body, 1)
        self.setFocusProxy(self._start)

    def _copy_report(self) -> None:
        title = f"Checks of {self.server}"
        QGuiApplication.clipboard().setText(report(title, self._view.checks()))
