"""Notes what one run does while it runs: which tools it called, which places it reached for, which files it changed."""

from __future__ import annotations

from collections import Counter
from typing import Final

from workbench.analysis.observed_effects import ObservedEffects
from workbench.records import CallTrace
from workbench.workspace.names import shown
from workbench.workspace.snapshots import Writer

NETWORK: Final = "network"  # stands in the place of a server's name in the tree of calls
_ENDS: Final = frozenset({"done", "failed", "refused"})


class Observing:
    """One run's."""

    def __init__(self) -> None:
        self._made: Counter[tuple[str, str]] = Counter()
        self._refused: Counter[tuple[str, str]] = Counter()

    def take(self, trace: CallTrace) -> None:
        """A call or connection took a step."""
        if trace.state in _ENDS:
            counter = self._refused if trace.state == "refused" else self._made
            counter[trace.server, trace.tool] += 1

    @property
    def called(self) -> tuple[tuple[str, str], ...]:
        """Servers and tools that answered."""
        return tuple(self._made)

    def end(self, writer: Writer | None) -> ObservedEffects:
        """What was seen. Files count only where no other program may have changed them."""
        written: set[str] = set()
        deleted: set[str] = set()
        for path, change in writer.files.items() if writer is not None else ():
            left = change.after or change.before
            if not change.shared and left is not None and not left.is_folder:
                (written if change.after else deleted).add(f"workspace/{shown(path)}")
        again = {f"workspace/{shown(path)}" for path in writer.rewritten - writer.files.keys()} if writer else set()
        files = tuple(sorted(written | again)), tuple(sorted(deleted))
        return ObservedEffects(self._times(hosts=False), self._times(hosts=True), *files)

    def _times(self, *, hosts: bool) -> dict[str, tuple[int, int]]:
        keys = [key for key in self._made | self._refused if (key[0] == NETWORK) is hosts]
        name = "{1}" if hosts else "{0}.{1}"
        return {name.format(*key): (self._made[key], self._refused[key]) for key in keys}
