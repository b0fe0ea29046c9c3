"""Figures and lists of the audit report, including token savings and review times."""

from __future__ import annotations

from msgspec import Struct, field

from workbench.records.audit import ChainReport
from workbench.records.common_types import Origin
from workbench.records.runs import Ledger


class ReviewFigures(Struct, frozen=True):
    """Of the newest decisions about programs, plans and calls that somebody looked at."""

    decided: int = 0
    allowed: int = 0
    median_seconds: float = 0.0
    hasty: int = 0  # allowed too soon to have been read


class Tally(Struct, frozen=True):
    """So many of something."""

    name: str
    number: int


class RunTally(Struct, frozen=True):
    """So many runs of one risk that ended in one way."""

    risk: str  # empty: ended before anybody judged it
    outcome: str
    number: int


class DayFigures(Struct, frozen=True):
    """The runs that ended on one day of this place."""

    day: str  # 2026-11-19
    runs: int
    failed: int  # refused, failed, stopped and interrupted ones
    direct: int  # tokens that direct calls would have cost
    actual: int  # tokens that were spent


class ServerFigures(Struct, frozen=True):
    """Calls of one server's tools."""

    server: str
    calls: int
    failed: int
    median_ms: float
    p95_ms: float


class ToolFigures(Struct, frozen=True):
    """Calls of one tool at one risk, which is its class when it was called."""

    server: str
    tool: str
    risk: str
    calls: int
    failed: int
    refused: int


class Given(Struct, frozen=True):
    """Values of personal data that went back into a call in place of their tokens."""

    kind: str
    source: str  # whose data it was
    to: str  # server and tool
    number: int


class Foretold(Struct, frozen=True):
    """Effects of programs: what reading them foretold beside what was seen."""

    seen: int = 0  # foretold, and seen
    unseen: int = 0  # foretold as possible, and not seen
    unforeseen: int = 0  # seen or tried, and not foretold
    unread: int = 0  # nobody could tell from the text


class Incident(Struct, frozen=True):
    """One entry that a report names."""

    seq: int
    at: float
    kind: str
    summary: str
    actor: str
    run_id: str
    risk: str


class Execution(Struct, frozen=True):
    """One run as a line of an audit log."""

    at: float
    session: str
    user: str
    action: str
    code: str
    code_hash: str
    given: str  # JSON: what it was asked with, beside the code
    output: str
    sandbox: str
    ms: float
    tokens: int
    model: str
    model_version: str
    approved: bool
    auto_approved: bool
    risk: str
    violations: tuple[str, ...]
    success: bool
    error: str
    run_id: str
    actor: str
    decided_by: str = ""
    decided_after: float = 0.0  # seconds
    definitions: tuple[str, ...] = ()  # "server.tool hash"
    profile: str = ""  # name and hash
    outcome: str = ""


class Figures(Struct, frozen=True):
    """All numbers of a stretch of time."""

    since: float
    until: float
    entries: int = 0
    runs: tuple[RunTally, ...] = ()
    average_ms: float = 0.0
    tokens: int = 0
    direct: int = 0
    days: tuple[DayFigures, ...] = ()
    servers: tuple[ServerFigures, ...] = ()
    tools: tuple[ToolFigures, ...] = ()
    hidden: tuple[Tally, ...] = ()  # kinds of personal data that got tokens
    hidden_for: tuple[Tally, ...] = ()  # whose model got tokens in their place
    given: tuple[Given, ...] = ()
    review: ReviewFigures = field(default_factory=ReviewFigures)
    deciders: tuple[Tally, ...] = ()
    foretold: Foretold = field(default_factory=Foretold)
    flows: tuple[Tally, ...] = ()
    trifecta: tuple[str, ...] = ()  # sessions that read private data and strangers' text, and could send
    violations: tuple[Tally, ...] = ()  # by kind of entry
    cents_per_million: int = 0


class Report(Struct, frozen=True):
    """Everything that the compliance report says."""

    made: float
    version: str
    project: str
    figures: Figures
    chain: ChainReport
    executions: tuple[Execution, ...] = ()  # the newest ones, at most as many as the report takes
    incidents: tuple[Incident, ...] = ()  # violations
    permissions: tuple[Incident, ...] = ()  # given, changed and revoked
    void: tuple[str, ...] = ()  # rules that count no more at the moment
    definitions: tuple[str, ...] = ()  # "server.tool hash" that runs were judged with
    profiles: tuple[str, ...] = ()  # "name hash"


class SessionTokens(Struct, frozen=True):
    """The ledger of one conversation."""

    session: str
    author: str
    origin: Origin
    ledger: Ledger


class ModeAdvice(Struct, frozen=True):
    """Programs or direct tool calls, with the numbers that decide. Tokens, all of them."""

    mode: str  # "code" or "direct"
    tools: int
    definitions: int  # every definition, loaded once a conversation by direct use
    entry: int  # the workbench's own tools, loaded once a conversation
    finding: int  # one search with its answer, and the signatures of two tools
    searches: int  # so many of them in one conversation cost as much as all definitions
    counter: str = "≈"  # what made these numbers


class ModelFactor(Struct, frozen=True):
    """How many tokens another family of models counts for each one shown."""

    models: str
    least: float
    most: float
    measured: bool = False  # on the definitions of this catalogue; else an estimate


class TokenReport(Struct, frozen=True):
    """Everything the tokens dialog and `mcp-workbench tokens` show."""

    total: Ledger = field(default_factory=Ledger)
    sessions: tuple[SessionTokens, ...] = ()
    advice: ModeAdvice = field(default_factory=lambda: ModeAdvice("direct", 0, 0, 0, 0, 0))
    cents_per_million: int = 0
    factors: tuple[ModelFactor, ...] = ()
