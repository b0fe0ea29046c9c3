"""Writes a graph of operators as an ONNX file, with the parts of the protobuf wire format that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]  # Any: element type as in the model file


_IR, _OPERATORS = 9, 20  # versions of the format and of the operators; onnxruntime reads them since 1.17
_KINDS = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_INTEGER, _INTEGERS = 2, 7  # ONNX attribute types


class OnnxFile:
    """Builder of an ONNX file. Operators are added in execution order; each returns the name of its output."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def run(self, operator: str, *inputs: str, outputs: int = 1, **attributes: int | Sequence[int]) -> str:
        """Add an operator. Returns the name of its first output; other outputs have `.1`, `.2` … appended."""
        first = f"{operator}_{len(self._nodes)}"
        names = [first, *(f"{first}.{at}" for at in range(1, outputs))]
        self._nodes.append(
            block(
                1,
                *(text(1, one) for one in inputs),
                *(text(2, one) for one in names),
                text(4, operator),
                *(block(5, _attribute(key, value)) for key, value in attributes.items()),
            )
        )
        return first

    def constant(self, value: Array) -> str:
        name = f"constant_{len(self._constants)}"
        kind = number(2, _KINDS[str(value.dtype)])
        self._constants.append(block(5, packed(1, value.shape), kind, text(8, name), block(9, value.tobytes())))
        return name

    def encode(self, takes: str, gives: str) -> bytes:
        """Return the file. `takes` names a list of int64 of any length, `gives` a list of float32."""
        graph = block(
            7,
            *self._nodes,
            text(2, self._name),
            *self._constants,
            block(11, _value(takes, "int64")),
            block(12, _value(gives, "float32")),
        )
        return number(1, _IR) + text(2, "mcp-workbench") + graph + block(8, text(1, ""), number(2, _OPERATORS))


def _attribute(name: str, value: int | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return text(1, name) + number(3, value & (1 << 64) - 1) + number(20, _INTEGER)
    return text(1, name) + packed(8, value) + number(20, _INTEGERS)


def _value(name: str, kind: str) -> bytes:
    shape = block(2, block(1, text(2, "length")))
    return text(1, name) + block(2, block(1, number(1, _KINDS[kind]), shape))


_VARINT, _LENGTH = 0, 2


def number(field: int, value: int) -> bytes:
    """Encode a non-negative integer."""
    return _varint(field << 3 | _VARINT) + _varint(value)


def text(field: int, value: str) -> bytes:
    return block(field, value.encode())


def block(field: int, *parts: bytes) -> bytes:
    """Encode bytes, or a message made of its fields."""
    return b"".join((_varint(field << 3 | _LENGTH), _varint(sum(map(len, parts))), *parts))


def packed(field: int, values: Iterable[int]) -> bytes:
    return block(field, *map(_varint, values))


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
