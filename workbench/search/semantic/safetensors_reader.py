"""Reads the tensors of a safetensors file."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]


def read_weights(file: Path) -> dict[str, Floats]:
    """Every table of 32-bit numbers by its name."""
    import numpy

    data = file.read_bytes()
    try:
        (size,) = struct.unpack_from("<Q", data)
        contents = json.loads(data[8 : 8 + size])
        found = {}
        for name, about in contents.items():
            if name != "__metadata__" and about["dtype"] == "F32":
                start, end = about["data_offsets"]
                numbers = numpy.frombuffer(data[8 + size + start : 8 + size + end], numpy.float32)
                found[name] = numbers.reshape(about["shape"])
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as fault:
        raise WorkbenchError(f"{file.name} is no model file.", "Fetch it again.") from fault
    return found
