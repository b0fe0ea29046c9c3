"""What a function with rules of its own looks like to the reader, and how a table of them is written."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from workbench.policy.invocation import Arguments
from workbench.policy.reader import Reader
from workbench.policy.value import Value

Special: TypeAlias = Callable[[Reader, ast.Call, str, Arguments], Value]


def every(names: str, special: Special) -> dict[str, Special]:
    """All these dotted names mean the same."""
    return dict.fromkeys(names.split(), special)
