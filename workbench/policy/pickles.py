"""Reads a pickle the program holds, opcode by opcode, and says what unpacking it would call; nothing is unpickled."""

from __future__ import annotations

import ast
import pickletools
from collections.abc import Iterator
from itertools import islice

from workbench.policy.effects import note
from workbench.policy.invocation import Arguments
from workbench.policy.levels import at_least
from workbench.policy.reader import Reader
from workbench.policy.tables.callables import CALLABLES
from workbench.policy.tables.deeds import Deed
from workbench.policy.tables.modules import ALIASES
from workbench.policy.value import Value
from workbench.records import Risk

MOST_OPCODES = 5_000
_TEXTS = frozenset(
    {"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE", "SHORT_BINSTRING", "BINSTRING", "STRING"}
)


def unpickle(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """Unpacking runs what the data says; when the data is in the program, its calls can be named."""
    data = arguments.get(0, "data", "file").const
    for name in dict.fromkeys(called(data)) if isinstance(data, bytes) else ():
        rule = CALLABLES.get(ALIASES.get(name, name))
        if rule and at_least(rule.risk, Risk.MEDIUM):
            words = f"Unpacks data that calls {name}"
            note(reader, Deed.UNPACK, node, name, risk=Risk.CRITICAL, rule="code.unpack.calls", words=words)
    note(reader, Deed.UNPACK, node, ref)
    return Value(taint=arguments.taint)


def called(data: bytes) -> Iterator[str]:
    """The dotted names a pickle fetches; what cannot be read ends the walk."""
    texts: list[str] = []
    try:
        for opcode, argument, _ in islice(pickletools.genops(data), MOST_OPCODES):
            if opcode.name in _TEXTS:
                texts.append(str(argument))
            elif opcode.name in ("GLOBAL", "INST"):
                yield _dotted(*str(argument).split(" ", 1))
            elif opcode.name == "STACK_GLOBAL" and len(texts) > 1:
                yield _dotted(texts[-2], texts[-1])
    except (ValueError, IndexError, UnicodeError, OverflowError):
        return


def _dotted(module: str, name: str = "") -> str:
    owner = {"posix": "os", "nt": "os", "__builtin__": "builtins"}.get(module, module)
    return f"{owner}.{name}"
