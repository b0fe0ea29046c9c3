"""Kinds of audit entries that have been renamed. Entries keep the kind they were written with, because the hash chain
covers it; whoever reads them gets the current name, and a query may use either.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

RENAMED_KINDS: Final = MappingProxyType({
    "agent.came": "agent.connected",
    "agent.left": "agent.disconnected",
    "ask.accept": "elicitation.accepted",
    "ask.arrived": "elicitation.requested",
    "ask.cancel": "elicitation.dismissed",
    "ask.decline": "elicitation.declined",
    "ask.given": "elicitation.values_sent",
    "ask.opened": "elicitation.page_opened",
    "ask.timed_out": "elicitation.timed_out",
    "ask.withdrawn": "elicitation.withdrawn",
    "call.allowed": "held_call.allowed",
    "call.denied": "held_call.denied",
    "call.held": "dry_run.call_held",
    "call.paused": "held_call.waiting",
    "call.removed": "saved_call.removed",
    "call.restored": "saved_call.restored",
    "call.saved": "saved_call.saved",
    "door.closed": "http_endpoint.closed",
    "door.opened": "http_endpoint.opened",
    "file.taken": "file.copied_out",
    "files.decided": "file.held_changes_decided",
    "files.forgotten": "file.history_deleted",
    "files.undone": "file.changes_undone",
    "history.forgotten": "history.calls_deleted",
    "net.blocked": "connection.blocked",
    "net.closed": "connection.closed",
    "net.connect": "connection.opened",
    "net.volume": "connection.volume_exceeded",
    "permission.renewed": "rule.list_reset",
    "permission.restored": "rule.restored",
    "permission.revoked": "rule.revoked",
    "permission.set": "rule.set",
    "pin.cleared": "terminal_pin.removed",
    "pin.set": "terminal_pin.set",
    "resource.left": "resource.unsubscribed",
    "run.held": "run.changes_held",
    "run.planned": "dry_run.plan_allowed",
    "run.rehearsed": "dry_run.started",
    "run.unforeseen": "run.unpredicted_effect",
    "run.voided": "run.approval_invalidated",
    "run.wrote": "run.files_changed",
    "server.doubted": "server.trust_withdrawn",
    "server.raw": "server.message_sent",
    "server.sign_in": "server.sign_in_started",
    "server.switched": "server.enabled_changed",
    "skill.accepted": "skill.recording_updated",
    "skill.back": "skill.restored",
    "skill.recorded": "skill.recording_added",
    "skill.unrecorded": "skill.recording_removed",
    "state.began": "repl_session.started",
    "state.ended": "repl_session.ended",
    "tool.said": "tool.annotation_changed",
})  # fmt: skip
_RENAMED_AREAS: Final = MappingProxyType({
    "ask.": "elicitation.",
    "door.": "http_endpoint.",
    "files.": "file.",
    "net.": "connection.",
    "permission.": "rule.",
    "pin.": "terminal_pin.",
    "state.": "repl_session.",
})  # fmt: skip


def current_kind(kind: str) -> str:
    """The current name of a kind, or of an area of kinds such as `net.`; any other text is returned as it is."""
    return RENAMED_KINDS.get(kind) or _RENAMED_AREAS.get(kind, kind)
