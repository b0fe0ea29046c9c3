"""What the work through programs saved a model, and which way of working this catalogue calls for."""

from __future__ import annotations

from msgspec import Struct, field

from workbench.records.ground import Origin
from workbench.records.runs import Ledger


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
