"""A number of tokens in words, with what counted it: the core says once what that is, the window itself estimates."""

from __future__ import annotations

from workbench.gui.words import amount
from workbench.tokens import ESTIMATE, with_counter

_made_by = [ESTIMATE]


def learn_counter(name: str) -> None:
    """As the core's status tells it."""
    _made_by[0] = name


def cost(number: int, made_by: str = "") -> str:
    """`made_by`: where it is known of this number; else what counts in the core."""
    return with_counter(amount(number), made_by or _made_by[0])


def sign() -> str:
    """Before a bare number of the core's."""
    return "≈ " if _made_by[0] == ESTIMATE else f"{_made_by[0]} "
