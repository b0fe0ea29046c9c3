"""Dialog "What you allowed": every rule, trusted server and open host, since when, how often used, and how it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState, paragraph
from workbench.gui.kit.rows import Row, grouped
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.wording import ago
from workbench.gui.settings.network import host_row
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import ShowRun
from workbench.records import CallDecision, HostRule, NetworkRules, Permission, Permissions, ToolGroup, Trust

Change: TypeAlias = Callable[[], Coroutine[Any, Any, object]]  # Any: asyncio's own

_ICONS = {
    CallDecision.ALLOW: ("check", "success"),
    CallDecision.ASK: ("help", "warning"),
    CallDecision.DENY: ("ban", "danger"),
}
_CALL_RULES = ("server", "tool", "arguments")
_FROM_RUN = "run "  # begins the source of a rule that was made when a run was allowed


def permission_rows(permissions: Permissions, network: NetworkRules, search: str = "") -> list[Row]:
    """Rows in groups, the widest permissions first. `search` keeps rows that contain all of its words."""
    now = time.time()
    rules = sorted(permissions.rules, key=lambda rule: -max(rule.used, rule.made))
    of_kinds, trust = partial(_rows_of_kinds, rules, now, permissions.void), permissions.trust
    groups = (
        ("text", "Exact programs", of_kinds("text", "skeleton")),
        ("rules", "Servers, tools and arguments", of_kinds(*_CALL_RULES)),
        ("files", "Files of the workspace", of_kinds("files")),
        ("own", "Calls that you make yourself", of_kinds("own")),
        ("hooks", "Commands, files and tools of other clients", of_kinds("hook")),
        ("trust", "Servers that you decided about", [_trusted_row(name, trust) for name in trust.trusted]),
        ("hosts", "Hosts that programs can reach", [_host_row(host) for host in network.open]),
    )
    return grouped(*((key, title, [row for row in rows if _matches(row, search)]) for key, title, rows in groups))


def rule_row(rule: Permission, now: float, void: str = "") -> Row:
    """One rule. `void`: why it has no effect any more."""
    symbol, tone = _ICONS[rule.word]
    expired = bool(rule.expires) and rule.expires <= now
    who = one_line(rule.session, 40) if rule.scope == "client" else "this session"
    badges = ((who, "info"),) if rule.scope != "always" else ()
    if expired or void:
        badges = (("expired" if expired else "void", "muted"), *badges)
    return Row(
        key=f"rule:{rule.id}",
        title=one_line(rule.label or f"{rule.server}.{rule.tool}".strip("."), 160),
        detail=" · ".join(_facts(rule, now, void)),
        aside=_days_left(rule, now),
        icon=symbol,
        tone="muted" if expired or void else tone,
        badges=badges,
        faded=bool(expired or void),
        tip=one_line(rule.label, 300),
    )


def _facts(rule: Permission, now: float, void: str) -> list[str]:
    run_id = _run_id(rule)
    maker = f"when you allowed run {one_line(run_id, 40)}" if run_id else f"by {one_line(rule.source, 40)}"
    times = "once" if rule.count == 1 else f"{rule.count:,} times"
    used = f"used {times}, last {_when(rule.used, now)}" if rule.count else "not used yet"
    condition = ""
    if rule.kind == "own" and not rule.tool:
        condition = "void if its command or address changes"
    elif rule.word is CallDecision.ALLOW and rule.key:
        condition = "void if a tool definition changes"
    facts = (one_line(void, 120), f"made {_when(rule.made, now)} {maker}", used, "" if void else condition)
    return [fact for fact in facts if fact]


def _run_id(rule: Permission) -> str:
    """The run whose approval made the rule; empty for other rules."""
    return rule.source.removeprefix(_FROM_RUN) if rule.source.startswith(_FROM_RUN) else ""


def _when(at: float, now: float) -> str:
    return "just now" if now - at < 60 else f"{ago(at, now)} ago"


def _days_left(rule: Permission, now: float) -> str:
    if not rule.expires or rule.expires <= now:
        return ""
    days = max(1, round((rule.expires - now) / 86_400))
    return f"{days:,} day{'s' * (days != 1)} left"


def _trusted_row(server: str, trust: Trust) -> Row:
    decision = trust.decisions[server]
    groups = ToolGroup.READS, ToolGroup.ADDS
    ticked = [group.description for group in ToolGroup if group in (groups if decision.earlier else decision.groups)]
    detail = f"Without asking: tools that {' or '.join(ticked)} · void if its configuration entry changes"
    return Row(f"trust:{server}", one_line(server, 120), detail, icon="shield-check", tone="success")


def _host_row(host: HostRule) -> Row:
    row = host_row(host)
    return replace(row, key=f"host:{row.key}")


def _rows_of_kinds(rules: Iterable[Permission], now: float, void: Mapping[str, str], *kinds: str) -> list[Row]:
    return [rule_row(rule, now, void.get(rule.id, "")) for rule in rules if rule.kind in kinds]


def _matches(row: Row, search: str) -> bool:
    shown = f"{row.title} {row.detail} {' '.join(badge for badge, _ in row.badges)}".casefold()
    return all(word in shown for word in search.casefold().split())


class PermissionsDialog(Dialog):
    """What was revoked can be restored while the dialog is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, "What you allowed", parent=parent)
        self._context = context
        self._restore: Change | None = None
        self._restored_text = ""
        self._rows: dict[str, Row] = {}  # what is shown, by key
        unit = context.theme.unit
        self.setMinimumSize(unit * 110, unit * 80)
        self.resize(unit * 180, unit * 130)
        self.list = ListPane(context.theme, "Rules", EmptyState(context.theme, "shield", "", ""), search="Find a rule")
        self.rule = ForeignLabel("")  # a row shows one line of it
        self.message = paragraph("", "muted")
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self.rule)
        self.body.addWidget(self.message)
        self._revoke_button = self.add_button("Revoke", self._revoke, left=True)
        self._run_button = self.add_button("Show run", self._show_run, left=True)
        self._undo_button = self.add_button("Undo", self._undo, left=True)
        self._undo_button.hide()
        self.add_close()
        self.list.searched.connect(self._show_rules)
        self.list.selection_changed.connect(self.update_buttons)
        self._actions = menu_action(self, "Revoke", self._revoke), menu_action(self, "Show run", self._show_run)
        self.list.set_menu(self._menu)
        context.store.permissions_changed.connect(self._show_rules)
        context.store.network_changed.connect(self._show_rules)
        self._show_rules()
        context.store.load_permissions()

    def update_buttons(self) -> None:
        self._revoke_button.setEnabled(self.list.key().partition(":")[0] in ("rule", "trust", "host"))
        self._run_button.setEnabled(bool(self._selected_run()))
        row = self._rows.get(self.list.key())
        self.rule.setText("\n".join((row.tip or row.title, row.detail)) if row is not None else "")
        self.rule.setVisible(row is not None)

    # inside

    def _show_rules(self) -> None:
        permissions = self._context.store.permissions or Permissions()
        selected, search = self.list.key(), self.list.search_text()
        if search:
            self.list.empty.say("No rule matches", "Search for a part of a server, tool, program or host.")
        else:
            self.list.empty.say(
                "No rules",
                "When a program waits for approval, the menu beside Allow can make a rule: for the session, for"
                " exactly this program, or for a server. A server's page Trust makes rules for tools and arguments.",
            )
        rows = permission_rows(permissions, self._context.store.network or NetworkRules(), search)
        self._rows = {row.key: row for row in rows}
        self.list.show_rows(rows)
        if selected and self.list.key() != selected:
            self.list.view.clearSelection()  # pressing Revoke again must not revoke the rule that moved up
        if permissions.notices:
            self.show_fault(permissions.notices[0])
        self.update_buttons()

    def _selected_run(self) -> str:
        kind, _, rule_id = self.list.key().partition(":")
        rules = self._context.store.permissions.rules if kind == "rule" and self._context.store.permissions else ()
        return next((_run_id(rule) for rule in rules if rule.id == rule_id), "")

    def _menu(self, _key: str) -> list[QAction | None]:
        buttons = (self._revoke_button, self._run_button)
        return [action for action, button in zip(self._actions, buttons, strict=True) if button.isEnabled()]

    def _show_run(self) -> None:
        """Close, because the window below cannot be used meanwhile, and show the run that made the rule."""
        run_id = self._selected_run()
        self.accept()
        self._context.go(ShowRun(run_id))

    def _revoke(self) -> None:
        kind, _, name = self.list.key().partition(":")
        api, network = self._context.api, self._context.store.network
        if kind == "rule":
            self._restore, self._restored_text = partial(api.restore_permission, name), "The rule is restored."
            self._change(partial(api.revoke_permission, name), "Revoked. These calls need approval again.")
        elif kind == "trust":
            self._restore, self._restored_text = partial(api.restore_trust, name), f"You trust {name} again."
            self._change(partial(api.withdraw_trust, name), f"You no longer trust the annotations of {name}.")
        elif network is not None:
            source, _, sha = name.partition(":")
            host = next(host for host in network.hosts if (host.source, host.sha) == (source, sha))
            self._restored_text = f"Programs can reach {host.domain} again."
            if source == "you":
                self._restore = partial(api.add_host, host.domain, host.ports, host.protocols)
                remove = partial(api.remove_host, sha)
            else:
                self._restore, remove = partial(api.accept_host, sha), partial(api.withdraw_host, sha)
            self._change(remove, f"Programs can no longer reach {host.domain}.")

    def _undo(self) -> None:
        if self._restore is not None:
            restore, self._restore = self._restore, None
            self._change(restore, self._restored_text)

    def _change(self, change: Change, message: str) -> None:
        self.run(self._context.tasks, "change a rule", self._changed(change, message))

    async def _changed(self, change: Change, message: str) -> None:
        await change()
        self.message.setText(one_line(message, 400))
        self._undo_button.setVisible(self._restore is not None)
        self.list.view.setFocus(Qt.FocusReason.OtherFocusReason)
