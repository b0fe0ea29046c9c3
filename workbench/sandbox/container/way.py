"""How an engine is reached: on this machine, or on another one, as the person's environment says it."""

from __future__ import annotations

import ipaddress
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_LEADING = (
    "CONTAINER_HOST", "CONTAINER_SSHKEY", "CONTAINER_CONNECTION", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_TLS",
    "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH",
)  # fmt: skip
_PATIENCE = 20.0  # seconds for a client to say what it is set to
_LOCAL = ("", "unix", "npipe", "fd")


@dataclass(frozen=True, slots=True)
class Way:
    """An address, and the client's options that lead there."""

    host: str = ""
    options: tuple[str, ...] = ()

    @property
    def elsewhere(self) -> bool:
        """The engine runs on another machine, which has no folders of ours."""
        return urlsplit(self.host).scheme not in _LOCAL

    @property
    def shown(self) -> str:
        """The other machine without who asks; empty where it is this one."""
        parts = urlsplit(self.host)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if self.elsewhere else ""

    @property
    def fault(self) -> str:
        """Why nobody should go this way, in half a sentence."""
        if urlsplit(self.host).password:
            return "its address holds a password, which everybody here would see in the list of processes"
        return ""

    @property
    def bare(self) -> bool:
        """What is said on the way can be read and changed by others."""
        parts = urlsplit(self.host)
        return parts.scheme == "tcp" and "--tlsverify" not in self.options and not _is_near(parts.hostname or "")


def way_to(engine: str, program: str, environment: Mapping[str, str]) -> Way:
    """Written into the options, because a core may be started without the environment that this was found in."""
    if engine == "podman":
        key = environment.get("CONTAINER_SSHKEY", "")
        host = environment.get("CONTAINER_HOST", "")
        return Way(host, ("--url", host, *(("--identity", key) if key else ()))) if host else Way()
    if host := environment.get("DOCKER_HOST", ""):
        return Way(host, ("-H", host, *_certificates(environment)))
    return _context(program, environment)


def surroundings() -> dict[str, str]:
    """Our environment without what would lead a client elsewhere than its options say."""
    return {name: value for name, value in os.environ.items() if name not in _LEADING}


def _certificates(environment: Mapping[str, str]) -> tuple[str, ...]:
    if not environment.get("DOCKER_TLS_VERIFY"):
        return ()
    folder = Path(environment.get("DOCKER_CERT_PATH") or Path.home() / ".docker")
    files = {"--tlscacert": "ca.pem", "--tlscert": "cert.pem", "--tlskey": "key.pem"}
    return ("--tlsverify", *(word for option, name in files.items() for word in (option, str(folder / name))))


def _context(program: str, environment: Mapping[str, str]) -> Way:
    """docker can be set to an engine by a name; without one, nothing has to be said."""
    name = environment.get("DOCKER_CONTEXT", "")
    command = [program, "context", "inspect", "--format", "{{json .}}", *([name] if name else [])]
    try:
        done = subprocess.run(command, env=dict(environment), capture_output=True, timeout=_PATIENCE, check=False)
        found = json.loads(done.stdout)
        host, name = str(found["Endpoints"]["docker"]["Host"]), str(found["Name"])
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        return Way()  # a client that knows no such names
    return Way(host, ("--context", name)) if urlsplit(host).scheme not in _LOCAL else Way("", ("--context", name))


def _is_near(name: str) -> bool:
    """A tunnel begins on this machine itself."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
