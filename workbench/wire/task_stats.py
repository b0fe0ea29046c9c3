"""What a run took, in the words of the five papers, for scripts that read it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.records import Run


@dataclass(frozen=True, slots=True)
class TaskStats:
    """What one program took."""

    duration: float = 0.0  # milliseconds from its start to its end; 0 for one that was not run
    tokens_used: int = 0  # its text and its answer, as a model counts them (an estimate)
    memory_used: int = 0  # bytes at most
    tools_called: tuple[str, ...] = ()  # "server.tool", each once, in the order of their first calls

    @classmethod
    def of(cls, run: Run) -> TaskStats:
        took = (run.ended - run.started) * 1000 if run.started and run.ended else 0.0
        tools = dict.fromkeys(f"{call.server}.{call.tool}" for call in run.calls)
        return cls(round(took, 3), run.ledger.actual, round(run.memory_mb * 1_000_000), tuple(tools))
