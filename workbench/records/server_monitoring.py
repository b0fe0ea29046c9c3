"""Messages of a server, its statistics, its tasks, and the checks of the server doctor."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from workbench.records.common_types import Fault


class Frame(Struct, frozen=True):
    """One message as it crossed a server's pipe, in the order of `number`; its whole text is asked for by `at`."""

    server: str
    at: float  # unique within the server
    direction: str  # ">" to the server, "<" from it, "!" from it and not JSON-RPC, "·" something happened to it
    text: str  # the beginning of the message
    bytes: int
    number: int = 0  # from 1; a gap before the first one is what was dropped
    kind: str = ""  # request, notice, answer, error, batch; empty for "!" and "·"
    method: str = ""  # of requests and notices
    id: str = ""  # as JSON: 7 is not "7"
    about: str = ""  # the tool, resource, prompt or error message it is about
    cut: bool = False  # too long to keep: only its beginning is


class RawAnswer(Struct, frozen=True):
    """What came of a message a person wrote by hand; the messages themselves stand among the frames."""

    method: str
    ok: bool
    at: float  # no frame of it is earlier
    fault: Fault | None = None
    needs_confirmation: bool = False  # a tool call that a person may send again with `confirmed`
    ms: float = 0.0


class Vitals(Struct, frozen=True):
    """How one server is doing right now. Asking looks into /proc, so it is asked while somebody looks."""

    server: str
    since: float = 0.0  # when its process started; 0: it does not run
    memory_mb: float = 0.0  # of its whole process group; 0: not known here
    processes: int = 0
    calls: int = 0  # answered or failed since the core opened
    errors: int = 0
    typical_ms: float = 0.0  # the median of the last calls
    slowest_ms: float = 0.0
    last_error: str = ""
    last_error_at: float = 0.0
    sent_bytes: int = 0
    received_bytes: int = 0
    frames: int = 0  # messages that are kept
    dropped: int = 0  # older messages that made room


class CheckState(StrEnum):
    """How a check ended."""

    GOOD = "good"
    DOUBT = "doubt"  # it works, but a person should know
    BAD = "bad"  # this is why it fails
    SKIPPED = "skipped"  # could not be made; the sentence says why


class Check(Struct, frozen=True):
    """One thing looked at."""

    name: str  # two or three words: "Executable", "TLS"
    state: CheckState
    sentence: str
    fix: str = ""  # what to do about it; empty when there is nothing to do
    detail: str = ""  # what was really seen: last words, headers, certificates


class ServerTask(Struct, frozen=True):
    """One piece of work that goes on at a server, or ended there."""

    server: str
    id: str
    status: str  # working, input_required, completed, failed, cancelled
    message: str = ""  # the server's words about it
    tool: str = ""  # where it began with a call of ours since the core opened
    since: float = 0.0  # as the server says
    changed: float = 0.0

    @property
    def open(self) -> bool:
        """Whether it has not ended."""
        return self.status in ("working", "input_required")

    @property
    def has_result(self) -> bool:
        return self.status in ("completed", "failed")
