"""Everything a person allowed or forbade as rows: what, since when, how often it decided, and when it ends."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from PySide6.QtCore import QCoreApplication

from workbench.gui.rows import Row
from workbench.gui.text import one_line
from workbench.gui.words import ago
from workbench.records import CallDecision, HostRule, NetworkRules, Permission, Permissions

translate = QCoreApplication.translate
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
        ("text", translate("permissions", "Programs allowed by their text"), _of(rules, now, void, "text", "skeleton")),
        ("rules", translate("permissions", "Servers, tools and arguments"), _of(rules, now, void, *_CALLS)),
        ("own", translate("permissions", "Calls that you make by hand"), _of(rules, now, void, "own")),
        ("trust", translate("permissions", "Servers whose annotations you trust"), trusted),
        ("hosts", translate("permissions", "Hosts open to programs"), [_host_row(one) for one in network.open]),
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
    badges = ((translate("permissions", "this session"), "info"),) if rule.scope != "always" else ()
    if over:
        word = translate("permissions", "expired") if expired else translate("permissions", "void")
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
    since = translate("permissions", "made {0} by {1}").format(_when(rule.made, now), one_line(rule.source, 40))
    times = (
        translate("permissions", "once")
        if rule.count == 1
        else translate("permissions", "{0} times").format(rule.count)
    )
    used = translate("permissions", "used {0}, last {1}").format(times, _when(rule.used, now))
    never = translate("permissions", "not used yet")
    tied = (
        translate("permissions", "void once a definition changes")
        if rule.word is CallDecision.ALLOW and rule.key
        else ""
    )
    if rule.kind == "own" and not rule.tool:
        tied = translate("permissions", "void once its command or address changes")
    return [word for word in (one_line(void, 120), since, used if rule.count else never, "" if void else tied) if word]


def _when(at: float, now: float) -> str:
    soon = translate("permissions", "just now")
    return soon if now - at < 60 else translate("permissions", "{0} ago").format(ago(at, now))


def _end(rule: Permission, now: float) -> str:
    if not rule.expires or rule.expires <= now:
        return ""
    return translate("permissions", "{0} days left").format(max(1, round((rule.expires - now) / 86_400)))


def _trusted_row(server: str) -> Row:
    detail = translate("permissions", "as long as its entry stays as it is")
    return Row(f"trust:{server}", one_line(server, 120), detail, icon="shield-check", tone="success")


def _host_row(rule: HostRule) -> Row:
    whose = translate("permissions", "your rule") if rule.source == "you" else translate("permissions", "the project's")
    detail = f"{', '.join(rule.protocols)} · {', '.join(map(str, rule.ports))} · {whose}"
    return Row(f"host:{rule.source}:{rule.sha}", one_line(rule.domain, 120), detail, icon="globe", tone="success")


def _of(rules: Iterable[Permission], now: float, void: Mapping[str, str], *kinds: str) -> list[Row]:
    return [rule_row(rule, now, void.get(rule.id, "")) for rule in rules if rule.kind in kinds]


def _fits(row: Row, text: str) -> bool:
    told = f"{row.title} {row.detail} {' '.join(word for word, _ in row.badges)}".casefold()
    return all(word in told for word in text.casefold().split())
