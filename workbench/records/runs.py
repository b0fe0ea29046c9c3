"""Programs, verdicts, decisions, limits and runs, with predicted and observed effects."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from workbench.records.calls import CallTrace
from workbench.records.common_types import Fault, Origin, Risk
from workbench.records.held_calls import Held, HeldCall
from workbench.records.permissions import RunProfile


class Impact(Struct, frozen=True):
    """Names as a person knows them; what is only known at run time is no name and stands among the effects."""

    read: tuple[str, ...] = ()  # files and folders
    changed: tuple[str, ...] = ()  # files and folders, databases among them
    networks: tuple[str, ...] = ()  # hosts
    commands: tuple[str, ...] = ()
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # reads, adds, changes, sends → "server.tool"
    lasting: int = 0  # effects that cannot be taken back
    unnamed: int = 0  # effects on something that is only known at run time


class Gate(StrEnum):
    """The four outcomes of an assessment, kept apart from the risk word."""

    BLOCKED = "blocked"  # goes back to its author with the reason
    REFUSED = "refused"  # the sandbox will refuse what the code tries: no question for a person
    ASK = "ask"
    AUTO = "auto"


class Span(Struct, frozen=True):
    """A stretch of code: lines from 1, columns from 0 in Python code points."""

    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0


class Finding(Struct, frozen=True):
    """One thing the analyzer noticed, and the words a person reads."""

    rule: str
    risk: Risk
    message: str
    span: Span
    subject: str = ""  # the named file, host, command or tool


class EffectKind(StrEnum):
    """How certain an effect is."""

    WILL = "will happen"
    REFUSED = "the sandbox will refuse"
    MAY = "may happen"


class Effect(Struct, frozen=True):
    """Something the program does to the world, as a line of the approval table."""

    kind: EffectKind
    text: str
    line: int
    risk: Risk
    reversible: bool | None = None  # None: not known


class Flow(Struct, frozen=True):
    """Data on its way through the program: from what one line reads into what another line does."""

    kind: str  # private (a person's data) or untrusted (text that outsiders can write)
    source: str  # such as "web.fetch"
    line: int
    sink: str  # such as "demo.send_email.to"
    sink_line: int


class ToolUse(Struct, frozen=True):
    """A tool the code names, as far as reading it tells."""

    server: str
    tool: str
    line: int
    often: bool = False  # it may be called any number of times: in a loop, in a function, or handed on


class Verdict(Struct, frozen=True):
    """What policy says of one canonical text."""

    sha: str
    risk: Risk
    gate: Gate
    sentence: str  # one plain sentence a person reads first
    findings: tuple[Finding, ...] = ()
    effects: tuple[Effect, ...] = ()
    tools: tuple[ToolUse, ...] = ()
    not_assessed: tuple[str, ...] = ()
    rules: str = ""  # version of the rule set that judged
    definitions: Mapping[str, str] = field(default_factory=dict)  # "server.tool" → definition hash when judged
    hosts: tuple[str, ...] = ()  # "host:port" that it names, no rule opens, and a person may open for one run
    profile: RunProfile | None = None  # the bounds it was judged within, and is held to
    required: tuple[str, ...] = ()  # "server.tool": the only ones it may call; empty: any
    allowed: tuple[str, ...] = ()  # what a rule of the person's allows, one sentence each
    asks: tuple[str, ...] = ()  # why a person is asked whatever the risk is
    mild: bool = False  # of medium risk, and nothing in it that a person has to decide
    unsettled: Risk | None = None  # the highest risk that no rule settles; None: the risk itself
    flows: tuple[Flow, ...] = ()
    may_carry: tuple[str, ...] = ()  # "server.tool": reaches outside, and may be given what was read or is not known
    impact: Impact = field(default_factory=Impact)
    lines: int = 0  # of code, none of them empty
    forks: int = 0  # branches and loops in it: how much there is to read, and no sign of risk
    skills: Mapping[str, int] = field(default_factory=dict)  # import name of each kept skill it uses → first line
    any_skill: bool = False  # which kept skills it uses is decided when it runs


class RunState(StrEnum):
    """The road of a run; the last five are ends."""

    PROPOSED = "proposed"
    CHECKED = "checked"
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"  # the core died under it; written when the next core starts


# Nothing follows these.
ENDS: Final = frozenset({RunState.DONE, RunState.REFUSED, RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED})


class Proposal(Struct, frozen=True):
    """A program somebody wants to run. `sha` is SHA-256 of `code` after it became canonical."""

    id: str
    code: str
    sha: str
    origin: Origin
    session: str
    author: str  # the agent's name as it gave it, or "you"
    purpose: str = ""  # claimed by the author, never shown as fact
    at: float = 0.0
    seconds: float = 0.0  # wished time limit; 0: the setting
    skill: str = ""  # the skill this is a test of, if any
    language: str = "python"
    state: str = ""  # name of the kept sandbox whose variables it goes on with; empty: a fresh one
    profile: str = ""  # the bounds it asks for; empty: the default
    required: tuple[str, ...] = ()  # "server.tool": the only ones it may call; empty: any
    force_approval: bool = False  # a person is asked whatever the risk
    dry_run: bool = False  # side effects are held instead of made
    dry_run_of: str = ""  # the waiting run that this is a dry run of, if any
    original: str = ""  # the author's own text, where a person edited it
    wish: str = "program"  # what its author asked for: a program, or a call, file or skill that we wrote one for


class Decision(Struct, frozen=True):
    """A person's answer; it names the text it is about, so nothing else can be let through by it."""

    run_id: str
    sha: str
    allow: bool
    by: str
    reason: str = ""
    at: float = 0.0
    seconds: float = 0.0  # how long the person looked
    hosts: tuple[str, ...] = ()  # "host:port", reachable from this run only because the person said so
    scope: str = "once"  # once, session, text, tool, server: how far the answer reaches
    fingerprint: str = ""  # of the run, as the person saw it
    also: tuple[str, ...] = ()  # other runs of the same question that the answer is for
    plan: str = ""  # the dry run whose plan was allowed; anything else needs approval
    terminal: str = ""  # where it was given, if not in a window: written by the core, never by a client


class Ledger(Struct, frozen=True):
    """What a run or session cost a model, beside what direct tool calls would have cost."""

    direct: int = 0
    actual: int = 0
    kept_bytes: int = 0  # of nested answers: they stayed in the sandbox
    counter: str = "≈"  # which counter made the numbers; ≈ is the built-in estimator
    definitions: int = 0  # the part of `direct` that is tool definitions, loaded once a conversation


class Run(Struct, frozen=True):
    """The state of one run, as clients see it. Output and result are unmasked."""

    id: str
    proposal: Proposal
    state: RunState
    verdict: Verdict | None = None
    decision: Decision | None = None
    deadline: float = 0.0  # when waiting ends as a refusal
    started: float = 0.0
    ended: float = 0.0
    output: str = ""
    result: str = ""  # JSON text
    fault: Fault | None = None
    calls: tuple[CallTrace, ...] = ()
    model_view: str = ""  # exactly what went back to the agent: tokens in place of personal data
    ledger: Ledger = field(default_factory=Ledger)
    memory_mb: float = 0.0
    backend: str = ""  # what isolated it, once it runs
    level: str = ""  # process, container or vm: where it runs, or will
    isolation: str = ""  # one sentence where that is weaker than its risk asks for; allowing it is the consent
    held_calls: tuple[HeldCall, ...] = ()  # nested calls that wait for a person right now
    plan: tuple[Held, ...] = ()  # what a dry run held
    plan_notes: tuple[str, ...] = ()  # what its plan cannot say
    observed: tuple[Observation, ...] = ()  # what it did beside what was foretold, once it is over
    read: tuple[str, ...] = ()  # what its session had read when it ended: private, untrusted
    fingerprint: str = ""  # SHA-256 over text, limits, servers and definitions: what an answer is about
    like: Resemblance | None = None  # a program that was allowed before
    scopes: tuple[str, ...] = ()  # how far a yes may reach beyond once: session, text, server
    scopes_why: str = ""  # why not further
    preparing: bool = False  # its program has ended; personal data is looked for in its answer
    stopping: bool = False  # somebody stopped it, and it is about to end
    held: tuple[str, ...] = ()  # files that it changed in its copy of the workspace, and about which the user decides


class Observation(Struct, frozen=True):
    """One effect: foretold, seen, or both."""

    kind: str  # tool, host, written, deleted
    subject: str  # `demo.send_email`, `api.example.org:443`, `workspace/report.csv`
    predicted: bool | None  # None: nobody could tell from the text
    times: int = 0  # how often it was seen
    refused: int = 0  # tries that were refused
    line: int = 0  # where the text foretold it

    @property
    def unforeseen(self) -> bool:
        """It happened, or was tried, and the text did not say so."""
        return self.predicted is False and bool(self.times or self.refused)


class Likeness(StrEnum):
    """How much of an allowed program a new one is."""

    TEXT = "text"  # every character
    TREE = "tree"  # only spacing or comments differ
    VALUES = "values"  # only written values differ
    NEAR = "near"  # most lines are the same


class ValueChange(Struct, frozen=True):
    """A value that is written otherwise than in the allowed program; `line` is that of the new text."""

    line: int
    before: str
    after: str
    destination: bool = False  # it says where something goes: an address, a host, a recipient


class Resemblance(Struct, frozen=True):
    """A program that was allowed before, beside the one that waits now."""

    likeness: Likeness
    at: float  # when it was allowed
    code: str  # the allowed text
    changes: tuple[ValueChange, ...] = ()  # where only values differ


class KeptState(Struct, frozen=True):
    """Variables, imports and open files that the next program under the same name goes on with."""

    session: str
    name: str
    author: str  # the agent's name as it gave it, or "you"
    began: float
    used: float  # when its last program ended, or now while one is at work
    expires: float = 0.0  # when it ends if nobody uses it; 0 while a program is at work
    programs: int = 0  # how many ran in it
    busy: bool = False
    memory_mb: float = 0.0
    level: str = ""
    backend: str = ""


class Limits(Struct, frozen=True):
    """What one run may use up; each ends the run with a clear reason."""

    seconds: float = 30.0  # of its own time; what its tools, the user and the scanning of answers take is not counted
    total_seconds: float = 0.0  # with its tools, without the user; 0: `seconds` bounds this
    sleep_counts: bool = True  # whether time in which it uses no processor is its own time
    memory_mb: int = 512
    cpu_seconds: float = 30.0
    pids: int = 64
    output_bytes: int = 1_000_000
    disk_mb: int = 1024
    calls: int = 10_000
    cpus: int = 1  # processors it may use at once


class Strength(Struct, frozen=True):
    """What isolation this machine gives, as probed, not as hoped."""

    backend: str  # native, bubblewrap, reduced, none
    level: str  # full, reduced, none
    features: Mapping[str, bool] = field(default_factory=dict)  # "namespaces" → True …
    reason: str = ""  # why it is not stronger
    hint: str = ""
    fixes: Mapping[str, str] = field(default_factory=dict)  # a feature that is missing → the line that brings it


class Level(Struct, frozen=True):
    """One kind of isolation, from the weakest to the strongest: process, container, vm."""

    name: str
    available: bool
    backend: str = ""  # what makes it here: native, bubblewrap, podman, docker, qemu
    sentence: str = ""  # what it is, or why it is not there
    hint: str = ""  # what to do so that it is there: a command, mostly
    languages: tuple[str, ...] = ("python",)
    reduced: bool = False  # weaker than it should be: nothing of high risk runs in it
