"""Finds a container engine, on this machine or another one, and runs its command-line client.

DOCKER_HOST, CONTAINER_HOST and the client's contexts lead to engines on other machines, which cannot mount the
project's folders. How the engine starts containers, found by trying when the image was built, is read from a file.
"""

from __future__ import annotations

import ipaddress
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.sandbox.locks.seccomp_filter import ARCHITECTURES

_LEADING = (
    "CONTAINER_HOST", "CONTAINER_SSHKEY", "CONTAINER_CONNECTION", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_TLS",
    "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH",
)  # fmt: skip
_CONTEXT_TIMEOUT = 20.0  # seconds for a client to say what it is set to
_LOCAL = ("", "unix", "npipe", "fd")


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """An address, and the client's options that lead there."""

    host: str = ""
    options: tuple[str, ...] = ()

    @property
    def is_remote(self) -> bool:
        """The engine runs on another machine, which has no folders of ours."""
        return urlsplit(self.host).scheme not in _LOCAL

    @property
    def without_user(self) -> str:
        """The remote machine's address without the user name; empty for this machine."""
        parts = urlsplit(self.host)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if self.is_remote else ""

    @property
    def fault(self) -> str:
        """Why this address must not be used, in half a sentence."""
        if urlsplit(self.host).password:
            return "its address holds a password, which everybody here would see in the list of processes"
        return ""

    @property
    def unprotected(self) -> bool:
        """Whether others on the network can read and change the connection."""
        parts = urlsplit(self.host)
        return parts.scheme == "tcp" and "--tlsverify" not in self.options and not _is_loopback(parts.hostname or "")


def address_of(engine: str, program: str, environment: Mapping[str, str]) -> EngineAddress:
    """Written into the options, because a core may be started without the environment that this was found in."""
    if engine == "podman":
        key = environment.get("CONTAINER_SSHKEY", "")
        host = environment.get("CONTAINER_HOST", "")
        return EngineAddress(host, ("--url", host, *(("--identity", key) if key else ()))) if host else EngineAddress()
    if host := environment.get("DOCKER_HOST", ""):
        return EngineAddress(host, ("-H", host, *_certificates(environment)))
    return _docker_context(program, environment)


def client_environment() -> dict[str, str]:
    """Our environment without what would lead a client elsewhere than its options say."""
    return {name: value for name, value in os.environ.items() if name not in _LEADING}


def _certificates(environment: Mapping[str, str]) -> tuple[str, ...]:
    if not environment.get("DOCKER_TLS_VERIFY"):
        return ()
    folder = Path(environment.get("DOCKER_CERT_PATH") or Path.home() / ".docker")
    files = {"--tlscacert": "ca.pem", "--tlscert": "cert.pem", "--tlskey": "key.pem"}
    return ("--tlsverify", *(word for option, name in files.items() for word in (option, str(folder / name))))


def _docker_context(program: str, environment: Mapping[str, str]) -> EngineAddress:
    """The engine of docker's current context; without a context, the default one."""
    name = environment.get("DOCKER_CONTEXT", "")
    command = [program, "context", "inspect", "--format", "{{json .}}", *([name] if name else [])]
    try:
        done = subprocess.run(
            command, env=dict(environment), capture_output=True, timeout=_CONTEXT_TIMEOUT, check=False
        )
        found = json.loads(done.stdout)
        host, name = str(found["Endpoints"]["docker"]["Host"]), str(found["Name"])
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        return EngineAddress()  # a client that knows no such names
    return (
        EngineAddress(host, ("--context", name))
        if urlsplit(host).scheme not in _LOCAL
        else EngineAddress("", ("--context", name))
    )


def _is_loopback(name: str) -> bool:
    """A tunnel begins on this machine itself."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


ENGINES = ("podman", "docker")  # in the order they are preferred
_POINTING = {"podman": ("CONTAINER_HOST",), "docker": ("DOCKER_HOST", "DOCKER_CONTEXT")}
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_ADVICE = ("See 'docker", "Run 'docker")  # what docker says after its reason
TIMEOUT = 60.0  # seconds for an answer
INSTALL = "Install podman (`sudo apt install podman mmdebstrap uidmap`)"


@dataclass(frozen=True, slots=True)
class ContainerEngine:
    """One engine that answers."""

    name: str
    program: str
    address: EngineAddress = field(default_factory=EngineAddress)
    rootless: bool = False
    groups: bool = False  # it can limit memory, processors and processes
    storage: str = ""
    machine: str = ""  # the kind of processor it has, as this machine would call it


def find_engine(environment: Mapping[str, str] = os.environ) -> ContainerEngine:
    """The first engine that answers; the error names what each of them lacks."""
    reasons = []
    for name in _wanted(environment):
        program = shutil.which(name, path=environment.get("PATH"))
        if program is None:
            reasons.append(f"{name} is not installed")
            continue
        address = address_of(name, program, environment)
        if address.fault:
            reasons.append(f"{name} cannot be used as the environment says, because {address.fault}")
            continue
        try:
            return _ask_facts(ContainerEngine(name, program, address))
        except WorkbenchError as fault:
            reasons.append(fault.message.rstrip("."))
    words = f"No container engine can be used: {'; '.join(reasons)}."
    raise WorkbenchError(words, f"{INSTALL}, then run `mcp-workbench sandbox build container`.")


def ask(command: Sequence[str], patience: float = TIMEOUT, given: bytes = b"") -> str:
    """Run the client and return its output; its error output becomes the error."""
    name = os.path.basename(command[0])
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, timeout=patience, check=False, env=client_environment()
        )
    except OSError as fault:
        raise WorkbenchError(f"{name} cannot be started: {fault.strerror}.", f"{INSTALL}.") from fault
    except subprocess.TimeoutExpired as fault:
        raise WorkbenchError(f"{name} did not answer in {patience:g} seconds.", "See whether it runs.") from fault
    if done.returncode:
        words = f"{name} refused: {last_line(done.stderr)}"
        raise WorkbenchError(words, f"The whole command: {' '.join(command)[:400]}")
    return done.stdout.decode(errors="replace").strip()


def last_line(text: bytes | str) -> str:
    """What matters in an engine's complaint."""
    words = text.decode(errors="replace") if isinstance(text, bytes) else text
    lines = [line.strip() for line in words.splitlines() if line.strip() and not line.startswith(_ADVICE)]
    return lines[-1][:300] if lines else "it gave no reason"


def _wanted(environment: Mapping[str, str]) -> list[str]:
    """Only the engine that the environment points to, if it points to one."""
    return [name for name in ENGINES if any(environment.get(one) for one in _POINTING[name])] or list(ENGINES)


def _ask_facts(engine: ContainerEngine) -> ContainerEngine:
    facts = json.loads(ask([engine.program, *engine.address.options, "info", "--format", "{{json .}}"]) or "{}")
    found = _docker(engine, facts) if engine.name == "docker" else _podman(engine, facts)
    if found.machine not in ARCHITECTURES:
        raise WorkbenchError(f"{engine.name} runs on an unknown kind of processor, {found.machine[:40]!r}.")
    return found


def _docker(engine: ContainerEngine, facts: dict[str, Any]) -> ContainerEngine:  # Any: JSON
    if facts.get("ServerErrors"):
        raise WorkbenchError(f"docker does not answer: {str(facts['ServerErrors'][0])[:200]}")
    return replace(
        engine,
        rootless=any("rootless" in str(option) for option in facts.get("SecurityOptions") or ()),
        groups=bool(facts.get("MemoryLimit")),
        storage=str(facts.get("Driver", "")),
        machine=_machine(facts.get("Architecture")),
    )


def _podman(engine: ContainerEngine, facts: dict[str, Any]) -> ContainerEngine:  # Any: JSON
    host, store = facts.get("host", {}), facts.get("store", {})
    return replace(
        engine,
        rootless=bool(host.get("security", {}).get("rootless")),
        groups={"memory", "cpu", "pids"} <= set(host.get("cgroupControllers") or ()),
        storage=str(store.get("graphDriverName", "")),
        machine=_machine(host.get("arch")),
    )


def _machine(told: object) -> str:
    """The processor's name as this machine spells it; an engine that names none is taken to have the same kind."""
    return _MACHINES.get(str(told or ""), str(told or "")) or platform.machine()


FILE = "container.json"


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """One engine and the options that work with it: `options` go before `run`, `run_options` after it."""

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


def write_engine_settings(images: Path, engine_settings: EngineSettings) -> None:
    write_file(images / FILE, json.dumps(asdict(engine_settings), indent=2), mode=0o644)
