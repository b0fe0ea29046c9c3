"""Finds a container engine, local or remote, and runs its command-line client.

DOCKER_HOST, CONTAINER_HOST and the client's contexts may select engines on other machines, which cannot mount the
project's folders. The options for starting containers, found when the image was built, are read from a file.
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
_CONTEXT_TIMEOUT = 20.0  # seconds within which a client must report its configuration
_LOCAL = ("", "unix", "npipe", "fd")


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """Address of an engine, and the client options that select it."""

    host: str = ""
    options: tuple[str, ...] = ()

    @property
    def is_remote(self) -> bool:
        """Whether the engine runs on a different machine, which cannot access this machine's folders."""
        return urlsplit(self.host).scheme not in _LOCAL

    @property
    def without_user(self) -> str:
        """Address of the remote machine without the user name; "" for this machine."""
        parts = urlsplit(self.host)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if self.is_remote else ""

    @property
    def fault(self) -> str:
        """Why this address must not be used, as a clause; "" if it may."""
        if urlsplit(self.host).password:
            return "the address contains a password, which every user of this machine could see in the process list"
        return ""

    @property
    def unprotected(self) -> bool:
        """Whether others on the network can read and modify the connection."""
        parts = urlsplit(self.host)
        return parts.scheme == "tcp" and "--tlsverify" not in self.options and not _is_loopback(parts.hostname or "")


def address_of(engine: str, program: str, environment: Mapping[str, str]) -> EngineAddress:
    """Read the engine's address from the environment or the client's configuration.

    It is stored in the client's options, because a core may be started without this environment.
    """
    if engine == "podman":
        key = environment.get("CONTAINER_SSHKEY", "")
        host = environment.get("CONTAINER_HOST", "")
        return EngineAddress(host, ("--url", host, *(("--identity", key) if key else ()))) if host else EngineAddress()
    if host := environment.get("DOCKER_HOST", ""):
        return EngineAddress(host, ("-H", host, *_certificates(environment)))
    return _docker_context(program, environment)


def client_environment() -> dict[str, str]:
    """Environment without the variables that would override the address in the client's options."""
    return {name: value for name, value in os.environ.items() if name not in _LEADING}


def _certificates(environment: Mapping[str, str]) -> tuple[str, ...]:
    if not environment.get("DOCKER_TLS_VERIFY"):
        return ()
    folder = Path(environment.get("DOCKER_CERT_PATH") or Path.home() / ".docker")
    files = {"--tlscacert": "ca.pem", "--tlscert": "cert.pem", "--tlskey": "key.pem"}
    return ("--tlsverify", *(word for option, name in files.items() for word in (option, str(folder / name))))


def _docker_context(program: str, environment: Mapping[str, str]) -> EngineAddress:
    """The engine of docker's current context, or the default engine."""
    name = environment.get("DOCKER_CONTEXT", "")
    command = [program, "context", "inspect", "--format", "{{json .}}", *([name] if name else [])]
    try:
        done = subprocess.run(
            command, env=dict(environment), capture_output=True, timeout=_CONTEXT_TIMEOUT, check=False
        )
        found = json.loads(done.stdout)
        host, name = str(found["Endpoints"]["docker"]["Host"]), str(found["Name"])
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        return EngineAddress()  # this client does not support these fields
    return (
        EngineAddress(host, ("--context", name))
        if urlsplit(host).scheme not in _LOCAL
        else EngineAddress("", ("--context", name))
    )


def _is_loopback(name: str) -> bool:
    """Whether the address is on this machine, where a tunnel may begin."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


ENGINES = ("podman", "docker")  # in order of preference
_POINTING = {"podman": ("CONTAINER_HOST",), "docker": ("DOCKER_HOST", "DOCKER_CONTEXT")}
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_ADVICE = ("See 'docker", "Run 'docker")  # advice that docker prints after the reason
TIMEOUT = 60.0  # seconds to wait for an answer
INSTALL = "Install podman (`sudo apt install podman mmdebstrap uidmap`)"


@dataclass(frozen=True, slots=True)
class ContainerEngine:
    """An engine that answered."""

    name: str
    program: str
    address: EngineAddress = field(default_factory=EngineAddress)
    rootless: bool = False
    groups: bool = False  # it can limit memory, processors and processes by cgroups
    storage: str = ""
    machine: str = ""  # processor type, spelled as on this machine


def find_engine(environment: Mapping[str, str] = os.environ) -> ContainerEngine:
    """The first engine that answers. Raises an error that names the problem of each engine."""
    reasons = []
    for name in _wanted(environment):
        program = shutil.which(name, path=environment.get("PATH"))
        if program is None:
            reasons.append(f"{name} is not installed")
            continue
        address = address_of(name, program, environment)
        if address.fault:
            reasons.append(f"{name} cannot be used as configured, because {address.fault}")
            continue
        try:
            return _ask_facts(ContainerEngine(name, program, address))
        except WorkbenchError as fault:
            reasons.append(fault.message.rstrip("."))
    words = f"No container engine can be used: {'; '.join(reasons)}."
    raise WorkbenchError(words, f"{INSTALL}, then run `mcp-workbench sandbox build container`.")


def ask(command: Sequence[str], patience: float = TIMEOUT, given: bytes = b"") -> str:
    """Run the client and return its output. If it fails, raises an error with its error output."""
    name = os.path.basename(command[0])
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, timeout=patience, check=False, env=client_environment()
        )
    except OSError as fault:
        raise WorkbenchError(f"{name} cannot be started: {fault.strerror}.", f"{INSTALL}.") from fault
    except subprocess.TimeoutExpired as fault:
        raise WorkbenchError(
            f"{name} did not answer in {patience:g} seconds.", "Check whether it is running."
        ) from fault
    if done.returncode:
        words = f"{name} refused: {last_line(done.stderr).removesuffix('.')}."
        raise WorkbenchError(words, f"The command was: {' '.join(command)[:400]}")
    return done.stdout.decode(errors="replace").strip()


def last_line(text: bytes | str) -> str:
    """The relevant line of an engine's error output."""
    words = text.decode(errors="replace") if isinstance(text, bytes) else text
    lines = [line.strip() for line in words.splitlines() if line.strip() and not line.startswith(_ADVICE)]
    return lines[-1][:300] if lines else "no reason given"


def _wanted(environment: Mapping[str, str]) -> list[str]:
    """Names of the engines to try: only the one that the environment selects, if any."""
    return [name for name in ENGINES if any(environment.get(one) for one in _POINTING[name])] or list(ENGINES)


def _ask_facts(engine: ContainerEngine) -> ContainerEngine:
    facts = json.loads(ask([engine.program, *engine.address.options, "info", "--format", "{{json .}}"]) or "{}")
    found = _docker(engine, facts) if engine.name == "docker" else _podman(engine, facts)
    if found.machine not in ARCHITECTURES:
        raise WorkbenchError(f"{engine.name} runs on an unsupported processor type, {found.machine[:40]!r}.")
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
    """Processor type spelled as on this machine. If the engine names none, the same type is assumed."""
    return _MACHINES.get(str(told or ""), str(told or "")) or platform.machine()


FILE = "container.json"


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """An engine and the options that work with it. `options` precede `run`, `run_options` follow it."""

    engine: str  # podman or docker
    program: str  # path of the client
    options: tuple[str, ...] = ()
    run_options: tuple[str, ...] = ()
    image: str = ""
    source: str = ""  # hash of the runner's files in the image
    rootless: bool = False
    descriptor: bool = False  # the channel is passed as descriptor 3; otherwise it is stdin and stdout
    limits: bool = False  # cgroups limit memory, processors and processes
    service: bool = False  # the client talks to a service, whose address is in `options`
    remote: str = ""  # the remote machine without the user name; if set, files are copied
    machine: str = ""  # processor type of the engine, if known
    runtime: str = ""
    starts_ms: int = 0  # typical milliseconds from the request to the first output

    def command(self, *words: str) -> list[str]:
        """Command line of the client for everything except starting a container."""
        return [self.program, *self.options, *words]


def read_engine_settings(images: Path) -> EngineSettings | None:
    """Stored engine settings, or None if nothing was built or a different version wrote them."""
    try:
        words = json.loads((images / FILE).read_text(encoding="utf-8"))
        return EngineSettings(
            **{**words, "options": tuple(words["options"]), "run_options": tuple(words["run_options"])}
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_engine_settings(images: Path, engine_settings: EngineSettings) -> None:
    write_file(images / FILE, json.dumps(asdict(engine_settings), indent=2), mode=0o644)
