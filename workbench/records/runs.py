"""Programs, verdicts, decisions, limits and runs, with predicted and observed effects."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from workbench.records.calls import CallTrace, ChangedCall
from workbench.records.common_types import Fault, Origin, Risk
from workbench.records.held_calls import HeldCall, PlanStep
from workbench.records.permissions import RuleOffer, RunProfile


class Impact(Struct, frozen=True):
    """The files, hosts and tools that a program names. Targets known only at run time are listed among the effects."""

    read: tuple[str, ...] = ()  # files and folders
    changed: tuple[str, ...] = ()  # files, folders and databases
    networks: tuple[str, ...] = ()  # hosts
    commands: tuple[str, ...] = ()
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # reads, adds, changes, sends → "server.tool"
    lasting: int = 0  # number of irreversible effects
    unnamed: int = 0  # number of effects on targets that are known only at run time


class Gate(StrEnum):
    """The four outcomes of an assessment. They are independent of the risk."""

    BLOCKED = "blocked"  # returned to its author with the reason
    REFUSED = "refused"  # the sandbox will refuse what the code tries, so no approval is requested
    ASK = "ask"
    AUTO = "auto"


class Span(Struct, frozen=True):
    """A span of code: lines start at 1, columns at 0 in Python code points."""

    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0


class Finding(Struct, frozen=True):
    """A finding of the analysis, with the message shown to the user."""

    rule: str
    risk: Risk
    message: str
    span: Span
    subject: str = ""  # the file, host, command or tool that the finding is about
    unverified: bool = False  # only because the user has not decided whether to trust a server's annotations


class EffectKind(StrEnum):
    """How certain an effect is."""

    WILL = "will happen"
    REFUSED = "the sandbox will refuse"
    MAY = "may happen"


class Effect(Struct, frozen=True):
    """An effect of the program, as a line of the approval table."""

    kind: EffectKind
    text: str
    line: int
    risk: Risk
    reversible: bool | None = None  # None: not known
    unverified: bool = False  # only because the user has not decided whether to trust a server's annotations
    rule: str = ""  # of the finding that it belongs to
    subject: str = ""  # the tool, file, host or command that the effect is about


class HeadlinePart(Struct, frozen=True):
    """One sentence of the summary of a verdict. The parts are in order, the worst first."""

    text: str
    risk: Risk
    line: int = 0  # of the effect that it states; 0: it states several, or none
    subject: str = ""  # the subject of that effect
    states: tuple[str, ...] = ()  # the texts of the effects that it states in full


class Flow(Struct, frozen=True):
    """A data flow through the program, from the line that reads the data to the line that uses it."""

    kind: str  # private (the user's data) or untrusted (text that outsiders can write)
    source: str  # such as "web.fetch"
    line: int
    sink: str  # such as "demo.send_email.to"
    sink_line: int


class ToolUse(Struct, frozen=True):
    """A tool that the code refers to, as found by the static analysis."""

    server: str
    tool: str
    line: int
    often: bool = False  # it may be called any number of times: in a loop, in a function, or passed on
    times: int = 1  # how often it is called at most, if that is known


class Verdict(Struct, frozen=True):
    """The result of assessing one canonical program text."""

    sha: str
    risk: Risk
    gate: Gate
    sentence: str  # a summary, shown first: the texts of `headline`
    findings: tuple[Finding, ...] = ()
    effects: tuple[Effect, ...] = ()
    tools: tuple[ToolUse, ...] = ()
    not_assessed: tuple[str, ...] = ()
    rules: str = ""  # version of the rule set
    # "server.tool" → hash of its definition at the assessment
    definitions: Mapping[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()  # "host:port" that it names and no rule allows; the user may allow them for one run
    profile: RunProfile | None = None  # the profile it was assessed with and must keep to
    required: tuple[str, ...] = ()  # "server.tool": the only tools it may call; empty: any
    allowed: tuple[str, ...] = ()  # what a rule of the user allows, one sentence each
    asks: tuple[str, ...] = ()  # why approval is needed regardless of the risk
    mild: bool = False  # medium risk, and nothing that the user has to decide
    unsettled: Risk | None = None  # the highest risk that no rule covers; None: the program's own risk
    flows: tuple[Flow, ...] = ()
    headline: tuple[HeadlinePart, ...] = ()
    may_carry: tuple[str, ...] = ()  # "server.tool": sends data out, and may receive data that was read or is unknown
    impact: Impact = field(default_factory=Impact)
    lines: int = 0  # number of lines of the text, empty ones included
    forks: int = 0  # number of branches and loops: a measure of review effort, not of risk
    skills: Mapping[str, int] = field(default_factory=dict)  # import name of each saved skill it uses → first line
    any_skill: bool = False  # the saved skills it uses are only known at run time
    unverified: tuple[
        str, ...
    ] = ()  # "server.tool": said to read, but the user does not trust the server's annotations
    # servers that the user has not decided about, if nothing else makes the program ask
    waits_for_trust: tuple[str, ...] = ()


class RunState(StrEnum):
    """The state of a run. The last five are final."""

    PROPOSED = "proposed"
    CHECKED = "checked"
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"  # the core ended during the run; set when the next core starts


# The final states.
ENDS: Final = frozenset({RunState.DONE, RunState.REFUSED, RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED})


EXAMPLE_AGENT: Final = "Example agent"
"""Author of the program that shows a new user an approval request."""


class Proposal(Struct, frozen=True):
    """A program submitted for a run. `sha` is SHA-256 of the canonical `code`."""

    id: str
    code: str
    sha: str
    origin: Origin
    session: str
    author: str  # the agent's name as the agent gave it, or "you"
    purpose: str = ""  # claimed by the author; never shown as a fact
    at: float = 0.0
    seconds: float = 0.0  # requested time limit; 0: the setting
    skill: str = ""  # the skill that this program tests, if any
    language: str = "python"
    state: str = ""  # name of the REPL session to continue; empty: a new sandbox
    profile: str = ""  # the requested profile; empty: the default
    required: tuple[str, ...] = ()  # "server.tool": the only tools it may call; empty: any
    force_approval: bool = False  # ask the user for approval regardless of the risk
    dry_run: bool = False  # hold back side effects
    dry_run_of: str = ""  # the waiting run that this dry run is for, if any
    revives: str = ""  # the run that nobody answered in time, or that a restart interrupted, and the user put back
    original: str = ""  # the author's text, if the user edited it
    # what the author submitted: a program, or a call, file or skill for which the workbench generated the program
    wish: str = "program"


class Decision(Struct, frozen=True):
    """The user's answer to an approval request. It names the program by hash, so it cannot allow a different one."""

    run_id: str
    sha: str  # empty: the user's rules allow its calls by now, and nobody approved this text
    allow: bool
    by: str  # who decided, and where: "you, in the window", "you, at a terminal", or a rule; set by the core
    reason: str = ""
    at: float = 0.0
    seconds: float = 0.0  # how long the user viewed the request
    hosts: tuple[str, ...] = ()  # "host:port" that the user allowed for this run only
    # the lasting answer that the user chose, from the offers of the run; or the rule that decided in the user's place;
    # empty: the decision is about this run only
    offer: str = ""
    fingerprint: str = ""  # approval fingerprint of the run that the user saw
    also: tuple[str, ...] = ()  # other runs with the same request that the answer applies to
    plan: str = ""  # the dry run whose plan was allowed; anything else needs approval
    terminal: str = ""  # the terminal of the answer, if not a window; set by the core, never by a client
    undoable: bool = False  # the client offers to undo a denial, so the core holds it back for a few seconds

    @property
    def by_user(self) -> bool:
        """Whether the user decided, and not a rule."""
        return self.by.split(",")[0] == "you"


class DecisionOutcome(Struct, frozen=True):
    """What became of one of several answers that a client sent together."""

    request_id: str  # id of the run or of the held call
    problem: str = ""  # why it was not accepted; empty: it was


class MutedAgent(Struct, frozen=True):
    """An agent session whose approval requests are denied at once, because the user muted it."""

    session: str
    author: str
    at: float  # when it was muted
    denied: int = 0  # number of requests that were denied since


class Ledger(Struct, frozen=True):
    """Tokens that a run or session cost a model, compared with direct tool calls."""

    direct: int = 0
    actual: int = 0
    kept_bytes: int = 0  # size of nested answers that stayed in the sandbox
    counter: str = "≈"  # the counter that made the numbers; ≈ is the built-in estimator
    definitions: int = 0  # the part of `direct` for tool definitions, which are loaded once per conversation


class Run(Struct, frozen=True):
    """The state of one run, as clients of the user see it. Output and result are unmasked."""

    id: str
    proposal: Proposal
    state: RunState
    verdict: Verdict | None = None
    decision: Decision | None = None
    deadline: float = 0.0  # the run is denied at this time; while its clock is stopped, at the latest
    clock_left: float = 0.0  # seconds left while its clock is stopped, because the user is reviewing; 0: it runs
    # the user denied it (`decision`), and can undo that until this time; it still counts as waiting for its author
    denied_until: float = 0.0
    revived_as: str = ""  # the run in which the user put this program back, after nobody had answered in time
    started: float = 0.0
    ended: float = 0.0
    output: str = ""
    result: str = ""  # JSON text
    fault: Fault | None = None
    calls: tuple[CallTrace, ...] = ()
    changed_calls: tuple[ChangedCall, ...] = ()  # calls whose arguments the user changed; their author is told
    model_view: str = ""  # exactly what the agent received, with PII tokens in place of personal data
    ledger: Ledger = field(default_factory=Ledger)
    memory_mb: float = 0.0
    backend: str = ""  # the sandbox backend, once the run has started
    level: str = ""  # process, container or vm: the isolation level of the run
    isolation: str = ""  # a sentence if the isolation is weaker than the risk requires; allowing the run consents to it
    held_calls: tuple[HeldCall, ...] = ()  # nested calls that wait for the user
    plan: tuple[PlanStep, ...] = ()  # side effects that a dry run held back
    plan_notes: tuple[str, ...] = ()  # limitations of the plan
    observed: tuple[Observation, ...] = ()  # predicted and observed effects, once the run has ended
    read: tuple[str, ...] = ()  # the kinds of text its session had read at the end: private, untrusted
    fingerprint: str = ""  # SHA-256 over text, limits, servers and definitions, which an answer refers to
    like: Resemblance | None = None  # a similar program that was allowed before
    offers: tuple[RuleOffer, ...] = ()  # lasting answers that would have let this program run without asking
    offers_limit: str = ""  # why no wider lasting answer is offered
    preparing: bool = False  # the program has ended, and its answer is being searched for personal data
    stopping: bool = False  # the run was stopped and is about to end
    held: tuple[str, ...] = ()  # files that it changed in its copy of the workspace; the user decides about them
    restored: bool = False  # rebuilt from the audit by a later core: output, result, calls and effects are lost

    @property
    def can_be_revived(self) -> bool:
        """Whether the user can put this program back: it waited and did not run, or was interrupted by a restart."""
        if self.revived_as or self.proposal.dry_run:
            return False
        waited = self.state in (RunState.REFUSED, RunState.STOPPED) and self.deadline > 0 and not self.started
        allowed = self.decision is not None and self.decision.allow
        return self.state is RunState.INTERRUPTED or (waited and not allowed)

    @property
    def awaits_answer(self) -> bool:
        """Whether the user can answer its approval request now."""
        return self.state is RunState.WAITING and not self.denied_until


class Observation(Struct, frozen=True):
    """One effect that was predicted, observed, or both."""

    kind: str  # tool, host, written, deleted
    subject: str  # `demo.send_email`, `api.example.org:443`, `workspace/report.csv`
    predicted: bool | None  # None: the analysis could not predict it
    times: int = 0  # how often it was observed
    refused: int = 0  # number of attempts that were refused
    line: int = 0  # line of the prediction

    @property
    def unforeseen(self) -> bool:
        """Whether the effect was observed or attempted, and not predicted."""
        return self.predicted is False and bool(self.times or self.refused)


class Likeness(StrEnum):
    """How similar a new program is to an allowed one."""

    TEXT = "text"  # identical
    TREE = "tree"  # only spacing or comments differ
    VALUES = "values"  # only literal values differ
    NEAR = "near"  # most lines are the same


class ValueChange(Struct, frozen=True):
    """A literal value that differs from the allowed program. `line` is the line in the new text."""

    line: int
    before: str
    after: str
    destination: bool = False  # the value is a destination: an address, a host, a recipient


class Resemblance(Struct, frozen=True):
    """A program that was allowed before, compared with the waiting program."""

    likeness: Likeness
    at: float  # when it was allowed
    code: str  # the allowed text
    changes: tuple[ValueChange, ...] = ()  # set if only values differ


class GroupColumn(Struct, frozen=True):
    """A literal value in which the programs of a group differ."""

    line: int  # in the first program of the group
    name: str = ""  # the argument, key or variable that gets the value; empty: none
    destination: bool = False  # the value is a destination: an address, a host, a recipient
    last: str = ""  # the value in the last allowed program of this form; empty: there is none


class GroupRow(Struct, frozen=True):
    """The values of one program of a group, one for each column."""

    run_id: str
    values: tuple[str, ...] = ()
    new: tuple[bool, ...] = ()  # whether it is a destination that differs from the last allowed program


class RequestGroup(Struct, frozen=True):
    """Waiting programs of the same form and meaning, which differ in literal values only."""

    ids: tuple[str, ...]
    columns: tuple[GroupColumn, ...] = ()
    rows: tuple[GroupRow, ...] = ()  # in the order of `ids`


class KeptState(Struct, frozen=True):
    """A REPL session: variables, imports and open files for the next program with the same session id."""

    session: str
    name: str
    author: str  # the agent's name as the agent gave it, or "you"
    began: float
    used: float  # when its last program ended, or now while a program is running
    expires: float = 0.0  # when it ends if unused; 0 while a program is running
    programs: int = 0  # number of programs that ran in it
    busy: bool = False
    memory_mb: float = 0.0
    level: str = ""
    backend: str = ""


class Limits(Struct, frozen=True):
    """Resource limits of one run. Exceeding a limit ends the run with a reason."""

    seconds: float = 30.0  # of its own time, without the time of tools, of the user and of scanning answers
    total_seconds: float = 0.0  # including tools, without the user; 0: `seconds` is the only limit
    sleep_counts: bool = True  # whether idle time counts as its own time
    memory_mb: int = 512
    cpu_seconds: float = 30.0
    pids: int = 64
    output_bytes: int = 1_000_000
    disk_mb: int = 1024
    calls: int = 10_000
    cpus: int = 1  # processors it may use at the same time


class Strength(Struct, frozen=True):
    """The isolation that this machine provides, as probed."""

    backend: str  # native, bubblewrap, reduced, none
    level: str  # full, reduced, none
    features: Mapping[str, bool] = field(default_factory=dict)  # "namespaces" → True …
    reason: str = ""  # why it is not stronger
    hint: str = ""
    fixes: Mapping[str, str] = field(default_factory=dict)  # missing feature → the command that adds it


class Level(Struct, frozen=True):
    """One isolation level: process, container or vm, from weakest to strongest."""

    name: str
    available: bool
    backend: str = ""  # the backend on this machine: native, bubblewrap, podman, docker, qemu
    sentence: str = ""  # a description, or why it is not available
    hint: str = ""  # how to make it available, usually a command
    languages: tuple[str, ...] = ("python",)
    reduced: bool = False  # weaker than designed: no program of high risk runs in it
