"""Dialog Network: the hosts that programs can reach, suggestions of the project, and recent connections."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any

from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from workbench.errors import WorkbenchError
from workbench.events import EntryWritten
from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.layouts import row
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState, label
from workbench.gui.kit.rows import Row, grouped
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import clock
from workbench.gui.shell.context import Context
from workbench.records import Entry, EntryQuery, HostRule, NetworkRules

_ICONS = {
    "connection.opened": ("link", "muted"),
    "connection.closed": ("check", "success"),
    "connection.blocked": ("ban", "danger"),
    "connection.volume_exceeded": ("warning", "warning"),
}
_RECENT = 100  # connections that are shown
_PROTOCOLS = {"tls": "TLS (https)", "http": "Plain HTTP", "tcp": "Any TCP"}


def network_rows(rules: NetworkRules, entries: Sequence[Entry]) -> list[Row]:
    """Suggestions of the project first, because the user has to decide about them; then rules and connections."""
    in_force = [host_row(rule) for rule in rules.hosts if rule.accepted]
    denied = (*rules.denied, *rules.always_denied)
    none = Row("none", "No hosts. Add one below, or select hosts when you allow a program.", icon="lock", faded=True)
    no_host = [Row("section:rules", "Programs can reach", aside="0", section=True), none]
    return [
        *grouped(
            (
                "suggested",
                "Suggested by the project, not accepted",
                [host_row(rule) for rule in rules.hosts if not rule.accepted],
            )
        ),
        *(grouped(("rules", "Programs can reach", in_force)) or no_host),
        *grouped(
            ("entries", "Recent connections", [entry_row(entry) for entry in entries]),
            (
                "denied",
                "Always blocked",
                [Row(f"denied:{text}", one_line(text, 120), icon="lock", mono=True, faded=True) for text in denied],
            ),
        ),
    ]


def host_row(rule: HostRule) -> Row:
    """One rule, in force or suggested."""
    owner = "your rule" if rule.source == "you" else "the project's rule, accepted by you"
    if not rule.accepted:
        owner = "suggested by the project"
    ports = ", ".join(map(str, rule.ports))
    return Row(
        key=f"{rule.source}:{rule.sha}",
        title=one_line(rule.domain, 120),
        detail=f"{', '.join(rule.protocols)} · port{'s' * (len(rule.ports) != 1)} {ports} · {owner}",
        icon="globe" if rule.accepted else "help",
        tone="success" if rule.accepted else "warning",
        mono=True,
        tip=one_line(rule.domain, 300),
    )


def entry_row(entry: Entry) -> Row:
    """A connection, as the audit has it."""
    symbol, tone = _ICONS.get(entry.note.kind, ("globe", "muted"))
    summary = one_line(entry.note.summary, 300)
    detail = one_line(f"{entry.note.actor} · {entry.note.detail.get('address', '')}".strip(" ·"), 120)
    return Row(f"entry:{entry.seq}", summary, detail, clock(entry.at), symbol, tone, tip=summary)


class NetworkDialog(Dialog):
    """Shows changes and connections at once."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, "Network", "Reading the network rules…", parent)
        self._context = context
        self._entries: tuple[Entry, ...] = ()
        unit = context.theme.unit
        self.setMinimumSize(unit * 120, unit * 110)
        self.resize(unit * 170, unit * 170)
        empty = EmptyState(context.theme, "globe", "Network", "The rules are being read.")
        self.list = ListPane(context.theme, "Hosts, suggestions and connections", empty)
        self.host, self.ports = QLineEdit(), QLineEdit()
        self.protocols = {name: TickBox(context.theme, text) for name, text in _PROTOCOLS.items()}
        self.body.addWidget(self.list, 1)
        self.body.addLayout(self._make_form(unit))
        self._rule_button = self.add_button("Remove rule", self._change_rule, left=True)
        self.add_button("Close", self.reject)
        self._allow_button = self.add_button("Allow host", self._allow_host, "primary")
        for button in (self._rule_button, self._allow_button):
            button.setAutoDefault(False)  # Return in a field must not change the selected rule
        self.list.selection_changed.connect(self.update_buttons)
        self.list.view.chosen.connect(lambda _key: self._change_rule())
        self._rule_action = menu_action(self, "", self._change_rule)
        self._copy_action = menu_action(self, "Copy", self._copy)
        self.list.set_menu(self._menu)
        context.store.network_changed.connect(self._show_rules)
        context.store.on(EntryWritten, self._entry_written)
        self._show_rules()
        recent = context.api.entries(EntryQuery(kind="connection.", limit=_RECENT))
        context.tasks.run("read recent connections", recent, self._show_entries)

    def update_buttons(self) -> None:
        rule = self._selected_rule()
        text = "Remove rule"
        if rule is not None and rule.source != "you":
            text = "Withdraw approval" if rule.accepted else "Accept suggestion"
        self._rule_button.setText(text)
        self._rule_button.setEnabled(rule is not None)
        self._allow_button.setEnabled(bool(self.host.text().strip()) and bool(self._chosen_protocols()))

    # inside

    def _make_form(self, unit: int) -> QFormLayout:
        self.host.setAccessibleName("Host to allow")
        self.host.setPlaceholderText("api.example.org, *.example.org")
        self.ports.setAccessibleName("Ports, separated by commas")
        self.ports.setPlaceholderText("443; required for any TCP")
        self.protocols["tls"].setChecked(True)
        for box in self.protocols.values():
            box.toggled.connect(self.update_buttons)
        for field in (self.host, self.ports):
            field.textChanged.connect(self.update_buttons)
            field.returnPressed.connect(self._allow_host)
        form = QFormLayout()
        form.setSpacing(unit * 2)
        form.addRow(label("Host"), self.host)
        form.addRow(label("Ports"), self.ports)
        form.addRow(label("Protocols"), row(None, *self.protocols.values(), None, spacing=unit * 2))
        return form

    def _entry_written(self, event: EntryWritten) -> None:
        if event.entry.note.kind.startswith("connection."):
            self._show_entries((event.entry, *self._entries)[:_RECENT])

    def _show_entries(self, entries: tuple[Entry, ...]) -> None:
        self._entries = entries
        self._show_rules()

    def _show_rules(self) -> None:
        rules = self._context.store.network
        if rules is None:
            return
        if rules.closed:
            self.set_intro(f"Programs cannot reach any host: {one_line(rules.closed, 300)}")
        elif not rules.open:
            self.set_intro("Programs cannot reach any host, unless you select one when you allow a program.")
        else:
            self.set_intro("Programs can reach only the hosts listed below. The audit records every connection.")
        self.list.show_rows(network_rows(rules, self._entries))
        self.update_buttons()

    def _selected_rule(self) -> HostRule | None:
        source, _, sha = self.list.key().partition(":")
        hosts = self._context.store.network.hosts if self._context.store.network is not None else ()
        return next((rule for rule in hosts if (rule.source, rule.sha) == (source, sha)), None)

    def _chosen_protocols(self) -> tuple[str, ...]:
        return tuple(name for name, box in self.protocols.items() if box.isChecked())

    def _menu(self, _key: str) -> list[QAction | None]:
        self._rule_action.setText(self._rule_button.text())
        return [self._rule_action, self._copy_action] if self._rule_button.isEnabled() else [self._copy_action]

    def _copy(self) -> None:
        host = str(self.list.model.find(self.list.key()).data())
        QGuiApplication.clipboard().setText(host)
        self._context.say(f"Copied {one_line(host, 60)}.")

    def _change_rule(self) -> None:
        """Remove, accept or withdraw the selected rule."""
        rule, api = self._selected_rule(), self._context.api
        if rule is not None:
            accepted = api.remove_host if rule.source == "you" else api.withdraw_host
            self._change((accepted if rule.accepted else api.accept_host)(rule.sha))

    def _allow_host(self) -> None:
        if not self._allow_button.isEnabled():
            return
        ports = [port.strip() for port in self.ports.text().replace(";", ",").split(",") if port.strip()]
        if not all(port.isascii() and port.isdigit() and len(port) < 6 for port in ports):
            self.show_fault(WorkbenchError("Ports are numbers from 1 to 65535.", "Separate them by commas."))
            return
        self._change(self._add_host(self.host.text().strip(), tuple(map(int, ports))))

    async def _add_host(self, host: str, ports: tuple[int, ...]) -> None:
        await self._context.api.add_host(host, ports, self._chosen_protocols())
        self.host.clear()
        self.ports.clear()

    def _change(self, change: Coroutine[Any, Any, object]) -> None:  # Any: asyncio's own
        self.run(self._context.tasks, "change the network rules", change)
