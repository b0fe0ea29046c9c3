"""Secrets as rows: what servers need and is missing first, because a person has to do something about it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from workbench.gui.rows import Row
from workbench.gui.text import visible
from workbench.records import SecretInfo, SecretStore

translate = QCoreApplication.translate


def secret_rows(store: SecretStore) -> list[Row]:
    missing = [secret_row(info) for info in store.secrets if not info.stored]
    stored = [secret_row(info) for info in store.secrets if info.stored]
    rows: list[Row] = []
    if missing:
        rows.append(Row("section:missing", translate("secrets", "Needed, not stored"), section=True))
    rows += missing
    rows.append(Row("section:stored", translate("secrets", "Stored"), aside=str(len(stored)), section=True))
    return rows + stored


def secret_row(info: SecretInfo) -> Row:
    used = ", ".join(visible(server) for server in info.servers)
    by = translate("secrets", "used by {}").format(used) if used else translate("secrets", "no server refers to it")
    if info.signed_in:
        by = translate("secrets", "what your sign-in at {} brought").format(visible(info.signed_in))
    return Row(
        key=info.name,
        title=visible(info.name),
        detail=by,
        icon="key" if info.stored else "warning",
        tone="muted" if info.stored else "warning",
        mono=True,
        tip=f"{visible(info.name)}\n{by}",
    )
