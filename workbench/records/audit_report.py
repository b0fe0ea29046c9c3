"""Figures and lists of the audit report, including token savings and review times."""

from __future__ import annotations

from msgspec import Struct, field

from workbench.records.audit import ChainReport
from workbench.records.common_types import Origin
from workbench.records.runs import Ledger


class ReviewFigures(Struct, frozen=True):
    """Review statistics of the newest decisions that the user made about programs, plans and calls."""

    decided: int = 0
    allowed: int = 0
    median_seconds: float = 0.0
    hasty: int = 0  # allowed sooner than the text can be read


class Tally(Struct, frozen=True):
    """A count of something, with its name."""

    name: str
    number: int


class RunTally(Struct, frozen=True):
    """The number of runs of one risk with one outcome."""

    risk: str  # empty: the run ended before it was assessed
    outcome: str
    number: int


class DayFigures(Struct, frozen=True):
    """The runs that ended on one day in local time."""

    day: str  # 2026-11-19
    runs: int
    failed: int  # refused, failed, stopped and interrupted
    direct: int  # tokens that direct calls would have cost
    actual: int  # tokens that were spent


class ServerFigures(Struct, frozen=True):
    """Statistics of the calls of one server's tools."""

    server: str
    calls: int
    failed: int
    median_ms: float
    p95_ms: float


class ToolFigures(Struct, frozen=True):
    """Statistics of the calls of one tool at one risk. The risk is the one at the time of the call."""

    server: str
    tool: str
    risk: str
    calls: int
    failed: int
    refused: int


class TokenReleaseCount(Struct, frozen=True):
    """The number of PII tokens that were replaced by their values in calls."""

    kind: str
    source: str  # the server that the data came from
    to: str  # the server and tool that received the data
    number: int


class PredictionAccuracy(Struct, frozen=True):
    """Comparison of the predicted and the observed effects of programs."""

    seen: int = 0  # predicted and observed
    unseen: int = 0  # predicted as possible, and not observed
    unforeseen: int = 0  # observed or attempted, and not predicted
    unread: int = 0  # observed where the analysis could not predict anything


class Incident(Struct, frozen=True):
    """One entry that the report lists."""

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
    given: str  # JSON: the request without the code
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
    """All figures of one period."""

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
    hidden: tuple[Tally, ...] = ()  # kinds of personal data that were replaced by PII tokens
    hidden_for: tuple[Tally, ...] = ()  # models that received PII tokens
    given: tuple[TokenReleaseCount, ...] = ()
    review: ReviewFigures = field(default_factory=ReviewFigures)
    deciders: tuple[Tally, ...] = ()
    foretold: PredictionAccuracy = field(default_factory=PredictionAccuracy)
    flows: tuple[Tally, ...] = ()
    trifecta: tuple[str, ...] = ()  # sessions that read private data and untrusted text, and could send data
    violations: tuple[Tally, ...] = ()  # by kind of entry
    cents_per_million: int = 0


class Report(Struct, frozen=True):
    """The complete compliance report."""

    made: float
    version: str
    project: str
    figures: Figures
    chain: ChainReport
    executions: tuple[Execution, ...] = ()  # the newest ones, up to the report's limit
    incidents: tuple[Incident, ...] = ()  # violations
    permissions: tuple[Incident, ...] = ()  # added, changed and revoked rules
    void: tuple[str, ...] = ()  # rules that are currently void
    definitions: tuple[str, ...] = ()  # "server.tool hash" of the definitions that runs were assessed with
    profiles: tuple[str, ...] = ()  # "name hash"


class SessionTokens(Struct, frozen=True):
    """The token ledger of one session."""

    session: str
    author: str
    origin: Origin
    ledger: Ledger


class ModeAdvice(Struct, frozen=True):
    """Whether programs or direct tool calls cost less, with the numbers behind the advice. All numbers are tokens."""

    mode: str  # "code" or "direct"
    tools: int
    definitions: int  # all definitions; direct use loads them once per conversation
    entry: int  # the workbench's own tools; loaded once per conversation
    finding: int  # one search with its answer, and the signatures of two tools
    searches: int  # the number of searches in one conversation that cost as much as all definitions
    counter: str = "≈"  # the counter that made these numbers


class ModelFactor(Struct, frozen=True):
    """How many tokens another family of models counts for each token shown."""

    models: str
    least: float
    most: float
    measured: bool = False  # measured on the definitions of this catalogue; otherwise an estimate


class TokenReport(Struct, frozen=True):
    """The content of the tokens dialog and of `mcp-workbench tokens`."""

    total: Ledger = field(default_factory=Ledger)
    sessions: tuple[SessionTokens, ...] = ()
    advice: ModeAdvice = field(default_factory=lambda: ModeAdvice("direct", 0, 0, 0, 0, 0))
    cents_per_million: int = 0
    factors: tuple[ModelFactor, ...] = ()
