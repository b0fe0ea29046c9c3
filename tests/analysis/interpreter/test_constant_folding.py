"""Text put together from pieces becomes readable; nothing else runs and nothing grows without end."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis.interpreter import constant_folding
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.tool_lookup import ToolLookup
from workbench.analysis.interpreter.values import HOLE, Value, text_of
from workbench.analysis.parsed_program import ParsedProgram
from workbench.analysis.reading import SYNTAX


def fold(expression: str) -> str:
    reader = Interpreter(ParsedProgram(expression), ToolLookup(()), SYNTAX)
    return text_of(reader.value(ast.parse(expression, mode="eval").body))


@pytest.mark.parametrize(
    "expression",
    [
        "'o' + 's'",
        "'%s%s' % ('o', 's')",
        "'{}{}'.format('o', 's')",
        "f\"{'o'}{'s'}\"",
        "''.join(['o', 's'])",
        "'so'[::-1]",
        "'xosx'[1:3]",
        "'o.s'.replace('.', '')",
        "'OS'.lower()",
        "' os '.strip()",
        "chr(111) + chr(115)",
        "''.join(chr(c) for c in [111, 115])",
        "''.join(chr(c ^ 1) for c in [110, 114])",
        "''.join(map(chr, [111, 115]))",
        "''.join(reversed('so'))",
        "bytes([111, 115]).decode()",
        "bytes.fromhex('6f73').decode()",
        "__import__('base64').b64decode('b3M=').decode()",
        "__import__('codecs').decode('bf', 'rot13')",
        "__import__('binascii').unhexlify('6f73')",
        "__import__('zlib').decompress(__import__('base64').b64decode('eJzLLwYAAVMA4w=='))",
        "'a,os'.split(',')[1]",
        "['x', 'os'][1]",
        "('os' if 1 else 'os')",
        "'o' 's'",
        "b'os'.decode()",
        "'os'.encode()",
    ],
)
def test_every_way_to_hide_two_letters_is_read(expression: str) -> None:
    assert fold(expression) == "os"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("f'a{x}b'", f"a{HOLE}b"),
        ("'a' + x", f"a{HOLE}"),
        ("x + 'b'", f"{HOLE}b"),
        ("'a%s' % x", f"a{HOLE}"),
        ("'a{}'.format(x)", f"a{HOLE}"),
        ("f'{x:>9}'", HOLE),
    ],
)
def test_unknown_parts_stay_holes(expression: str, expected: str) -> None:
    assert fold(expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "'a' * 10**9",
        "'%99999999d' % 1",
        "'{:>99999999}'.format(1)",
        "10**10**10",
        "1 << 10**9",
        "'x'.zfill(10**9)",
        "b'a' * 10**12",
    ],
)
def test_nothing_grows_without_end(expression: str) -> None:
    assert len(fold(expression)) <= constant_folding.MAX_TEXT


def test_damaged_codes_are_unknown() -> None:
    assert fold("__import__('binascii').unhexlify('zz')") == HOLE
    assert fold("bytes.fromhex('zz')") == HOLE
    assert fold("'a'.format(*x)[5]") == HOLE


def test_decoded_text_is_marked_as_hidden() -> None:
    assert constant_folding.decode("base64.b64decode", Value(const="b3M=")).kind == "decoded"


@given(st.text(max_size=30), st.text(max_size=30), st.integers(-9, 9), st.integers(-9, 9))
def test_folding_agrees_with_python(first: str, second: str, low: int, high: int) -> None:
    for expression in (
        f"{first!r} + {second!r}",
        f"{first!r}[{low}:{high}]",
        f"{first!r}.upper()",
        f"{first!r}.join([{second!r}])",
    ):
        assert fold(expression) == eval(expression)
