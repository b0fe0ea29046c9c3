"""Collects findings, effects and tools while a program is interpreted.

Each is stored once, however often it is found.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import Struct

from workbench.analysis.interpreter.values import ValueSource
from workbench.records import Effect, EffectKind, Finding, Flow, Risk, Span, Tool
from workbench.records.common_types import rank, worst

MAX_FINDINGS = 500  # the last one says that there are more
MAX_FLOWS = 100
_MORE = f"More than {MAX_FINDINGS} findings; the rest is not listed."


class NotedFinding(Struct, frozen=True):
    """A finding with its effect and whether it blocks the program."""

    finding: Finding
    effect: Effect | None = None
    blocks: bool = False
    source: ValueSource | None = None  # of a data flow: the answer that the message names
    argument: str = ""  # of a data flow: the argument that the message names


@dataclass(slots=True)
class NotedToolUse:
    """A tool that the program names, and how often it is called: in a loop, one line makes many calls."""

    tool: Tool
    line: int
    risk: Risk
    looped: bool = False
    often: bool = False  # the number of calls is unknown: in a loop, in a function, or passed on
    indirect: bool = False  # in a function, or passed on
    times: int = 1  # how often the line calls it at most, if that is known

    @property
    def full_name(self) -> str:
        return f"{self.tool.server}.{self.tool.name}"


@dataclass(slots=True)
class ProgramReport:
    """Everything that one analysis found so far."""

    notes: dict[tuple[str, Span, str], NotedFinding] = field(default_factory=dict)
    uses: dict[tuple[str, str, int], NotedToolUse] = field(default_factory=dict)
    not_assessed: dict[str, None] = field(default_factory=dict)
    facts: dict[str, Span] = field(default_factory=dict)  # "sensitive", "out", "blob" … → where first found
    dynamic: bool = False  # the called tool is decided at run time
    # of network findings: (span, subject) → host:port
    places: dict[tuple[Span, str], str] = field(default_factory=dict)
    onward: set[Span] = field(default_factory=set)  # network calls without an address: they use an open connection
    flows: dict[Flow, None] = field(default_factory=dict)
    wanted: list[str] = field(default_factory=list)  # places that the user may allow for this program
    may_carry: set[str] = field(default_factory=set)  # tools that reach outside and may receive private answers
    forks: int = 0  # branches and loops
    opened: bool = False  # network rules allow, or could allow, some of the network
    skills: dict[str, int] = field(default_factory=dict)  # import name of a skill → first line that uses it
    any_skill: bool = False  # the used skill is decided at run time
    servers: set[str] = field(default_factory=set)  # names of servers, as spelled in the program

    def add(
        self,
        rule: str,
        risk: Risk,
        message: str,
        span: Span,
        *,
        subject: str = "",
        effect: EffectKind | None = None,
        reversible: bool | None = None,
        blocks: bool = False,
        source: ValueSource | None = None,
        argument: str = "",
        unverified: bool = False,
    ) -> None:
        """Add a finding. With an effect kind it is also a line of the effects table."""
        key = (rule, span, subject)
        old = self.notes.get(key)
        if old and rank(old.finding.risk) >= rank(risk):
            return
        if not old and len(self.notes) >= MAX_FINDINGS - 1:
            self._overflow()
            return
        line = Effect(effect, message, span.line, risk, reversible, unverified, rule, subject) if effect else None
        finding = Finding(rule, risk, message, span, subject, unverified)
        self.notes[key] = NotedFinding(finding, line, blocks, source, argument)

    def _overflow(self) -> None:
        """Note that findings are left out. They may be worse than the listed ones, so the program needs approval."""
        self.not_assessed[_MORE] = None
        span = Span(1, 0, 1, 0)
        line = Effect(EffectKind.MAY, _MORE.rstrip("."), 1, Risk.HIGH)
        self.notes["cap", span, ""] = NotedFinding(Finding("cap", Risk.HIGH, _MORE.rstrip("."), span), line)

    def use_skill(self, name: str, line: int) -> None:
        """Add a skill by its import name."""
        self.skills[name] = min(line, self.skills.get(name, line))

    def add_use(self, use: NotedToolUse) -> None:
        """Add a tool use. A tool that was in a loop once stays marked so."""
        key = (use.tool.server, use.tool.name, use.line)
        old = self.uses.get(key)
        if old is None:
            self.uses[key] = use
            return
        old.looped, old.often, old.risk = old.looped or use.looped, True, worst((old.risk, use.risk))
        old.indirect = old.indirect or use.indirect

    def add_flow(self, source: ValueSource, sink: str, span: Span) -> None:
        """Add a flow of data from the source into the sink."""
        if len(self.flows) < MAX_FLOWS:
            self.flows[Flow(source.kind, source.label, source.line, sink, span.line)] = None

    def add_fact(self, name: str, span: Span) -> None:
        """Record the first place of a fact."""
        self.facts.setdefault(name, span)

    def merge(self, other: ProgramReport) -> None:
        """Merge another report into this one. Of two findings with the same key, the riskier one is kept."""
        for key, noted in other.notes.items():
            old = self.notes.get(key)
            if old is None and len(self.notes) >= MAX_FINDINGS - 1:
                self._overflow()
            elif old is None or rank(old.finding.risk) < rank(noted.finding.risk):
                self.notes[key] = noted
        for use in other.uses.values():
            self.add_use(use)
        for name, span in other.facts.items():
            self.add_fact(name, span)
        self.not_assessed.update(other.not_assessed)
        self.dynamic = self.dynamic or other.dynamic
        self.places.update(other.places)
        self.flows.update(other.flows)
        self.onward.update(other.onward)
        self.may_carry |= other.may_carry
        self.forks += other.forks
        for name, line in other.skills.items():
            self.use_skill(name, line)
        self.any_skill = self.any_skill or other.any_skill
        self.servers |= other.servers

    def findings(self) -> tuple[Finding, ...]:
        """Return all findings, the worst first, then in the order of the text."""
        every = (note.finding for note in self.notes.values())
        return tuple(sorted(every, key=lambda f: (-rank(f.risk), f.span.line, f.span.column, f.rule)))

    def effects(self) -> tuple[Effect, ...]:
        """Return all effects in the order of the text, each sentence once per line."""
        every = {(e.text, e.line): e for note in self.notes.values() if (e := note.effect)}
        return tuple(sorted(every.values(), key=lambda e: (e.line, -rank(e.risk))))
