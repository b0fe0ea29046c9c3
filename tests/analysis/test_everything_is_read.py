"""Each place of a program where Python evaluates an expression is read: a call put there is found."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

import pytest

from workbench.analysis.reading import assess
from workbench.records import Gate, Risk

EVERY_KIND = """\
import contextlib
a: c0 = c1
a += c2
b.c = c3
b[c4] = c5
b[c6:c7:c8] = c9
b.d: c10 = c11
(c, *d) = c12, *c13
del b[c14], (b[c15], b.e)
del c16.x
for e in c17:
    c18
else:
    c19
while c20:
    break
else:
    c21
if c22:
    c23
elif c24:
    c25
else:
    c26
with c27 as f, c28:
    c29
try:
    c30
except c31 as fault:
    c32
except (c33, ValueError):
    c34
else:
    c35
finally:
    c36
match c37:
    case {"key": g, **h} if c38:
        c39
    case [1, *i] | None:
        c40
    case object(name=j):
        c41
    case "x" as k:
        c42
assert c43, c44
[c45 for l in c46 if c47 for m in c48]
{c49 for l in c50}
{c51: c52 for l in c53}
sum(c54 for l in c55)
{c56: c57, **c58}
{c59, c60}
f"{c61} {c62!r} {c63:{c64}}"
c65 if c66 else c67
c68 and c69
not c70
c71 < c72 < c73
c74 is c75
c76 in c77
(n := c78)
print(c79, *c80, sep=c81, **c82)
c83(1)
c133 + c134
[c135, *c136]
c84.method(c85)
c86[c87](c88)
b[c89, c90:c91]
lambda x=c92, *, y=c93: c94


@c95
@c96(c97)
def o(p: c98, q: c99 = c100, *r: c101, s: c102 = c103, **t: c104) -> c105:
    b.late: int = c106
    with c107:
        pass
    if p:
        return c108
    if q:
        raise c109
    raise c110 from c111


@c112
class U(c113, metaclass=c114):
    v: c115 = c116
    w: c117

    @c118
    def x(self):
        class Y:
            z: c119 = 1

        def inner(a=c120):
            yield c121
            yield from c122
            return c123

        return Y, inner


class W(c124, key=c125):
    pass


async def aa():
    await c126
    async for ab in c127:
        c128
    async with c129 as ac:
        c130
    return [c131 async for ad in c132]
"""
_NOT_EVALUATED = """\
def f():
    x: c0 = 1
    y: c1
    (z): c2 = 1
"""
_LAZY = "from __future__ import annotations\nx: c0 = 1\ndef f(a: c1) -> c2: ...\n"


def marked(text: str) -> Iterator[tuple[str, str]]:
    """The text with the call in the place of each mark in turn, all other marks being harmless."""
    names = sorted({node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and _is_mark(node)})
    for name in names:
        yield name, ast.unparse(_Marked(name).visit(ast.parse(text)))


def _is_mark(node: ast.Name) -> bool:
    return node.id[:1] == "c" and node.id[1:].isdigit()


class _Marked(ast.NodeTransformer):
    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not _is_mark(node):
            return node
        return ast.parse("exec('import os')" if node.id == self._name else "harmless", mode="eval").body


def found(code: str) -> bool:
    verdict = assess(code, ())
    assert verdict.gate is not Gate.BLOCKED, verdict.sentence
    return any(one.rule == "code.run" and one.risk is Risk.HIGH for one in verdict.findings)


@pytest.mark.parametrize(("mark", "code"), [pytest.param(*one, id=one[0]) for one in marked(EVERY_KIND)])
def test_an_expression_is_read_wherever_it_stands(mark: str, code: str) -> None:
    assert found(code), mark


@pytest.mark.skipif(sys.version_info < (3, 13), reason="a grammar that is newer than this Python's")
@pytest.mark.parametrize("code", ["type A = exec('1')", "def f[T: exec('1')](): ...", "class C[T: exec('1')]: ..."])
def test_what_is_evaluated_when_it_is_asked_for_is_read(code: str) -> None:
    assert found(code)


def test_every_kind_of_expression_and_statement_is_among_them() -> None:
    kinds = {type(node) for node in ast.walk(ast.parse(EVERY_KIND))}
    missing = {
        name
        for name, kind in vars(ast).items()
        if isinstance(kind, type) and issubclass(kind, (ast.expr, ast.stmt)) and kind.__subclasses__() == []
    } - {kind.__name__ for kind in kinds}
    without_expressions = {"Pass", "Break", "Continue", "Global", "Nonlocal", "Import", "ImportFrom", "TryStar"}
    deprecated = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "TypeAlias", "TemplateStr", "Interpolation"}
    assert missing <= without_expressions | deprecated


@pytest.mark.parametrize("text", [_NOT_EVALUATED, _LAZY])
def test_annotations_that_python_does_not_evaluate_are_no_finding(text: str) -> None:
    for mark, code in marked(text):
        assert not found(code), mark


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess\nx: subprocess.Popen | None = None",
        (
            "import socket\nfrom typing import Optional\n"
            "def f(s: Optional[socket.socket], *a: 'exec') -> list[socket.socket]: ..."
        ),
        "import os\nfrom collections.abc import Callable\nclass A:\n    f: Callable[[os.PathLike], None]",
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass A:\n    x: int = 0\n",
        "import functools\n@functools.lru_cache(maxsize=None)\ndef f(x):\n    return x\nprint(f(1))",
        (
            "from abc import ABC, ABCMeta, abstractmethod\n"
            "class A(ABC, metaclass=ABCMeta):\n    @abstractmethod\n    def f(self): ..."
        ),
        "import enum\nclass Colour(enum.Enum):\n    RED = 1\nprint(Colour.RED, Colour['RED'])",
        "from contextlib import contextmanager\n@contextmanager\ndef f():\n    yield 1\nwith f() as x: print(x)",
    ],
)
def test_types_and_everyday_decorators_are_no_finding(code: str) -> None:
    assert assess(code, ()).gate is Gate.AUTO


@pytest.mark.parametrize(
    "code",
    [
        "text = lambda cls: 'import os'\n@exec\n@text\nclass _: pass",
        "class A(metaclass=exec): pass",
        "class A:\n    def __class_getitem__(cls, f):\n        f('workspace/a')\nimport os\nx: A[os.remove] = 1",
        (
            "class M(type):\n    def __or__(cls, f):\n        f('workspace/a')\n"
            "class A(metaclass=M): pass\nimport os\nx: A | os.remove"
        ),
        "class A:\n    def __init_subclass__(cls, f): f('workspace/a')\nimport os\nclass B(A, f=os.remove): pass",
        "import os\ndef use(f):\n    f('workspace/a')\n@use\n@lambda f: os.remove\ndef g(): pass",
        "import io\nclass F(io.FileIO): pass\nF('workspace/a.csv', 'w')",
        (
            "from pathlib import Path\nclass P(type(Path())): pass\n"
            "class Q(Path): pass\nQ('workspace/a').rename('workspace/b')"
        ),
        "import subprocess\nclass P(subprocess.Popen): pass\nP(['ls'])",
    ],
)
def test_code_that_python_calls_by_itself_is_read(code: str) -> None:
    assert assess(code, ()).gate is not Gate.AUTO
