"""Everything a person allowed or forbade as rows: what, since when, how often it decided, and when it ends."""

from __future__ import annotations

import time
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, NetworkChanged, PermissionsChanged
from workbench.gui.kit.lists import EmptyState, RowsView, label, search_box
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import ago
from workbench.gui.shell.bridge import Bridge
from workbench.gui.shell.context import Context
from workbench.records import CallDecision, HostRule, NetworkRules, Permission, Permissions

_SIGNS = {
    CallDecision.ALLOW: ("check", "success"),
    CallDecision.ASK: ("help", "warning"),
    CallDecision.DENY: ("ban", "danger"),
}
_CALLS = ("server", "tool", "arguments")


def permission_rows(permissions: Permissions, network: NetworkRules, text: str = "") -> list[Row]:
    """In the order of how much they let happen without a question; `text` keeps those that hold all of its words."""
    now, rules = time.time(), sorted(permissions.rules, key=lambda rule: -max(rule.used, rule.made))
    trusted = [_trusted_row(server) for server in permissions.trust.believed]
    void = permissions.void
    groups = (
        ("text", "Programs allowed by their text", _of(rules, now, void, "text", "skeleton")),
        ("rules", "Servers, tools and arguments", _of(rules, now, void, *_CALLS)),
        ("own", "Calls that you make by hand", _of(rules, now, void, "own")),
        ("trust", "Servers whose annotations you trust", trusted),
        ("hosts", "Hosts open to programs", [_host_row(one) for one in network.open]),
    )
    rows: list[Row] = []
    for key, title, found in groups:
        if fitting := [row for row in found if _fits(row, text)]:
            rows += [Row(f"section:{key}", title, aside=str(len(fitting)), section=True), *fitting]
    return rows


def rule_row(rule: Permission, now: float, void: str = "") -> Row:
    icon, tone = _SIGNS[rule.word]
    expired = bool(rule.expires) and rule.expires <= now
    over = expired or bool(void)
    badges = (("this session", "info"),) if rule.scope != "always" else ()
    if over:
        word = "expired" if expired else "void"
        badges = ((word, "muted"), *badges)
    return Row(
        key=f"rule:{rule.id}",
        title=one_line(rule.label or f"{rule.server}.{rule.tool}".strip("."), 160),
        detail=" · ".join(_facts(rule, now, void)),
        aside=_end(rule, now),
        icon=icon,
        tone="muted" if over else tone,
        badges=badges,
        faded=over,
        tip=one_line(rule.label, 300),
    )


def _facts(rule: Permission, now: float, void: str) -> list[str]:
    since = f"made {_when(rule.made, now)} by {one_line(rule.source, 40)}"
    times = "once" if rule.count == 1 else f"{rule.count} times"
    used = f"used {times}, last {_when(rule.used, now)}"
    never = "not used yet"
    tied = "void once a definition changes" if rule.word is CallDecision.ALLOW and rule.key else ""
    if rule.kind == "own" and not rule.tool:
        tied = "void once its command or address changes"
    return [word for word in (one_line(void, 120), since, used if rule.count else never, "" if void else tied) if word]


def _when(at: float, now: float) -> str:
    soon = "just now"
    return soon if now - at < 60 else f"{ago(at, now)} ago"


def _end(rule: Permission, now: float) -> str:
    if not rule.expires or rule.expires <= now:
        return ""
    return f"{max(1, round((rule.expires - now) / 86_400))} days left"


def _trusted_row(server: str) -> Row:
    detail = "as long as its entry stays as it is"
    return Row(f"trust:{server}", one_line(server, 120), detail, icon="shield-check", tone="success")


def _host_row(rule: HostRule) -> Row:
    whose = "your rule" if rule.source == "you" else "the project's"
    detail = f"{', '.join(rule.protocols)} · {', '.join(map(str, rule.ports))} · {whose}"
    return Row(f"host:{rule.source}:{rule.sha}", one_line(rule.domain, 120), detail, icon="globe", tone="success")


def _of(rules: Iterable[Permission], now: float, void: Mapping[str, str], *kinds: str) -> list[Row]:
    return [rule_row(rule, now, void.get(rule.id, "")) for rule in rules if rule.kind in kinds]


def _fits(row: Row, text: str) -> bool:
    told = f"{row.title} {row.detail} {' '.join(word for word, _ in row.badges)}".casefold()
    return all(word in told for word in text.casefold().split())


def show_permissions(context: Context, parent: QWidget, bridge: Bridge) -> None:
    dialog = PermissionsDialog(context, parent)
    bridge.heard.connect(dialog.hear)
    dialog.open()


class PermissionsDialog(QDialog):
    """Stays open; revoking can be undone as long as it is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._permissions, self._network = Permissions(), NetworkRules()
        self._revoked = ""  # the id of the rule that was revoked last
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("What you allowed")
        self.finder = search_box("Find a rule", "Filter the rules by text")
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "Rules", self)
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(False)
        nothing = "Nothing is allowed beyond one run"
        self.empty = EmptyState(context.theme, "shield", nothing, self._teach(), self)
        self.words = label("", "muted")
        self.revoke = QPushButton("Revoke")
        self.undo = QPushButton("Undo")
        self._lay_out(context.theme.unit)
        self.finder.textChanged.connect(self._draw)
        self.revoke.clicked.connect(self._revoke)
        self.undo.clicked.connect(self._undo)
        self.list.selection_changed.connect(self._choose)
        context.tasks.run("read what is allowed", self._read())

    def hear(self, event: Event) -> None:
        if isinstance(event, PermissionsChanged):
            self._permissions = event.permissions
            self._draw()
        elif isinstance(event, NetworkChanged):
            self._network = event.rules
            self._draw()

    def _teach(self) -> str:
        return (
            "When a program waits for you, the menu beside Allow can make a rule: for the session, for exactly this"
            " program, or for a server. Rules for tools and arguments are made on a server's Trust page."
        )

    def _lay_out(self, unit: int) -> None:
        self.setMinimumSize(unit * 110, unit * 80)
        self.resize(unit * 180, unit * 130)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.list)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 5,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(self.finder)
        column.addLayout(self._stack, 1)
        self.words.setWordWrap(True)
        column.addWidget(self.words)
        row = QHBoxLayout()
        close = QPushButton("Close")
        close.clicked.connect(self.accept)
        for button in (self.revoke, self.undo, close):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.insertStretch(2)
        self.undo.hide()
        column.addLayout(row)

    async def _read(self) -> None:
        self._permissions = await self._context.api.permissions()
        self._network = await self._context.api.network()
        self._draw()

    def _draw(self) -> None:
        rows = permission_rows(self._permissions, self._network, self.finder.text())
        self.model.show_rows(rows)
        some = bool(rows) or bool(self.finder.text())
        self._stack.setCurrentWidget(self.list if some else self.empty)
        if notices := self._permissions.notices:
            self._say(f"{notices[0].message} {notices[0].hint}", "error")
        self._choose()

    def _choose(self) -> None:
        self.revoke.setEnabled(self.list.key().partition(":")[0] in ("rule", "trust", "host"))

    def _say(self, words: str, role: str = "muted") -> None:
        mark(self.words, role=role)
        self.words.setText(one_line(words, 400))

    def _revoke(self) -> None:
        kind, _, name = self.list.key().partition(":")
        api = self._context.api
        if kind == "rule":
            self._run(api.revoke_permission(name), "Revoked. You are asked again.", revoked=name)
        elif kind == "trust":
            self._run(api.trust_server(name, False), f"{name} is not believed any more.")
        elif kind == "host":
            source, _, sha = name.partition(":")
            deed = api.remove_host(sha) if source == "you" else api.withdraw_host(sha)
            self._run(deed, "Closed for programs; Network opens it again.")

    def _undo(self) -> None:
        self._run(self._context.api.restore_permission(self._revoked), "The rule is back as it was.")

    def _run(self, deed: Coroutine[Any, Any, object], words: str, revoked: str = "") -> None:  # Any: as in Tasks.run
        self._context.tasks.run("change what is allowed", self._do(deed, words, revoked))

    async def _do(self, deed: Coroutine[Any, Any, object], words: str, revoked: str) -> None:  # Any: as above
        try:
            await deed
        except WorkbenchError as fault:
            self._say(str(fault), "error")
            return
        self._say(words)
        self._revoked = revoked
        self.undo.setVisible(bool(revoked))
        await self._read()
        self.list.clearSelection()  # a second press must not revoke the rule that moved up
        self.list.setFocus()
