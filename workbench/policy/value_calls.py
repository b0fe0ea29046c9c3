"""Functions that make one value out of another: text put together or decoded, copies and views of tables."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.policy import folding
from workbench.policy.invocation import Arguments
from workbench.policy.lookups import note_hidden
from workbench.policy.reader import Reader
from workbench.policy.special import Special, every
from workbench.policy.statements import any_of
from workbench.policy.tampering import tables
from workbench.policy.value import HOLE, NOTHING, UNKNOWN, Value, iterated, join
from workbench.records import Risk


def _chr(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    code = arguments.get(0).const
    letter = chr(code) if isinstance(code, int) and 0 <= code < 0x110000 else UNKNOWN
    return Value(const=letter, taint=arguments.taint)


def _bytes(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    source = arguments.get(0)
    numbers = [item.const for item in source.items or ()]
    small = [number for number in numbers if isinstance(number, int) and 0 <= number < 256]
    if numbers and len(small) == len(numbers):
        return Value(const=bytes(small), kind="decoded" if len(small) > 4 else "", taint=source.taint)
    if isinstance(source.const, str | bytes):
        return Value(
            const=source.const.encode() if isinstance(source.const, str) and HOLE not in source.const else source.const
        )
    return Value(taint=arguments.taint)


def _view(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """A copy or view of a table of names still gives out every name, and a view takes changes for it."""
    held = tables(name for value in arguments.every for name in value.refs)
    for owner in held:
        note_hidden(reader, node, f"Looks at {owner} through {ref}", owner, Risk.MEDIUM)
    source = arguments.get(0)
    if ref == "builtins.dict" and arguments.named:
        names = tuple(Value(const=name) for name in arguments.named)
        return Value(refs=held, items=tuple(arguments.named.values()), keys=names, taint=arguments.taint)
    return Value(refs=held, items=source.items, keys=source.keys, taint=arguments.taint)


def _same(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    source = arguments.get(0)
    return replace(source, refs=(), functions=(), items=iterated(source), keys=None, taint=arguments.taint)


def _reversed(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    source = arguments.get(0)
    if isinstance(source.const, str) and HOLE not in source.const:
        return Value(items=tuple(Value(const=letter) for letter in reversed(source.const[:4096])), taint=source.taint)
    parts = iterated(source)
    return Value(items=parts and parts[::-1], taint=source.taint)


def _one_of(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`next(paths)`, `max(paths)`: some element of what it is given, or, of several arguments, one of them."""
    source = arguments.get(0)
    if len(arguments.positional) > 1:
        source = Value(items=arguments.positional)
    found = any_of(source, iterated(source))
    return replace(join(found, NOTHING), taint=arguments.taint)


def _map(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    function, source = node.args[0] if node.args else None, arguments.get(1)
    if isinstance(function, ast.Name) and function.id in ("chr", "int", "ord", "str"):
        body = ast.Call(ast.Name(function.id), [ast.Name("x")], [])
        items = folding.comprehend(body, "x", source)
        if items:
            return Value(items=items, taint=arguments.taint)
    return Value(taint=arguments.taint)


def _decode(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    return folding.decode(ref, arguments.get(0), arguments.positional[1:])


def _given(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """What does the same as the function that it is given."""
    return arguments.get(0)


VALUE_CALLS: dict[str, Special] = {
    **every("functools.partial functools.partialmethod asyncio.coroutine", _given),
    **every("builtins.staticmethod builtins.classmethod builtins.property functools.cache functools.lru_cache", _given),
    **every("functools.singledispatch functools.singledispatchmethod functools.cached_property", _given),
    **every("builtins.chr", _chr),
    **every("builtins.bytes builtins.bytearray", _bytes),
    **every("builtins.str builtins.list builtins.tuple builtins.iter builtins.sorted builtins.set", _same),
    **every("collections.ChainMap collections.UserDict collections.OrderedDict types.MappingProxyType", _view),
    **every("builtins.dict copy.copy copy.deepcopy", _view),
    **every("builtins.reversed", _reversed),
    **every("builtins.next builtins.max builtins.min random.choice secrets.choice", _one_of),
    **every("builtins.map", _map),
    **dict.fromkeys(folding.DECODING, _decode),
}
