"""Types that many records use: JSON values, risk, origin of a request, and faults."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct

# Any: foreign JSON is whatever a server, an agent or a schema author sent; rooms check before they rely on it.
JsonValue: TypeAlias = Any
JsonObject: TypeAlias = Mapping[str, Any]


class Origin(StrEnum):
    """Whose wish something is; people see results unmasked, agents never do."""

    PERSON = "person"
    AGENT = "agent"


class Risk(StrEnum):
    """How much harm an effect could do; `workbench.records.risk_levels` orders the words."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Fault(Struct, frozen=True):
    """Why something did not work, and what to do about it."""

    message: str
    hint: str = ""
    detail: str = ""  # longer text for whoever wants it: stderr lines, a traceback
    code: str = ""  # one word for programs, where there is one: timeout, unknown_tool, a protocol's number
    ours: bool = False  # message and detail are sentences of the workbench, not of a program, a server or the user
