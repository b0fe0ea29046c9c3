"""The user's rules and trust while a core runs, and the file that stores them. Only the user's clients can change
them.

Rules for a session stay in memory and end with the core. Usage counts are written together from time to time, so that
no call waits for them. A file with an unreadable part is not used at all: without a denial that is missing, its call
would be allowed.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file
from workbench.permissions import client_rules, own_calls, release_rules, rule_offers, rule_sentences, workspace_files
from workbench.permissions import sealed_fields as sealing
from workbench.permissions.call_rules import ClientOf, ToolRules, in_force, void_rules
from workbench.permissions.reviewed_tools import find_review
from workbench.permissions.tool_annotations import effective_tool
from workbench.records import (
    CallDecision,
    Fault,
    JsonObject,
    Permission,
    Permissions,
    ServerDecision,
    Standing,
    Tool,
    ToolGroup,
    Trust,
    UserAnnotations,
)

MOST_RULES = 1_000
_LASTING = ("always", "client")  # scopes of rules that outlive the core
_OF_TOOLS = ("tool", "arguments", release_rules.RESTORE, own_calls.OWN)
WRITE_AFTER = 30.0  # seconds after which usage counts are written, at the next call
_OTHER_ENTRY = "the server's entry has changed since the rule was made"
_OTHER_KINDS: dict[str, tuple[Callable[[Permission], str], Callable[[Permission, Tool | None], None]]] = {
    release_rules.RESTORE: (release_rules.sentence, release_rules.check),
    sealing.SEALED: (sealing.sentence, sealing.check),
    own_calls.OWN: (own_calls.sentence, own_calls.check),
    workspace_files.FILES: (workspace_files.sentence, workspace_files.check),
    client_rules.HOOK: (client_rules.sentence, client_rules.check),
}
Entry = Callable[[str], str]  # a server → the fingerprint of its current entry
_LOST = Fault(
    "Your rules for tools cannot be read: their file was damaged or changed. Every call by a program needs approval.",
    "Start a new list on the Trust page of any server. The damaged file is kept.",
)
_KINDS = frozenset({"server", "tool", "arguments", "text", "skeleton", "restore", "sealed", "own", "hook", "files"})
# fields that files of earlier versions lack
_RULE_FIELDS = frozenset(Permission.__struct_fields__) - {"taint", "about", "data", "entry", "others"}
_ANNOTATION_FIELDS = frozenset(UserAnnotations.__struct_fields__) - {"entry"}


class StoredRules(Struct, frozen=True):
    """Everything that outlives a core."""

    rules: tuple[Permission, ...] = ()
    decisions: Mapping[str, ServerDecision] = field(default_factory=dict)  # server → what its annotations are worth
    annotations: Mapping[str, Mapping[str, UserAnnotations]] = field(default_factory=dict)
    lost: bool = False


class _RuleFile(Struct, frozen=True):
    """The JSON object in the rules file."""

    format: Literal[1]
    rules: tuple[Permission, ...]
    believed: dict[str, str]  # server → fingerprint of its entry: trust given before `decisions` existed
    bits: dict[str, dict[str, UserAnnotations]]
    decisions: dict[str, ServerDecision] = field(default_factory=dict)


def read_rules(file: Path) -> StoredRules:
    """Read the file; an empty result if there is none."""
    try:
        found = json.loads(read_plain(file))
        stored = msgspec.convert(found, _RuleFile)
        annotations = [said for tools in found["bits"].values() for said in tools.values()]
        complete = all(one.keys() >= _RULE_FIELDS for one in found["rules"])
        if not complete or not all(one.keys() >= _ANNOTATION_FIELDS for one in annotations):
            return StoredRules(lost=True)
        if any(one.kind not in _KINDS for one in stored.rules):
            return StoredRules(lost=True)
        earlier = {server: ServerDecision(entry, earlier=True) for server, entry in stored.believed.items()}
        return StoredRules(stored.rules, earlier | stored.decisions, stored.bits)
    except FileNotFoundError:
        return StoredRules()
    except (OSError, ValueError, RecursionError):
        return StoredRules(lost=True)


def write_rules(file: Path, stored: StoredRules) -> None:
    """Replace the file atomically; only the user can read it."""
    bits = {server: dict(tools) for server, tools in stored.annotations.items() if tools}
    text = json.dumps(to_builtins(_RuleFile(1, stored.rules, {}, bits, dict(stored.decisions))))
    write_file(file, text, name="The rules file")


class _Snapshot(Struct, frozen=True):
    """All rules at one moment. Calls are judged on worker threads: a thread reads one snapshot and never sees half
    of a change, because a change replaces the complete snapshot."""

    stored: StoredRules
    passing: tuple[Permission, ...]  # rules for a session or a run
    by_server: Mapping[str, tuple[Permission, ...]]

    @property
    def rules(self) -> tuple[Permission, ...]:
        return (*self.stored.rules, *self.passing)


class Rules:
    """All rules, and the user's trust in servers and annotations of tools."""

    def __init__(
        self,
        file: Path,
        workspace: Path,
        entry: Entry = lambda server: "",
        analysis_version: str = "",
        client_of: ClientOf = lambda session: "",
        run_reviewed_reads: Callable[[], bool] = lambda: False,
    ) -> None:
        """`analysis_version`: version of the rules of the analysis; approvals given under a different version are
        void. `client_of`: the client of an agent session, for rules about one client. `run_reviewed_reads`: whether
        reading tools that we reviewed run before the user has decided about their server."""
        self._file = file
        self._run_reviewed_reads = run_reviewed_reads
        self._workspace = os.path.realpath(workspace)
        self._entry = entry
        self._analysis_version = analysis_version
        self._client_of = client_of
        self._now = _snapshot(read_rules(file), ())
        self._revoked: dict[str, Permission] = {}  # rules revoked since the core started, which can be restored
        self._withdrawn: dict[str, ServerDecision] = {}  # decisions withdrawn since the core started
        self._used: dict[str, tuple[int, float]] = {}  # usage counts that are not written yet
        self._written = time.monotonic()

    # ── queries ──────────────────────────────────────────────────────────────────────────────────
    @property
    def rules(self) -> tuple[Permission, ...]:
        """The rules that apply to the servers' current entries; when an entry changes, rules that allow lose their
        effect. Rules that ask or deny stay: a changed entry must not allow what was denied."""
        return self._in_force(self._now.rules)

    @property
    def trust(self) -> Trust:
        stored = self._stored
        decisions = {server: one for server, one in stored.decisions.items() if one.entry == self._entry(server)}
        return Trust(stored.annotations, stored.lost, decisions)

    def view(self, tools: Iterable[Tool] = ()) -> Permissions:
        """Return rules and trust as the user sees them, with current counts and why some rules no longer apply."""
        every, tools = tuple(map(self._with_present_count, self._now.rules)), tuple(tools)
        counting = {one.id for one in self.rules}
        void = {one.id: _OTHER_ENTRY for one in every if one.id not in counting} | void_rules(
            every, tools, self._analysis_version
        )
        void |= release_rules.void_rules(every, tools)
        undecided: dict[str, tuple[str, ...]] = {}
        for tool in tools:
            if tool.standing is Standing.UNDECIDED:
                undecided[tool.server] = (*undecided.get(tool.server, ()), tool.name)
        return Permissions(every, self.trust, (_LOST,) if self._stored.lost else (), void, undecided)

    @property
    def notices(self) -> tuple[Fault, ...]:
        return self.view().notices

    def tool_annotator(self, server: str, entry: str, *, builtin: bool, package: str = "") -> Callable[[Tool], Tool]:
        """Return a function that applies trust and annotations to the tools of a server whose entry has this
        fingerprint. `package`: the package whose reviewed annotations apply, if known."""
        stored = self._stored
        said = stored.annotations.get(server, {})
        mine = {tool: replace(one, key="") if _is_other(one.entry, entry) else one for tool, one in said.items()}
        decision = stored.decisions.get(server)
        current = decision is not None and bool(entry) and decision.entry == entry
        trust = Trust({server: mine}, stored.lost, {server: decision} if decision is not None and current else {})
        reads = self._run_reviewed_reads()
        return lambda tool: effective_tool(tool, trust, builtin, find_review(package, tool), run_reviewed_reads=reads)

    def rules_for(self, tool: Tool) -> ToolRules:
        """Return the current rules about a tool; later changes do not affect the result, so threads may use it."""
        now = self._now
        mine = now.by_server.get(tool.server, ())
        return ToolRules(tool, self._in_force(mine) if mine else (), now.stored.lost, self._workspace, self._client_of)

    def find_rules(self, kind: str, session: str) -> tuple[Permission, ...]:
        """Return the rules of a kind that apply to this session."""
        now = time.time()
        return tuple(one for one in self.rules if one.kind == kind and in_force(one, session, "", now, self._client_of))

    def proposals(self, tool: Tool, arguments: JsonObject) -> tuple[Permission, ...]:
        """Return rules that a decision about this call suggests, the narrowest first."""
        return rule_offers.proposals(tool, arguments, self._workspace)

    def note_use(self, rule: Permission | None) -> None:
        """Count that a rule decided something."""
        if rule is None:
            return
        count, _ = self._used.get(rule.id, (0, 0.0))
        self._used[rule.id] = (count + 1, time.time())
        if time.monotonic() - self._written > WRITE_AFTER:
            self.flush()

    def flush(self) -> None:
        """Write the waiting counts; if that fails, the rules themselves are unchanged."""
        self._written = time.monotonic()
        if self._used and not self._stored.lost:
            passing = tuple(map(self._with_present_count, self._passing))
            counted, self._used = tuple(map(self._with_present_count, self._stored.rules)), {}
            self._now = _snapshot(self._stored, passing)
            if counted != self._stored.rules:
                self._save(replace(self._stored, rules=counted))

    # ── changes by the user ─────────────────────────────────────────────────────────────────────────
    def set_rule(self, rule: Permission, tool: Tool | None) -> Permission:
        """Add a rule, or replace the one with its id."""
        self._check_readable()
        key = self._entry(rule.server) if _of_entry(rule) else tool.hash if tool is not None else ""
        entry = self._entry(rule.server) if tool is not None and rule.kind in _OF_TOOLS else ""
        made = replace(rule, id=rule.id or uuid.uuid4().hex[:12], key=key, made=time.time(), used=0.0, count=0)
        told, check = _OTHER_KINDS.get(made.kind, (rule_sentences.sentence, rule_sentences.check))
        check(made, tool)
        made = replace(made, label=told(made), entry=entry)
        others = [one for one in self._now.rules if not _same(one, made)]
        if len(others) >= MOST_RULES:
            raise WorkbenchError(f"There are {MOST_RULES:,} rules already.", "Revoke some first.")
        self._save_rules([*others, made])
        return made

    def store_rule(self, rule: Permission) -> Permission:
        """Store a rule made from an approval, exactly as given."""
        self._check_readable()
        self._save_rules([*(one for one in self._now.rules if one.id != rule.id), rule])
        return rule

    def revoke(self, rule_id: str) -> Permission:
        self._check_readable()
        every = self._now.rules
        found = next((one for one in every if one.id == rule_id), None)
        if found is None:
            raise WorkbenchError("This rule no longer exists.", "Look at the list again.")
        self._revoked[rule_id] = self._with_present_count(found)
        self._save_rules([one for one in every if one.id != rule_id])
        return found

    def is_revoked(self, rule_id: str) -> bool:
        """Whether the user has revoked this rule since the core started."""
        return rule_id in self._revoked

    def restore(self, rule_id: str) -> Permission:
        """Restore a revoked rule as it was; its expiry and conditions still apply."""
        if rule_id not in self._revoked:
            raise WorkbenchError("This rule cannot be restored.", "Create it again.")
        self.store_rule(self._revoked[rule_id])
        return self._revoked.pop(rule_id)

    def decide_trust(self, server: str, groups: Iterable[ToolGroup], tools: Iterable[Tool]) -> None:
        """Set which groups of a server's tools run without asking, for its current entry and these definitions."""
        self._check_readable()
        definitions = {tool.name: tool.hash for tool in tools}
        decision = ServerDecision(self._entry(server), tuple(sorted(set(groups))), definitions, time.time())
        self._save(replace(self._stored, decisions={**self._stored.decisions, server: decision}))

    def withdraw_trust(self, server: str) -> None:
        """Forget what the user decided about a server: it is undecided again."""
        self._check_readable()
        kept = dict(self._stored.decisions)
        if (gone := kept.pop(server, None)) is not None:
            self._withdrawn[server] = gone
        self._save(replace(self._stored, decisions=kept))

    def restore_trust(self, server: str) -> None:
        """Restore a withdrawn decision as it was; it still ends with the entry and the definitions it was about."""
        self._check_readable()
        if server not in self._withdrawn:
            raise WorkbenchError("This decision cannot be restored.", "Decide about the server again.")
        self._save(replace(self._stored, decisions={**self._stored.decisions, server: self._withdrawn.pop(server)}))

    def bind_earlier_trust(self, tools: Iterable[Tool]) -> None:
        """Bind trust that was given before definitions were noted to the definitions that are known now."""
        by_server: dict[str, dict[str, str]] = {}
        for tool in tools:
            by_server.setdefault(tool.server, {})[tool.name] = tool.hash
        bound = {
            server: replace(one, definitions=by_server[server])
            for server, one in self._stored.decisions.items()
            if one.earlier and not one.definitions and server in by_server
        }
        if bound and not self._stored.lost:
            self._save(replace(self._stored, decisions={**self._stored.decisions, **bound}))

    def keep_for_changed_entry(self, server: str, before: str) -> None:
        """Keep trust and rules for an entry that the user changed."""
        now = self._entry(server)
        if self._stored.lost or before == now:
            return
        decisions = dict(self._stored.decisions)
        if server in decisions and decisions[server].entry == before:
            decisions[server] = replace(decisions[server], entry=now)
        rules = tuple(_carried(one, before, now) if one.server == server else one for one in self._stored.rules)
        passing = tuple(_carried(one, before, now) if one.server == server else one for one in self._passing)
        said = {
            tool: replace(one, entry=now) if one.entry == before else one
            for tool, one in self._stored.annotations.get(server, {}).items()
        }
        bits = {**self._stored.annotations, server: said} if said else self._stored.annotations
        changed = replace(self._stored, rules=rules, decisions=decisions, annotations=bits)
        self._save(changed, passing)

    def set_annotations(self, tool: Tool, annotations: UserAnnotations) -> None:
        """Set the user's annotations of one tool."""
        self._check_readable()
        bits: dict[str, Mapping[str, UserAnnotations]] = dict(self._stored.annotations)
        mine = {name: one for name, one in bits.get(tool.server, {}).items() if name != tool.name}
        if replace(annotations, key="", entry="") != UserAnnotations():
            mine[tool.name] = replace(annotations, key=tool.hash, entry=self._entry(tool.server))
        rules = self._stored.rules
        if (
            annotations.destructive or annotations.sends
        ):  # revokes rules for the user's own calls of the tool, so that they ask again
            mark = (own_calls.OWN, tool.server, tool.name)
            rules = tuple(one for one in rules if (one.kind, one.server, one.tool) != mark)
        self._save(replace(self._stored, rules=rules, annotations={**bits, tool.server: mine}))

    def replace_damaged_file(self) -> None:
        """Start a new list in place of one that cannot be read; the old file is kept under a different name."""
        if not self._stored.lost:
            raise WorkbenchError("Your rules can be read, so no new list is needed.", "Revoke rules one by one.")
        try:
            os.replace(self._file, self._file.with_suffix(".damaged"))
        except FileNotFoundError:
            pass
        except OSError as fault:
            words = f"The damaged file of rules cannot be renamed: {fault.strerror}."
            raise WorkbenchError(words, f"Rename or delete {self._file}.") from fault
        self._save(StoredRules())

    # ── internal ─────────────────────────────────────────────────────────────────────────────────
    @property
    def _stored(self) -> StoredRules:
        return self._now.stored

    @property
    def _passing(self) -> tuple[Permission, ...]:
        return self._now.passing

    def _in_force(self, rules: Iterable[Permission]) -> tuple[Permission, ...]:
        entry = lru_cache(self._entry)
        return tuple(one for one in rules if not (bound := _bound(one)) or bound == entry(one.server))

    def _check_readable(self) -> None:
        if self._stored.lost:
            raise WorkbenchError(_LOST.message, _LOST.hint)

    def _save_rules(self, rules: list[Permission]) -> None:
        counted = tuple(map(self._with_present_count, rules))
        lasting = tuple(one for one in counted if one.scope in _LASTING)
        self._save(replace(self._stored, rules=lasting), tuple(one for one in counted if one.scope not in _LASTING))
        self._used = {}

    def _with_present_count(self, one: Permission) -> Permission:
        if one.id not in self._used:
            return one
        more, at = self._used[one.id]
        return replace(one, count=one.count + more, used=at)

    def _save(self, changed: StoredRules, passing: tuple[Permission, ...] | None = None) -> None:
        if changed != self._stored:
            write_rules(self._file, changed)
        self._now = _snapshot(changed, self._passing if passing is None else passing)


def _snapshot(stored: StoredRules, passing: tuple[Permission, ...]) -> _Snapshot:
    by_server: dict[str, list[Permission]] = {}
    for one in (*stored.rules, *passing):
        by_server.setdefault(one.server, []).append(one)
    return _Snapshot(stored, passing, {server: tuple(rules) for server, rules in by_server.items()})


def _of_entry(rule: Permission) -> bool:
    """Whether the rule applies to one entry of its server only; a rule that denies applies to every entry."""
    giving = rule.kind == release_rules.RESTORE and not rule.tool and rule.word is CallDecision.ALLOW
    own = rule.kind == own_calls.OWN and not rule.tool
    return rule.kind == "server" or giving or own


def _same(one: Permission, other: Permission) -> bool:
    """Whether two rules are the same or about the same calls; the newer one replaces the older."""
    about = (one.kind, one.server, one.tool, one.where, one.scope, one.session, one.data, one.others)
    return one.id == other.id or about == (
        other.kind, other.server, other.tool, other.where, other.scope, other.session, other.data, other.others
    )  # fmt: skip


def _bound(one: Permission) -> str:
    """Return the entry that a rule that allows was made for; empty if it applies to any."""
    if one.word is not CallDecision.ALLOW:
        return ""
    return one.key if _of_entry(one) else one.entry


def _carried(one: Permission, before: str, now: str) -> Permission:
    if one.kind == own_calls.OWN:
        return one  # the trust was given for exactly this command or address
    if _of_entry(one) and one.key == before:
        return replace(one, key=now)
    return replace(one, entry=now) if one.entry == before else one


def _is_other(known: str, entry: str) -> bool:
    return bool(known and entry) and known != entry
