"""Where the values of one session went: calls that took them and texts that showed them, by token.

It holds no value, and a bounded number of places per token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from workbench.privacy.pii_tokens import tokens_in
from workbench.records import Place

_PLACES = 20  # calls that are remembered of one token
_TOKENS = 50_000  # tokens that are followed


@dataclass(slots=True)
class TokenSteps:
    """What became of one token."""

    times: int = 0
    runs: list[str] = field(default_factory=list)
    went: dict[str, Place] = field(default_factory=dict)  # by call, which is told when it is sent and when it ends


class TokenUsage:
    """Of one session."""

    def __init__(self) -> None:
        self._steps: dict[str, TokenSteps] = {}

    def went(self, text: str, call: str, place: Place) -> None:
        """A call took what these masked arguments stand for to its server."""
        for steps in self._followed(set(tokens_in(text))):
            steps.went[call] = place
            if len(steps.went) > _PLACES:
                del steps.went[next(iter(steps.went))]

    def shown(self, text: str, run_id: str) -> None:
        """A model got this text."""
        counts = Counter(_spelled(token) for token in tokens_in(text))
        for token, count in counts.items():
            for steps in self._followed([token]):
                steps.times += count
                steps.runs = [*(one for one in steps.runs if one != run_id), run_id][-_PLACES:]

    def of(self, token: str) -> TokenSteps:
        """What is known of a token; nothing, if it never came by."""
        return self._steps.get(token) or TokenSteps()

    def _followed(self, tokens: Iterable[str]) -> Iterable[TokenSteps]:
        for token in map(_spelled, tokens):
            if token in self._steps or len(self._steps) < _TOKENS:
                yield self._steps.setdefault(token, TokenSteps())


def _spelled(token: str) -> str:
    """As the session made it, whatever a model made of its case."""
    bare = token.upper().removeprefix("%5B").removesuffix("%5D").strip("[]")
    name, _, bits = bare.rpartition(".")
    return f"[{name}.{bits.lower()}]"
