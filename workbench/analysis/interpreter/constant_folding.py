"""Computes the constants that a program assembles from pieces, so that hidden text becomes readable.

Only pure operations on small constants are computed, with a limit on every size. Unknown parts stay HOLE.
"""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
import re
import zlib
from collections.abc import Callable, Mapping
from functools import reduce
from itertools import islice, product

from msgspec.structs import replace

from workbench.analysis.interpreter.values import (
    HOLE,
    MAX_CHOICES,
    UNKNOWN,
    Value,
    each,
    iterated,
    join,
    known,
    text_of,
)
from workbench.analysis.tables.methods_and_attributes import PATH_KINDS
from workbench.permissions.word_sets import names

MAX_TEXT = 65_536
_PERCENT = re.compile(r"%(?:\([^)]{0,40}\))?[-#0 +]{0,4}\d{0,4}(?:\.\d{0,4})?[sdrfxi]")
_FIELD = re.compile(r"\{[^{}]{0,200}\}")
_WIDE_FIELD = re.compile(r"\{[^{}]*(?::[^{}]*\d{4,}|[.\[])")
_SIMPLE_METHODS = names(
    "lower upper strip lstrip rstrip replace swapcase title capitalize casefold removeprefix removesuffix hex"
)


def combine(operator: ast.operator, left: Value, right: Value) -> Value:
    """Return the known part of `left operator right`."""
    if left.choices or right.choices:
        return reduce(
            join, [combine(operator, one, other) for one in each(left) for other in each(right)][:MAX_CHOICES]
        )
    taint = left.taint | right.taint
    if isinstance(operator, ast.Div) and (left.kind in PATH_KINDS or right.kind in PATH_KINDS):
        return join_path(left, right)
    if isinstance(operator, ast.Add):
        return replace(_add(left, right), taint=taint)
    if isinstance(operator, ast.Mod) and isinstance(left.const, str):
        return Value(const=_percent(left.const, right), taint=taint)
    if isinstance(operator, ast.BitOr) and left.items is not None and right.items is not None:
        keys = None if left.keys is None or right.keys is None else (left.keys + right.keys)[:64]
        return Value(items=(left.items + right.items)[:64], keys=keys, taint=taint, unordered=True)
    return Value(const=_number(operator, left.const, right.const), taint=taint)


def join_path(base: Value, *parts: Value) -> Value:
    """Return the path `base / part / part`."""
    if any(value.choices for value in (base, *parts)):
        first, *rest = islice(product(each(base), *map(each, parts)), MAX_CHOICES)
        return reduce(join, [join_path(*one) for one in rest], join_path(*first))
    text, taint = text_of(base), base.taint
    for part in parts:
        piece = text_of(part)
        text = (
            piece if piece.startswith("/") else f"{text.rstrip('/') or ('/' if text.startswith('/') else '')}/{piece}"
        )
        taint |= part.taint
    return Value(const=text.removeprefix("./")[:MAX_TEXT], kind=base.kind or "pathlib.Path", taint=taint)


def _add(left: Value, right: Value) -> Value:
    first, second = left.const, right.const
    if left.items is not None and right.items is not None:
        unordered = left.unordered or right.unordered or len(left.items) + len(right.items) > 64
        return Value(items=(left.items + right.items)[:64], unordered=unordered)
    if isinstance(first, bytes) and isinstance(second, bytes):
        return Value(const=(first + second)[:MAX_TEXT], kind=left.kind)
    if isinstance(first, str) or isinstance(second, str):
        return Value(const=(_part(first) + _part(second))[:MAX_TEXT], kind=left.kind or right.kind)
    return Value(const=_number(ast.Add(), first, second))


def _part(const: object) -> str:
    return const if isinstance(const, str) else HOLE


def _percent(template: str, right: Value) -> object:
    parts = right.items if right.items is not None else (right,)
    values = tuple(part.const for part in parts)
    if UNKNOWN not in values and len(template) < 4096 and not re.search(r"\d{4,}", template):
        try:
            return (template % values)[:MAX_TEXT]
        except (TypeError, ValueError, KeyError):
            return UNKNOWN
    return _PERCENT.sub(HOLE, template)[:MAX_TEXT]


_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], object]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.BitXor: lambda a, b: a ^ b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b if 0 <= b <= 64 and abs(a) <= 1024 else UNKNOWN,
}


def _number(operator: ast.operator, left: object, right: object) -> object:
    if isinstance(operator, ast.Mult) and isinstance(left, str | bytes) and isinstance(right, int):
        return left * max(right, 0) if len(left) * max(right, 0) <= 4096 else UNKNOWN
    if isinstance(operator, ast.Mult) and isinstance(right, str | bytes) and isinstance(left, int):
        return _number(operator, right, left)
    compute = _ARITHMETIC.get(type(operator))
    if compute is None or not _small(left) or not _small(right):
        return UNKNOWN
    try:
        return compute(left, right)  # type: ignore[arg-type]  # _small has checked both
    except ArithmeticError:
        return UNKNOWN


def _small(const: object) -> bool:
    return isinstance(const, int) and abs(const) < 1 << 64


def cut(value: Value, lower: object, upper: object, step: object) -> Value:
    """Return a slice of a known text or list."""
    marks = slice(*(mark if isinstance(mark, int) else None for mark in (lower, upper, step)))
    if marks.step == 0:
        return Value(taint=value.taint)
    const = value.const
    if isinstance(const, bytes) or (isinstance(const, str) and HOLE not in const):
        return Value(const=const[marks], taint=value.taint, kind=value.kind)
    if value.unordered:
        return replace(value, const=UNKNOWN, choices=())
    return Value(items=value.items and value.items[marks], taint=value.taint)


def method(owner: Value, name: str, arguments: tuple[Value, ...], named: Mapping[str, Value]) -> Value | None:
    """Return the result of a string method on known text, or None for an unsupported method."""
    const = owner.const
    taint = owner.taint.union(*(value.taint for value in (*arguments, *named.values())))
    if not isinstance(const, str | bytes):
        return None
    if name == "join" and arguments:
        return Value(const=_joined(const, arguments[0]), taint=taint, kind=_assembled(arguments[0]))
    if name == "format" and isinstance(const, str):
        return Value(const=_formatted(const, arguments, named), taint=taint)
    if name in ("encode", "decode"):
        return Value(const=_coded(const), taint=taint, kind=owner.kind)
    if name in ("split", "splitlines") and known(owner) is not None:
        return Value(items=_split(const, name, arguments), taint=taint)
    if name in _SIMPLE_METHODS and known(owner) is not None:
        return Value(const=_called(const, name, arguments), taint=taint, kind=owner.kind)
    return None


def _joined(glue: str | bytes, parts: Value) -> object:
    items = iterated(parts)
    if items is None and isinstance(parts.const, str):
        items = tuple(Value(const=letter) for letter in parts.const[:4096])
    if not items:
        return UNKNOWN
    if isinstance(glue, bytes):
        found = [item.const for item in items]
        return (
            glue.join(f for f in found if isinstance(f, bytes)) if all(isinstance(f, bytes) for f in found) else UNKNOWN
        )
    return glue.join(text_of(item) for item in items)[:MAX_TEXT]


def _assembled(parts: Value) -> str:
    """Return the kind `decoded` for text joined from more than four single characters, which hides its content."""
    letters = parts.items or ()
    return (
        "decoded"
        if len(letters) > 4 and all(len(text_of(item)) == 1 and item.const is not UNKNOWN for item in letters)
        else ""
    )


def _formatted(template: str, arguments: tuple[Value, ...], named: Mapping[str, Value]) -> object:
    values = [*arguments, *named.values()]
    if any(value.const is UNKNOWN for value in values) or _WIDE_FIELD.search(template) or len(template) > 4096:
        return _FIELD.sub(HOLE, template)[:MAX_TEXT]
    try:
        return template.format(*(v.const for v in arguments), **{k: v.const for k, v in named.items()})[:MAX_TEXT]
    except (ValueError, LookupError, AttributeError, TypeError):
        return UNKNOWN


def _coded(const: str | bytes) -> object:
    if isinstance(const, bytes):
        return const.decode("utf-8", "replace")
    return const.encode("utf-8", "replace") if HOLE not in const else const


def _split(const: str | bytes, name: str, arguments: tuple[Value, ...]) -> tuple[Value, ...] | None:
    parts = _called(const, name, arguments)
    return tuple(Value(const=part) for part in parts[:2000]) if isinstance(parts, list) else None


def _called(const: str | bytes, name: str, arguments: tuple[Value, ...]) -> object:
    values = [value.const for value in arguments]
    if UNKNOWN in values or not all(isinstance(value, str | bytes | int | None) for value in values):
        return UNKNOWN
    if name == "replace" and any(isinstance(v, str | bytes) and len(v) > 64 for v in values):
        return UNKNOWN
    try:
        found: object = getattr(const, name)(*values)
    except (TypeError, ValueError, AttributeError):
        return UNKNOWN
    return found[:MAX_TEXT] if isinstance(found, str | bytes) else found


def decode(ref: str, argument: Value, extra: tuple[Value, ...] = ()) -> Value:
    """Return the result of a decoding function for known text. The kind `decoded` marks it as hidden before."""
    known_parts = [part.const for part in extra]
    const = argument.const
    data = const.encode("utf-8", "replace") if isinstance(const, str) and HOLE not in const else const
    result: object = UNKNOWN
    if isinstance(data, bytes) and len(data) <= 4 * MAX_TEXT:
        try:
            result = _decoded(ref, data, known_parts)
        except (ValueError, LookupError, zlib.error, binascii.Error, TypeError, EOFError):
            result = UNKNOWN
    return Value(const=result, kind="decoded", taint=argument.taint)


def _decoded(ref: str, data: bytes, extra: list[object]) -> object:
    name = ref.rpartition(".")[2]
    if name in _DECODERS:
        return _DECODERS[name](data)
    if ref.startswith("zlib.") or name in ("decompress",):
        return zlib.decompressobj(47).decompress(data, MAX_TEXT)
    if (
        name in ("decode", "encode")
        and extra
        and str(extra[0]).replace("-", "").replace("_", "") in ("rot13", "rot_13")
    ):
        return codecs.decode(data.decode("utf-8", "replace"), "rot13")
    if name == "decode" and extra and str(extra[0]).startswith(("hex", "base64")):
        found: object = codecs.decode(data, str(extra[0]))
        return found
    return UNKNOWN


_DECODERS: dict[str, Callable[[bytes], object]] = {
    "b64decode": lambda data: base64.b64decode(data + b"=" * (-len(data) % 4)),
    "urlsafe_b64decode": lambda data: base64.urlsafe_b64decode(data + b"=" * (-len(data) % 4)),
    "standard_b64decode": lambda data: base64.b64decode(data + b"=" * (-len(data) % 4)),
    "decodebytes": base64.decodebytes,
    "b32decode": base64.b32decode,
    "b16decode": base64.b16decode,
    "a85decode": base64.a85decode,
    "b85decode": base64.b85decode,
    "unhexlify": binascii.unhexlify,
    "a2b_hex": binascii.unhexlify,
    "a2b_base64": binascii.a2b_base64,
    "fromhex": lambda data: bytes.fromhex(data.decode("ascii")),
}
DECODING = frozenset(f"base64.{name}" for name in _DECODERS) | names(
    """binascii.unhexlify binascii.a2b_hex binascii.a2b_base64 zlib.decompress gzip.decompress bz2.decompress
    lzma.decompress codecs.decode codecs.encode builtins.bytes.fromhex builtins.bytearray.fromhex"""
)


def simple(node: ast.expr, name: str) -> Callable[[object], object] | None:
    """Compile the body of a decoding loop: `chr(x ^ 7)`, `int(x, 16)`, `chr(ord(c) - 1)`.

    None if it is not supported."""
    if isinstance(node, ast.Name):
        return (lambda x: x) if node.id == name else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int | str):
        constant = node.value
        return lambda _: constant
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _CONVERTERS
        and not node.keywords
    ):
        convert = _CONVERTERS[node.func.id]
        parts = [simple(argument, name) for argument in node.args]
        return (lambda x: convert(*(p(x) for p in parts if p))) if all(parts) else None
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right, operator = simple(node.left, name), simple(node.right, name), node.op
        return (lambda x: _number(operator, left(x), right(x))) if left and right else None
    return None


# object: the arguments come from the analyzed program; a wrong type only ends the folding.
_CONVERTERS: dict[str, Callable[..., object]] = {"chr": chr, "ord": ord, "int": int, "str": str}


def comprehend(node: ast.expr, name: str, source: Value) -> tuple[Value, ...] | None:
    """Return the elements of `[f(x) for x in constants]` if `simple` supports f."""
    if isinstance(source.const, str | bytes):
        elements: list[object] = list(source.const)
    else:
        elements = [item.const for item in iterated(source) or ()]
    compute = simple(node, name)
    if not elements or not compute or len(elements) > 20_000 or UNKNOWN in elements:
        return None
    try:
        return tuple(Value(const=compute(element)) for element in elements)
    except (ValueError, TypeError, OverflowError):
        return None
