"""Resource limits of a run, and the isolation levels of this machine."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class Limits(Struct, frozen=True):
    """What one run may use up; each ends the run with a clear reason."""

    seconds: float = 30.0  # of its own time; what its tools, the user and the scanning of answers take is not counted
    total_seconds: float = 0.0  # with its tools, without the user; 0: `seconds` bounds this
    sleep_counts: bool = True  # whether time in which it uses no processor is its own time
    memory_mb: int = 512
    cpu_seconds: float = 30.0
    pids: int = 64
    output_bytes: int = 1_000_000
    disk_mb: int = 1024
    calls: int = 10_000
    cpus: int = 1  # processors it may use at once


class Strength(Struct, frozen=True):
    """What isolation this machine gives, as probed, not as hoped."""

    backend: str  # native, bubblewrap, reduced, none
    level: str  # full, reduced, none
    features: Mapping[str, bool] = field(default_factory=dict)  # "namespaces" → True …
    reason: str = ""  # why it is not stronger
    hint: str = ""
    fixes: Mapping[str, str] = field(default_factory=dict)  # a feature that is missing → the line that brings it


class Level(Struct, frozen=True):
    """One kind of isolation, from the weakest to the strongest: process, container, vm."""

    name: str
    available: bool
    backend: str = ""  # what makes it here: native, bubblewrap, podman, docker, qemu
    sentence: str = ""  # what it is, or why it is not there
    hint: str = ""  # what to do so that it is there: a command, mostly
    languages: tuple[str, ...] = ("python",)
    reduced: bool = False  # weaker than it should be: nothing of high risk runs in it
