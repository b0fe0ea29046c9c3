"""Everything a person allowed or forbade as rows: what, since when, how often it decided, and when it ends."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from workbench.gui.rows import Row
from workbench.gui.text import one_line
from workbench.gui.words import ago
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
