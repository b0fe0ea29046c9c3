"""What programs may reach as rows: offers first, because somebody has to decide; then rules, denials, what happened."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.gui.rows import Row
from workbench.gui.text import one_line
from workbench.gui.words import clock
from workbench.records import Entry, HostRule, NetworkRules

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
