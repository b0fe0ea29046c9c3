"""Secrets as rows: what servers need and is missing first, because a person has to do something about it."""

from __future__ import annotations

from workbench.gui.rows import Row
from workbench.gui.text import visible
from workbench.records import SecretInfo, SecretStore


def secret_rows(store: SecretStore) -> list[Row]:
    missing = [secret_row(info) for info in store.secrets if not info.stored]
    stored = [secret_row(info) for info in store.secrets if info.stored]
    rows: list[Row] = []
    if missing:
        rows.append(Row("section:missing", "Needed, not stored", section=True))
    rows += missing
    rows.append(Row("section:stored", "Stored", aside=str(len(stored)), section=True))
    return rows + stored


def secret_row(info: SecretInfo) -> Row:
    used = ", ".join(visible(server) for server in info.servers)
    by = f"used by {used}" if used else "no server refers to it"
    if info.signed_in:
        by = f"what your sign-in at {visible(info.signed_in)} brought"
    return Row(
        key=info.name,
        title=visible(info.name),
        detail=by,
        icon="key" if info.stored else "warning",
        tone="muted" if info.stored else "warning",
        mono=True,
        tip=f"{visible(info.name)}\n{by}",
    )
