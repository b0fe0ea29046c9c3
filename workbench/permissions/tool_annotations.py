"""Effective annotations of a tool: its hints, three annotations that no server sends, and its risk.

A server's hints are claims. Hints that make a tool harmless count if the user decided so about its server and this
definition, or set the same annotation; hints that make it dangerous always count. Built-in reviewed annotations take
the place of hints and guesses in the same way. Three annotations come from the user, the review, or are guessed from
name, description and hints: whether the tool holds private data, whether outsiders can write what it returns, and
whether it can send data outside. A description may only make a guess stricter, because the server wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from workbench.permissions import tool_verbs
from workbench.permissions.reviewed_tools import Review
from workbench.permissions.sql_statements import only_reads, read_sql
from workbench.permissions.tool_groups import GroupFinding, doubt_of_closed_world, find_group
from workbench.permissions.word_sets import names
from workbench.records import (
    Hints,
    JsonObject,
    JsonValue,
    Risk,
    ServerDecision,
    Standing,
    Tool,
    ToolGroup,
    Trust,
    UserAnnotations,
)
from workbench.settings import Settings

_SENDS = re.compile(
    r"^\W{0,5}(?:sends?|posts?|publish(?:es)?|e-?mails?|forwards?|uploads?|shares?|notif(?:y|ies)|tweets?|invites?)\b",
    re.I,
)
_OUTSIDERS = re.compile(
    r"\b(?:e-?mails?|inbox|web ?pages?|websites?|comments?|reviews?|issues|tickets|news|rss|chat messages)\b", re.I
)
_LOOKED_AT = 400  # characters of a description that are read
HINTS = ("read_only", "destructive", "idempotent", "open_world")
OWN = ("private", "outsiders", "sends")  # annotations that no server sends
MOST_FACTS = 4_096  # tools whose facts are cached


class ToolFacts(Struct, frozen=True):
    """Facts derived from the definition and the annotations of one tool."""

    risk: Risk
    private: bool
    outsiders: bool
    sends: bool
    reads_named_hosts: bool
    reaches_outside: bool
    destroys: bool
    contradicts: bool
    unverified: bool  # it only reads or adds as far as we know, but the user has not decided to believe that
    unasked: bool  # the user decided that programs run it without asking

    @property
    def only_reads(self) -> bool:
        """Whether the tool changes nothing and sends nothing outside except its request."""
        return self.risk is Risk.LOW and not self.sends

    @property
    def harmless(self) -> bool:
        """Whether no argument can do harm: the tool changes nothing and sends nothing outside."""
        return self.risk is Risk.LOW and not self.reaches_outside


_facts: dict[int, tuple[Tool, ToolFacts]] = {}  # by the identity of a tool, which is immutable


def facts_of(tool: Tool) -> ToolFacts:
    """Return the facts about a tool, cached because each call needs them."""
    known = _facts.get(id(tool))
    if known is not None and known[0] is tool:
        return known[1]
    found = ToolFacts(
        tool_risk(tool),
        private(tool),
        outsiders(tool),
        sends(tool),
        reads_named_hosts(tool),
        reaches_outside(tool),
        destroys(tool),
        contradicts(tool),
        unverified(tool),
        tool.standing is Standing.RUNS,
    )
    if len(_facts) >= MOST_FACTS:
        _facts.clear()
    _facts[id(tool)] = tool, found
    return found


def unverified(tool: Tool) -> bool:
    """Whether only the user's missing trust makes the tool risky: it reads or, as long as the user has not decided,
    adds."""
    if tool.group is ToolGroup.READS:
        return tool.standing in (Standing.UNDECIDED, Standing.ASKS)
    return tool.group is ToolGroup.ADDS and tool.standing is Standing.UNDECIDED


def private(tool: Tool) -> bool:
    """Whether the tool's answers contain data that is not public."""
    return guess_private(tool) if tool.private is None else tool.private


def outsiders(tool: Tool) -> bool:
    """Whether outsiders can write what the tool returns."""
    return guess_outsiders(tool) if tool.outsiders is None else tool.outsiders


def sends(tool: Tool) -> bool:
    """Whether the tool can send data outside."""
    return guess_sends(tool) if tool.sends is None else tool.sends


def reads_named_hosts(tool: Tool, argument_names: Iterable[str] = ()) -> bool:
    """Whether the tool only reads, but from hosts that its arguments name, so that those hosts see the request.
    `argument_names`: argument names of a call, used if the schema is unknown."""
    if not _only_looks_up(tool):
        return False
    fields = tool.input_schema.get("properties")
    if any(map(tool_verbs.names_address, fields if isinstance(fields, Mapping) else argument_names)):
        return True
    said = set(tool_verbs.name_words(tool.name))
    if tool.hints.open_world is False or fields:
        return False
    return not said.isdisjoint(tool_verbs.ADDRESSED) or ("fetch" in said and "page" in said)


def reads_outside(tool: Tool) -> bool:
    """Whether the tool only reads, but from outside its own server, where the request itself is visible."""
    if not _only_looks_up(tool):
        return False
    world = tool.hints.open_world
    return not tool_verbs.WORLD.isdisjoint(tool_verbs.name_words(tool.name)) if world is None else world


def reaches_outside(tool: Tool, argument_names: Iterable[str] = ()) -> bool:
    """Whether a call of the tool can be visible outside its server, or the user has not decided about its server, which
    is then itself outside for the data of others."""
    undecided = tool.standing is Standing.UNDECIDED
    return undecided or sends(tool) or reads_named_hosts(tool, argument_names) or reads_outside(tool)


def reaches_new_recipient(tool: Tool, server: str, argument_names: Iterable[str] = ()) -> bool:
    """Whether a call of the tool can send what this server answered to a new recipient. An address or a message
    names a new recipient; a service that a server always queries already knows what came from it."""
    if reads_named_hosts(tool, argument_names) or (sends(tool) and tool_verbs.sends(tool.name)):
        return True
    return server != tool.server and reaches_outside(tool, argument_names)


def contradicts(tool: Tool) -> bool:
    """Whether a tool claims to only read but has a name that says otherwise. Not once the user or we have read it."""
    if "read_only" in tool.said or (tool.reviewed and tool.group is ToolGroup.READS):
        return False
    claims = tool.claimed or tool.hints
    return bool(claims.read_only) and tool_verbs.contradicts_reading(tool.name)


def guess_sends(tool: Tool) -> bool:
    """Guess from hints and name whether the tool sends data outside."""
    if _only_reads(tool):
        return False
    return tool_verbs.sends(tool.name) or bool(tool.hints.open_world)


def guess_outsiders(tool: Tool) -> bool:
    """Guess from the content of the answers, such as mail, issues or pages, whether outsiders can write it."""
    if not _returns_data(tool) and not tool_verbs.may_read(tool.name):
        return False
    if tool.hints.open_world is not None:
        return tool.hints.open_world
    return not _name_words(tool).isdisjoint(tool_verbs.OUTSIDERS | tool_verbs.PUBLIC)


def guess_private(tool: Tool) -> bool:
    """Guess whether answers are private: they are, unless the tool reads public data."""
    if not _returns_data(tool):
        return False
    return _name_words(tool).isdisjoint(tool_verbs.PUBLIC) or not guess_outsiders(tool)


def suspect_sends(tool: Tool) -> bool:
    """Whether the guess or the description says that the tool sends data outside."""
    return guess_sends(tool) or (not _only_reads(tool) and bool(_SENDS.match(tool.description[:_LOOKED_AT])))


def suspect_outsiders(tool: Tool) -> bool:
    """Whether the guess or the description says that outsiders can write what the tool returns."""
    told = tool.hints.open_world is not False and bool(_OUTSIDERS.search(tool.description[:_LOOKED_AT]))
    return guess_outsiders(tool) or (told and (_returns_data(tool) or tool_verbs.may_read(tool.name)))


def _only_looks_up(tool: Tool) -> bool:
    """Whether the tool reads, by a hint that counts, by its name, or as far as we know."""
    if tool.group is ToolGroup.READS:
        return True
    return tool_verbs.reads(tool.name) or (bool(tool.hints.read_only) and not contradicts(tool))


def _only_reads(tool: Tool) -> bool:
    """Whether the tool claims to only read, and is trusted, reviewed or has a name that says the same."""
    if unverified(tool) and tool.group is ToolGroup.READS:
        return True
    if tool.hints.read_only:
        return not contradicts(tool)
    return (
        bool(tool.claimed and tool.claimed.read_only)
        and tool_verbs.reads(tool.name)
        and not tool_verbs.destroys(tool.name)
    )


def _returns_data(tool: Tool) -> bool:
    """Whether answers may contain data: of tools that read as far as we know, or by a part of their name, or query."""
    known = bool(tool.hints.read_only) or tool.group is ToolGroup.READS or tool_verbs.queries(tool.name)
    return known or tool_verbs.READS in tool_verbs.name_meanings(tool.name) or tool_verbs.reads(tool.name)


def _name_words(tool: Tool) -> set[str]:
    return {*tool_verbs.name_words(tool.server), *tool_verbs.name_words(tool.name)}


def tool_risk(tool: Tool) -> Risk:
    """Return the risk. Low: reads. Medium: adds, or reads as far as we know. High: may change or destroy, or
    contradicts its name."""
    hints = tool.hints
    if tool.group is ToolGroup.READS and unverified(tool):
        return Risk.MEDIUM
    if hints.read_only:
        return Risk.HIGH if contradicts(tool) else Risk.LOW
    if hints.read_only is None and hints.destructive is None:
        return Risk.MEDIUM if tool_verbs.reads(tool.name) and not tool_verbs.destroys(tool.name) else Risk.HIGH
    if hints.destructive is False and ("destructive" in tool.said or (tool.reviewed and tool.group is ToolGroup.ADDS)):
        return Risk.MEDIUM
    return Risk.MEDIUM if hints.destructive is False and not tool_verbs.destroys(tool.name) else Risk.HIGH


def destroys(tool: Tool) -> bool:
    """Whether the tool may destroy data irrecoverably, by its hints or its name."""
    return tool_risk(tool) is Risk.HIGH and bool(tool.hints.destructive or tool_verbs.destroys(tool.name))


_SQL_TOOL = names(
    """execute exec run raw sql query queries statement statements database db postgres postgresql pg mysql mariadb
    sqlite duckdb bigquery snowflake clickhouse redshift athena d1 mssql"""
)
_SQL_WORDS = frozenset(("sql", "query", "statement", "database", "db"))
_CHANGING_SQL = re.compile(
    r"\b(?:insert\s+into|replace\s+into|delete\s+from|update\s+\S+\s+set|merge\s+into|truncate|(?:drop|alter|create)\s+"
    r"(?:table|view|schema|database|index|trigger|function|user|role))\b",
    re.I,
)
_SQL_VERBS = frozenset(("execute", "exec", "run", "sql", "query"))
_SQL_ARGUMENTS = ("sql", "query", "statement")
_reading: dict[int, tuple[Tool, Tool]] = {}  # by the identity of a tool, which is immutable


def runs_sql(tool: Tool) -> bool:
    """Whether the name says that the tool runs the SQL that it is given, and nothing else."""
    words = set(tool_verbs.name_words(tool.name))
    return words <= _SQL_TOOL and not words.isdisjoint(_SQL_VERBS)


def for_call(tool: Tool, arguments: JsonObject) -> Tool:
    """Return the tool as this call uses it: one that runs SQL only reads if the statement certainly does. Then it
    counts as a reading tool of its server."""
    given = [arguments[key] for key in _SQL_ARGUMENTS if key in arguments]
    if facts_of(tool).risk is Risk.LOW:
        return _as_changing(tool) if any(_changes_rows(tool, one) for one in given) else tool
    if not runs_sql(tool):
        return tool
    if len(given) != 1 or not isinstance(given[0], str) or not only_reads(given[0]):
        return tool
    known = _reading.get(id(tool))
    if known is not None and known[0] is tool:
        return known[1]
    hints = replace(tool.hints, read_only=True, destructive=False)
    said = tuple(dict.fromkeys((*tool.said, "read_only")))  # its name says otherwise, but the statement decides
    made = replace(tool, hints=hints, said=said, group=ToolGroup.READS, standing=tool.reading_standing)
    made = made if "sends" in said else replace(made, sends=False)
    made = made if "private" in said else replace(made, private=tool.private or guess_private(made))
    made = made if "outsiders" in said else replace(made, outsiders=tool.outsiders or suspect_outsiders(made))
    if len(_reading) >= MOST_FACTS:
        _reading.clear()
    _reading[id(tool)] = tool, made
    return made


def _changes_rows(tool: Tool, statement: JsonValue) -> bool:
    """Whether a tool that is said to read is given SQL that changes something. Its server may not refuse that."""
    if not isinstance(statement, str) or _SQL_WORDS.isdisjoint(tool_verbs.name_words(tool.name)):
        return False
    return _CHANGING_SQL.search(statement) is not None and any(one.target for one in read_sql(statement))


def _as_changing(tool: Tool) -> Tool:
    standing = Standing.ASKS if tool.standing is Standing.RUNS else tool.standing
    hints = replace(tool.hints, read_only=False, destructive=True)
    said = tuple(one for one in tool.said if one != "read_only")
    return replace(tool, hints=hints, said=said, group=ToolGroup.DESTROYS, standing=standing)


def effective_tool(
    tool: Tool,
    trust: Trust,
    believed: bool = False,
    review: Review | None = None,
    *,
    run_reviewed_reads: bool = False,
) -> Tool:
    """Return the tool as it is judged: hints as far as the user decided about the server and this definition,
    overridden by the user's annotations, with the reviewed or guessed values of the three annotations that no server
    sends. `believed`: trusted without an entry in `trust`, such as the built-in server. `review`: our annotations of
    exactly this definition. `run_reviewed_reads`: reading tools that we reviewed run before the user has decided."""
    claims = tool.claimed or tool.hints
    said = annotations_in_force(trust.annotations.get(tool.server, {}).get(tool.name, UserAnnotations()), tool)
    decision = trust.decisions.get(tool.server)
    if decision is not None and not covers(decision, tool):
        decision = None
    given = believed or (decision is not None and decision.earlier)
    group = examine(tool, review, said).group
    standing = Standing.GIVEN if given else _standing(decision, group, said)
    if standing is Standing.UNDECIDED and review is not None and group is ToolGroup.READS and run_reviewed_reads:
        standing = Standing.RUNS
    reading = Standing.GIVEN if given else _standing(decision, ToolGroup.READS, said)
    decided = standing in (Standing.RUNS, Standing.ASKS)
    hints = claims if given else _decided_hints(claims, group, standing, review) if decided else warning_hints(claims)
    doubted = group is ToolGroup.READS and review is None and not believed and bool(doubt_of_closed_world(tool))
    if doubted:
        hints = replace(hints, open_world=True)  # unless the user said otherwise, see below
    counts = None if given else review
    if counts is not None and not decided:
        hints = _with_warnings(hints, counts)
    plain = replace(
        _as_sent(tool, said),
        hints=_with_annotations(hints, said),
        group=group,
        standing=standing,
        reading_standing=reading,
        reviewed=counts is not None,
    )
    # a tool of which two things are said may hold private data and be read by others
    holds = guess_private(replace(plain, hints=replace(plain.hints, open_world=False)) if doubted else plain)
    guesses = {"private": holds, "outsiders": suspect_outsiders(plain), "sends": suspect_sends(plain)}
    return replace(
        plain,
        **{name: _own_annotation(name, said, counts, guess, decided=decided) for name, guess in guesses.items()},
        guessed=tuple(name for name in OWN if name not in plain.said and (counts is None or not decided)),
    )


def covers(decision: ServerDecision, tool: Tool) -> bool:
    """Whether the user decided about this definition of a tool."""
    unbound = decision.earlier and not decision.definitions
    return unbound or decision.definitions.get(tool.name) == tool.hash


def examine(tool: Tool, review: Review | None, said: UserAnnotations) -> GroupFinding:
    """Find out what a tool does at worst, whatever the user decided about its server."""
    plain = _as_sent(tool, said)
    return find_group(plain, review, said, suspect=suspect_sends(plain))


def _as_sent(tool: Tool, said: UserAnnotations) -> Tool:
    """Return the tool as its server sends it."""
    claims = tool.claimed or tool.hints
    spoken = tuple(name for name in (*HINTS, *OWN) if getattr(said, name) is not None)
    return replace(
        tool,
        hints=claims,
        claimed=claims,
        said=spoken,
        private=None,
        outsiders=None,
        sends=None,
        group=None,
        standing=Standing.GIVEN,
        reading_standing=Standing.GIVEN,
        reviewed=False,
    )


def _standing(decision: ServerDecision | None, group: ToolGroup, said: UserAnnotations) -> Standing:
    """Return what the user decided about the group of a tool. The user's own word about the tool is a decision.
    `decision`: if it covers this definition."""
    if said.read_only:
        return Standing.GIVEN
    if decision is None:
        return Standing.GIVEN if said.destructive is not None or said.read_only is not None else Standing.UNDECIDED
    return Standing.RUNS if group in decision.groups else Standing.ASKS


def _decided_hints(claims: Hints, group: ToolGroup, standing: Standing, review: Review | None) -> Hints:
    """Return the hints of a tool whose group the user has seen."""
    if group is ToolGroup.READS and standing is Standing.ASKS:
        return warning_hints(claims)
    open_world = claims.open_world if review is None else review.open_world
    if group is ToolGroup.READS:
        return Hints(True, None, claims.idempotent, open_world)
    if group is ToolGroup.ADDS:
        return Hints(False, False, claims.idempotent, False)
    destructive = {ToolGroup.DESTROYS: True, ToolGroup.CHANGES: None}.get(group, claims.destructive)
    return Hints(False, destructive, claims.idempotent, True if group is ToolGroup.OUTSIDE else open_world)


def _with_warnings(hints: Hints, review: Review) -> Hints:
    """Return the hints with what the review says against the tool, which counts before the user decides."""
    destroys, harmless = review.group is ToolGroup.DESTROYS, review.group is ToolGroup.READS
    return Hints(
        read_only=hints.read_only if harmless else False,
        destructive=True if destroys else hints.destructive,
        idempotent=hints.idempotent,
        open_world=review.open_world or hints.open_world,
    )


def _own_annotation(name: str, said: UserAnnotations, review: Review | None, guess: bool, *, decided: bool) -> bool:
    """Return the value of an annotation that no server sends. Before the user decides, a review only makes it
    stricter."""
    by_user: bool | None = getattr(said, name)
    if by_user is not None:
        return by_user
    if review is None:
        return guess
    found: bool = getattr(review, name)
    return found if decided else found or guess


def _with_annotations(hints: Hints, annotations: UserAnnotations) -> Hints:
    """Return the hints overridden by the user's annotations."""
    return Hints(
        read_only=hints.read_only if annotations.read_only is None else annotations.read_only,
        destructive=hints.destructive if annotations.destructive is None else annotations.destructive,
        idempotent=hints.idempotent if annotations.idempotent is None else annotations.idempotent,
        open_world=hints.open_world if annotations.open_world is None else annotations.open_world,
    )


def warning_hints(claims: Hints) -> Hints:
    """Return the hints of an untrusted server that count: those that make a tool dangerous."""
    return Hints(
        read_only=False if claims.read_only is False else None,
        destructive=claims.destructive or None,
        idempotent=None,
        open_world=claims.open_world or None,
    )


def annotations_in_force(annotations: UserAnnotations, tool: Tool) -> UserAnnotations:
    """Return the annotations if they were set for this definition; of an earlier definition only those that make the
    tool stricter."""
    if annotations.key == tool.hash:
        return annotations
    return UserAnnotations(
        read_only=False if annotations.read_only is False else None,
        destructive=annotations.destructive or None,
        idempotent=False if annotations.idempotent is False else None,
        open_world=annotations.open_world or None,
        private=annotations.private or None,
        outsiders=annotations.outsiders or None,
        sends=annotations.sends or None,
    )


def needs_no_approval(risk: Risk, settings: Settings) -> bool:
    """Whether the settings allow this risk without asking; never for high and critical."""
    allowed = {Risk.LOW: settings.approval_auto_low, Risk.MEDIUM: settings.approval_auto_medium}
    return allowed.get(risk, False)
