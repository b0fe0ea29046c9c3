"""Refuses regular expressions of the user that could hold up the core on a long text.

The ways in which an expression can match at one place are counted before it is accepted: each repetition needs an end,
and nested repetitions soon have too many ways.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterable
from typing import Any, Final

from workbench.errors import WorkbenchError

LONGEST: Final = 200  # characters of an expression
MOST_WAYS: Final = 2_000  # in which it may match at one place
WIDEST: Final = 400  # characters of a match: no longer value is looked for elsewhere
_HINT: Final = r"Give each repetition an end, as in \d{4,12} in place of \d+, and none inside of another."
_parser = importlib.import_module("re._parser")  # the standard library's own reader, which has no public name


def compile_bounded(text: str) -> re.Pattern[str]:
    """The expression, ready to be used; refuses one that is wrong, matches nothing at all, or may take for ever."""
    if not 0 < len(text) <= LONGEST:
        raise WorkbenchError(f"A pattern has 1 to {LONGEST} characters.")
    try:
        with warnings.catch_warnings(action="error"):
            made, tree = re.compile(text), _parser.parse(text)
    except (re.error, OverflowError, RecursionError, Warning) as fault:
        raise WorkbenchError(f"This is no regular expression: {fault}.", _HINT) from None
    if tree.getwidth()[1] > WIDEST or _ways(tree) > MOST_WAYS:
        raise WorkbenchError("This pattern may take very long on a long text.", _HINT)
    if tree.getwidth()[0] < 1:
        raise WorkbenchError("This pattern also matches where nothing stands.", "Say what must be there.")
    return made


def _ways(nodes: Iterable[Any]) -> int:  # Any: the reader's own tree
    """In how many ways a sequence can match at one place, or one more than allowed."""
    product = 1
    for operation, about in nodes:
        product = min(product * _ways_of(str(operation), about), MOST_WAYS + 1)
    return product


def _ways_of(operation: str, about: Any) -> int:  # Any: what the operation is about
    match operation:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, body = about
            return _repeated(_ways(body), int(least), int(most))
        case "BRANCH":
            return sum(map(_ways, about[1]))
        case "SUBPATTERN":
            return _ways(about[3])
        case "ATOMIC_GROUP":
            return _ways(about)
        case "ASSERT" | "ASSERT_NOT":
            return _ways(about[1])
        case "GROUPREF_EXISTS":
            return _ways(about[1]) + (_ways(about[2]) if about[2] is not None else 1)
    return 1


def _repeated(ways: int, least: int, most: int) -> int:
    if most - least > MOST_WAYS:
        return MOST_WAYS + 1
    total, power = (
        0,
        min(ways**least, MOST_WAYS + 1) if ways > 1 and least < 64 else ways if ways == 1 else MOST_WAYS + 1,
    )
    for _ in range(most - least + 1):
        total = min(total + power, MOST_WAYS + 1)
        power = min(power * ways, MOST_WAYS + 1)
    return total
