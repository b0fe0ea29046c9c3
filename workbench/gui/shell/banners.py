"""Banners above everything else: faults with hint and detail, and the state of the core.

A banner never takes the keyboard and never covers anything. It stays until it is closed or no longer true.
"""

from __future__ import annotations

from collections import deque
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from workbench.events import Noticed
from workbench.gui.kit.layouts import column
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import one_line
from workbench.gui.shell.bridge import NOT_CONNECTED, Link, LinkState
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import DecideTrust
from workbench.records import Fault, Run, RunState, ServerState, ServerStatus

AT_ONCE = 3
"""Banners beyond this number push out the oldest: a storm of faults must not fill the window."""
_UNTIL_DECIDED = "Until you do, programs that use it ask, except for tools that we reviewed and that only read."
_TOOLS_NAMED = 5
_REMEMBERED = 10  # faults that a problem report lists


class Banners(Pane):
    """One banner above the other: the core, secrets, then the latest faults."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._link = Notice(context.theme, self, inline=True)  # the core is not there
        self._secrets = Notice(context.theme, self, inline=True)  # secrets are not stored in a keyring
        self.trust = Notice(context.theme, self, inline=True)  # the user has not decided about a server
        self._put_off: set[tuple[str, tuple[str, ...]]] = set()  # servers with tools that the user decides about later
        self._faults: deque[Fault] = deque(maxlen=_REMEMBERED)
        self._notices: tuple[Fault, ...] = ()  # of the core's last status
        self._column = column(self, self._link, self._secrets, self.trust)
        store = context.store
        store.on(Noticed, self._show_notice)
        store.status_changed.connect(self._drop_ended_notices)
        store.status_loaded.connect(self._show_notices)
        store.server_removed.connect(self._drop_faults_of)
        store.server_changed.connect(self._server_changed)
        store.secrets_changed.connect(self._show_secrets)
        store.permissions_changed.connect(self._show_undecided)
        store.run_changed.connect(self._run_changed)

    def faults(self) -> tuple[Fault, ...]:
        """The latest faults, closed ones included."""
        return tuple(self._faults)

    def visible_banners(self) -> list[Notice]:
        """Faults and warnings, oldest first."""
        found = self.findChildren(Notice, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return [
            banner
            for banner in found
            if banner not in (self._link, self._secrets, self.trust) and not banner.isHidden()
        ]

    def show_fault(self, fault: Fault, tone: str = "danger") -> None:
        """Show a fault, once. The text of a warning is the core's own; a failed task may quote a server."""
        shown = self.visible_banners()
        if any(banner.fault == fault for banner in shown):
            return
        for banner in shown[: max(0, len(shown) - AT_ONCE + 1)]:
            self._drop(banner)
        banner = Notice(self.context.theme, self, inline=True)
        banner.show_fault(fault, tone=tone, own_words=tone == "warning")
        banner.add_close()
        self._faults.append(fault)
        self._column.addWidget(banner)

    def show_link(self, link: Link) -> None:
        """The core was lost, is coming back, or the user has to start it."""
        if link.state is LinkState.LOST:
            sentence = "The core stopped unexpectedly; restarting…"
            hint = "Nothing you typed is lost. Runs that were under way will be shown as interrupted."
            self._link.show_fault(Fault(sentence, hint), tone="warning", own_words=True)
        elif link.state is LinkState.BROKEN:
            self._link.show_fault(link.fault or Fault("The core cannot be reached."))
            self._link.add_button("Try again", partial(self.context.commands.do, "core.again"), "primary")
        else:
            self._link.show_fault(None)
        if link.state is LinkState.LINKED:
            for banner in self.visible_banners():
                if banner.fault == NOT_CONNECTED:
                    self._drop(banner)
            if link.restarted:
                self.context.say("The core was restarted. Runs that were under way are shown as interrupted.")

    def _show_notice(self, event: Noticed) -> None:
        self.show_fault(event.fault, "warning")

    def _show_notices(self) -> None:
        """What is wrong with the project may have been found before this window was opened."""
        for fault in self.context.store.status.notices if self.context.store.status else ():
            self.show_fault(fault, "warning")

    def _drop_ended_notices(self) -> None:
        """Drop the banners of notices that the core no longer has, for example about a file that was corrected."""
        before, self._notices = self._notices, self.context.store.status.notices if self.context.store.status else ()
        for banner in self.visible_banners():
            if banner.fault in before and banner.fault not in self._notices:
                self._drop(banner)

    def _server_changed(self, state: ServerState) -> None:
        if state.status is ServerStatus.READY:
            self._drop_faults_of(state.config.name)
            self._show_undecided()

    def _drop_faults_of(self, server: str) -> None:
        """Once a server is ready or removed, why it did not start before is no longer true."""
        for banner in self.visible_banners():
            if banner.fault and banner.fault.message.startswith(f"{server}: "):  # as the list of servers words it
                self._drop(banner)

    def _show_secrets(self) -> None:
        """Say where secrets are, if that is no keyring and there are some."""
        secrets = self.context.store.secrets
        if secrets is None or secrets.kind not in ("memory", "locked") or not secrets.secrets:
            self._secrets.show_fault(None)
        elif self._secrets.fault != (fault := Fault(secrets.sentence, secrets.hint)):
            self._secrets.show_fault(fault, tone="warning", own_words=True)
            self._secrets.add_button("Secrets…", partial(self.context.commands.do, "secrets.open"))

    def _show_undecided(self) -> None:
        """Say that a running server's tools, or the new ones among them, ask until the user decides."""
        permissions, servers = self.context.store.permissions, self.context.store.servers
        for server, tools in permissions.undecided.items() if permissions is not None else ():
            state = servers.get(server)
            runs = state is not None and state.status is ServerStatus.READY
            if not (runs or server in self._waited_for()) or (server, tools) in self._put_off:
                continue
            known = permissions is not None and server in permissions.trust.decisions
            fault = _undecided(server, tools, known=known)
            if self.trust.fault != fault:
                self.trust.show_fault(fault, tone="info")
                self.trust.add_button("Decide…", partial(self.context.go, DecideTrust(server)), "primary")
                self.trust.add_button("Later", partial(self._put_off_trust, server, tools), "quiet")
            return
        self.trust.show_fault(None)

    def _run_changed(self, run: Run) -> None:
        if run.verdict is not None and run.verdict.waits_for_trust:
            self._show_undecided()

    def _waited_for(self) -> set[str]:
        """The servers that a waiting program needs a decision about; they may not run yet."""
        waiting = (run.verdict for run in self.context.store.runs.values() if run.state is RunState.WAITING)
        return {server for verdict in waiting if verdict is not None for server in verdict.waits_for_trust}

    def _put_off_trust(self, server: str, tools: tuple[str, ...]) -> None:
        self._put_off.add((server, tools))
        self._show_undecided()

    def _drop(self, banner: Notice) -> None:
        self._column.removeWidget(banner)
        banner.hide()
        banner.deleteLater()


def _undecided(server: str, tools: tuple[str, ...], *, known: bool) -> Fault:
    """Return what asks until the user decides. `known`: the user has decided about its other tools."""
    name = one_line(server, 60)
    if not known:
        return Fault(f"You have not decided what programs may do with {name}.", _UNTIL_DECIDED)
    names = ", ".join(one_line(tool, 60) for tool in tools[:_TOOLS_NAMED]) + (" …" if len(tools) > _TOOLS_NAMED else "")
    many = len(tools) > 1
    return Fault(
        f"{name} has {'tools that are' if many else 'a tool that is'} new or changed: {names}.",
        f"Programs that use {'them' if many else 'it'} ask until you decide.",
    )
