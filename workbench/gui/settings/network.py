"""What programs may reach as rows: offers first, because somebody has to decide; then rules, denials, what happened."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import EntryWritten, Event, NetworkChanged
from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.lists import RowsView, label
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import clock
from workbench.gui.shell.bridge import Bridge
from workbench.gui.shell.context import Context
from workbench.records import Entry, EntryQuery, HostRule, NetworkRules

_SIGNS = {
    "connection.opened": ("link", "muted"),
    "connection.closed": ("check", "success"),
    "connection.blocked": ("ban", "danger"),
    "connection.volume_exceeded": ("warning", "warning"),
}


def network_rows(rules: NetworkRules, entries: Sequence[Entry]) -> list[Row]:
    offers = [rule for rule in rules.hosts if not rule.accepted]
    kept = [rule for rule in rules.hosts if rule.accepted]
    rows: list[Row] = []
    if offers:
        rows.append(_heading("offers", "Offered by this project, closed until you accept", offers))
        rows += [rule_row(rule) for rule in offers]
    rows.append(_heading("rules", "Open to programs", kept))
    rows += [rule_row(rule) for rule in kept] or [_nothing()]
    denied = (*rules.denied, *rules.always_denied)
    if entries:
        rows.append(_heading("entries", "Recent connections and blocked tries", entries))
        rows += [entry_row(entry) for entry in entries]
    rows.append(_heading("denied", "Never reached, whatever a rule says", denied))
    rows += [Row(f"denied:{text}", one_line(text, 120), icon="lock", mono=True, faded=True) for text in denied]
    return rows


def rule_row(rule: HostRule) -> Row:
    ports = ", ".join(map(str, rule.ports))
    whose = "your rule" if rule.source == "you" else "the project's, accepted"
    if not rule.accepted:
        whose = "the project's offer"
    return Row(
        key=f"{rule.source}:{rule.sha}",
        title=one_line(rule.domain, 120),
        detail=f"{', '.join(rule.protocols)} on port {ports} · {whose}",
        icon="globe" if rule.accepted else "help",
        tone="success" if rule.accepted else "warning",
        mono=True,
        tip=one_line(rule.domain, 300),
    )


def entry_row(entry: Entry) -> Row:
    symbol, tone = _SIGNS.get(entry.note.kind, ("globe", "muted"))
    words = one_line(entry.note.summary, 300)
    detail = one_line(f"{entry.note.actor} · {entry.note.detail.get('address', '')}".strip(" ·"), 120)
    return Row(f"entry:{entry.seq}", words, detail, clock(entry.at), symbol, tone, tip=words)


def _nothing() -> Row:
    words = "Nothing. Add a host below, or select a host when a program requests it."
    return Row("nothing", words, icon="lock", faded=True)


def _heading(key: str, words: str, found: Sequence[object]) -> Row:
    return Row(f"section:{key}", words, aside=str(len(found)), section=True)


_RECENT = 100  # entries of the audit that are shown
_PROTOCOLS = {"tls": "TLS (https)", "http": "plain HTTP", "tcp": "any TCP"}


def show_network(context: Context, parent: QWidget, bridge: Bridge) -> None:
    dialog = NetworkDialog(context, parent)
    bridge.heard.connect(dialog.hear)
    dialog.open()


class NetworkDialog(QDialog):
    """Stays open, and shows at once what changed."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rules = NetworkRules()
        self._entries: tuple[Entry, ...] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Network")
        self._sentence = label("Asking which places are open…")
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "Places, offers and connections")
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(False)
        self.domain, self.ports = QLineEdit(), QLineEdit()
        self.protocols = {name: TickBox(context.theme, words) for name, words in _PROTOCOLS.items()}
        self.add = QPushButton("Open this place")
        self.deed = QPushButton("Accept")
        self._fault = label("", "error")
        self._lay_out(context.theme.unit)
        self._bind()
        context.tasks.run("read the network's rules", self._read())

    def hear(self, event: Event) -> None:
        if isinstance(event, NetworkChanged):
            self._show(event.rules, self._entries)
        elif isinstance(event, EntryWritten) and event.entry.note.kind.startswith("connection."):
            self._show(self._rules, (event.entry, *self._entries)[:_RECENT])

    async def _read(self) -> None:
        api = self._context.api
        rules = await api.network()
        self._show(rules, await api.entries(EntryQuery(kind="connection.", limit=_RECENT)))

    def _show(self, rules: NetworkRules, entries: tuple[Entry, ...]) -> None:
        self._rules, self._entries = rules, entries
        self._sentence.setText(self._words(rules))
        self.model.show_rows(network_rows(rules, entries))
        self._choose()

    def _words(self, rules: NetworkRules) -> str:
        if rules.closed:
            return f"Programs reach nothing: {one_line(rules.closed, 300)}"
        if not rules.open:
            return "Programs reach nothing outside, unless you tick a host for one run when you allow it."
        return "Programs reach the open places below and nothing else. Each connection is in the audit."

    # inside

    def _lay_out(self, unit: int) -> None:
        self.setMinimumSize(unit * 120, unit * 100)
        self.resize(unit * 170, unit * 160)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 6,) * 4)
        column.setSpacing(unit * 3)
        for text in (self._sentence, self._fault):
            text.setWordWrap(True)
        column.addWidget(self._sentence)
        column.addWidget(self.list, 1)
        form = QFormLayout()
        form.setSpacing(unit * 2)
        form.addRow(label("Host"), self.domain)
        form.addRow(label("Ports"), self.ports)
        ticks = QHBoxLayout()
        for box in self.protocols.values():
            ticks.addWidget(box)
        ticks.addStretch()
        form.addRow(label("Speaks"), ticks)
        column.addLayout(form)
        self._fault.hide()
        column.addWidget(self._fault)
        column.addLayout(self._buttons(unit))

    def _buttons(self, unit: int) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(unit)
        row.addWidget(self.deed)
        row.addStretch()
        close = QPushButton("Close")
        close.clicked.connect(self.accept)
        row.addWidget(close)
        row.addWidget(self.add)
        mark(self.add, kind="primary")
        for button in (self.deed, close, self.add):
            button.setAutoDefault(False)
        return row

    def _bind(self) -> None:
        self.domain.setAccessibleName("Host to open")
        self.domain.setPlaceholderText("api.example.org, *.example.org")
        self.ports.setAccessibleName("Ports, with commas between")
        self.ports.setPlaceholderText("443; for TCP the ports must be named")
        self.protocols["tls"].setChecked(True)
        for field in (self.domain, self.ports):
            field.textChanged.connect(self._choose)
            field.returnPressed.connect(self._open_place)
        for box in self.protocols.values():
            box.toggled.connect(self._choose)
        self.add.clicked.connect(self._open_place)
        self.deed.clicked.connect(self._do)
        self.list.selection_changed.connect(self._choose)
        self.list.chosen.connect(self._do)

    def _chosen(self) -> HostRule | None:
        source, _, sha = self.list.key().partition(":")
        return next((rule for rule in self._rules.hosts if (rule.source, rule.sha) == (source, sha)), None)

    def _choose(self) -> None:
        """Which buttons make sense now, and what they are called."""
        rule = self._chosen()
        own = rule is not None and rule.source == "you"
        accept = rule is not None and not rule.accepted
        words = "Accept this offer" if accept else "Withdraw approval"
        self.deed.setText("Remove this rule" if own or rule is None else words)
        self.deed.setEnabled(rule is not None)
        self.add.setEnabled(bool(self.domain.text().strip()) and bool(self._spoken()))

    def _spoken(self) -> list[str]:
        return [name for name, box in self.protocols.items() if box.isChecked()]

    def _do(self) -> None:
        rule, api = self._chosen(), self._context.api
        if rule is None:
            return
        if rule.source == "you":
            self._run(api.remove_host(rule.sha))
        else:
            self._run(api.withdraw_host(rule.sha) if rule.accepted else api.accept_host(rule.sha))

    def _open_place(self) -> None:
        if not self.add.isEnabled():
            return
        words = [word.strip() for word in self.ports.text().replace(";", ",").split(",") if word.strip()]
        if not all(word.isascii() and word.isdigit() and len(word) < 6 for word in words):
            self._show_fault("Ports are numbers from 1 to 65535, with commas between.")
            return
        place, ports = self.domain.text().strip(), tuple(int(word) for word in words)
        self._run(self._context.api.add_host(place, ports, tuple(self._spoken())), clear=True)

    def _run(self, question: Coroutine[Any, Any, NetworkRules], *, clear: bool = False) -> None:  # Any: as in Tasks.run
        self._context.tasks.run("change the network's rules", self._ask_core(question, clear))

    async def _ask_core(self, question: Coroutine[Any, Any, NetworkRules], clear: bool) -> None:  # Any: as above
        try:
            rules = await question
        except WorkbenchError as fault:
            self._show_fault(str(fault))
            return
        self._fault.hide()
        if clear:
            self.domain.clear()
            self.ports.clear()
        self._show(rules, self._entries)

    def _show_fault(self, words: str) -> None:
        self._fault.setText(one_line(words, 400))
        self._fault.show()
