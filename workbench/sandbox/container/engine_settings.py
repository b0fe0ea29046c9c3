"""How this machine's engine starts containers, as found by trying when the image was built."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from workbench.files import write_file

FILE = "container.json"


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """One engine, and what works with it. `options` stand before `run`, `run_options` after it."""

    engine: str  # podman or docker
    program: str  # its path
    options: tuple[str, ...] = ()
    run_options: tuple[str, ...] = ()
    image: str = ""
    source: str = ""  # hash of the runner's files that are in the image
    rootless: bool = False
    descriptor: bool = False  # the channel is handed in as descriptor 3; else it is stdin and stdout
    limits: bool = False  # the kernel's groups limit memory, processors and processes
    service: bool = False  # the client only speaks to a service, at an address that `options` hold
    remote: str = ""  # the other machine it runs on, without who asks; then files are carried
    machine: str = ""  # its kind of processor, where that was asked
    runtime: str = ""
    starts_ms: int = 0  # typical, from asking for one to its first word

    def command(self, *words: str) -> list[str]:
        """The engine's command line for something other than starting a container."""
        return [self.program, *self.options, *words]


def read_engine_settings(images: Path) -> EngineSettings | None:
    """What was built; None where nothing was, or where another version wrote it."""
    try:
        words = json.loads((images / FILE).read_text(encoding="utf-8"))
        return EngineSettings(
            **{**words, "options": tuple(words["options"]), "run_options": tuple(words["run_options"])}
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_engine_settings(images: Path, station: EngineSettings) -> None:
    write_file(images / FILE, json.dumps(asdict(station), indent=2), mode=0o644)
