"""Which kept skills a program uses, by the names that reading resolves; a name that only the run decides asks.

A skill's own text is assessed by whoever holds the library (`runs/borrowed.py`); this is the only place that says
which skills those are.
"""

from __future__ import annotations

import ast
import re

from workbench.policy.reader import Reader
from workbench.policy.value import Value, each, known
from workbench.records import EffectKind, Risk

PACKAGE = "skills."
LOADERS = frozenset({"client.load_skill", "runtime.load_skill"})
LOADED_FROM = frozenset({"client", "runtime", "skills"})  # whose names reach a skill
_CHOSEN = "Which kept skill it uses is chosen at run time"


def use_module(reader: Reader, node: ast.AST, ref: str) -> None:
    """Note the skill that a dotted name such as `skills.late_orders` stands for or lies in."""
    if ref.startswith(PACKAGE):
        _use(reader, node, ref.split(".")[1])


def load_by_name(reader: Reader, node: ast.Call, name: Value) -> None:
    """`load_skill(name)`: every skill that the name is known to mean, and any other unless the text alone fixes it."""
    for choice in each(name):
        if (text := known(choice)) is not None:
            _use(reader, node, text)
    given = _given(node)
    if known(name) is None or given is None or not _is_fixed(reader, given):
        use_any(reader, node)


def use_any(reader: Reader, node: ast.AST, words: str = _CHOSEN) -> None:
    """Nobody can tell which skill this uses, so it may be any of them."""
    reader.report.any_skill = True
    reader.report.add("skill.dynamic", Risk.HIGH, words, reader.span(node), effect=EffectKind.MAY)
    reader.report.not_assessed["Kept skills whose names are only known at run time."] = None


def _use(reader: Reader, node: ast.AST, name: str) -> None:
    """The sandbox turns a name into a module name in this way, too."""
    found = re.sub(r"\W", "_", name)
    reader.report.use_skill(found, reader.span(node).line)
    reader.report.not_assessed[unread(found)] = None


def unread(name: str) -> str:
    """What a verdict says of a skill whose text nobody has assessed yet."""
    return f"The text of the kept skill {name}."


def _given(node: ast.Call) -> ast.expr | None:
    """The only argument of a call, however it is given; None where that is not plain to see."""
    match node:
        case ast.Call(args=[ast.Starred(value=ast.List(elts=[only]) | ast.Tuple(elts=[only]))], keywords=[]):
            return None if isinstance(only, ast.Starred) else only
        case ast.Call(args=[only], keywords=[]):
            return only
        case ast.Call(args=[], keywords=[ast.keyword(arg="name", value=only)]):
            return only
        case ast.Call(args=[], keywords=[ast.keyword(arg=None, value=ast.Dict(keys=[key], values=[only]))]):
            return only if isinstance(key, ast.Constant) and key.value == "name" else None
    return None


def _is_fixed(reader: Reader, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is made of constants alone, or of names that the whole text binds once, to constants.

    What else reading knows of a value it may know only for some of the ways through a program. A false name here would
    have another skill assessed than the one that runs.
    """
    match node:
        case ast.Constant():
            return True
        case ast.JoinedStr():
            return all(isinstance(part, ast.Constant) for part in node.values)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            return depth < 50 and _is_fixed(reader, left, depth + 1) and _is_fixed(reader, right, depth + 1)
        case ast.Name():
            bound = reader.bound_once().get(node.id)
            return bound is not None and depth < 50 and _is_fixed(reader, bound, depth + 1)
    return False
