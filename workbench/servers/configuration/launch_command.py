"""Builds the launch command of an entry in `.mcp.json`: expands variables, sets environment and folder."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import workbench
from workbench.errors import WorkbenchError
from workbench.records import ServerConfig
from workbench.secrets.secret_references import REFERENCE, find_names, is_reserved, missing_secret_error

DEMO = "demo"  # the built-in server's name

# Variables of our environment that a server inherits: enough to find programs, home folder, certificates and display.
# API keys and tokens are not inherited; an entry must pass them.
_PASSED_ON_WORDS = """HOME LOGNAME PATH SHELL TERM USER LANG LANGUAGE TZ TMPDIR DISPLAY WAYLAND_DISPLAY XAUTHORITY
DBUS_SESSION_BUS_ADDRESS HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS"""
_PASSED_ON = frozenset(_PASSED_ON_WORDS.split())
_PASSED_ON_PREFIXES = ("LC_", "XDG_")
_VARIABLE = re.compile(rf"{REFERENCE.pattern}|\$\{{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}}]*))?\}}")

Secret = Callable[[str], str | None]  # the value of a stored secret; may block


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """One process to start, with all variables expanded."""

    command: str
    args: tuple[str, ...] = field(repr=False)  # arguments and environment may hold secrets
    env: Mapping[str, str] = field(repr=False)
    cwd: str


def demo_config() -> ServerConfig:
    """Return the config of the built-in server. `-P`: a project with a folder called `workbench` must not replace the
    package."""
    return ServerConfig(name=DEMO, command=sys.executable, args=("-P", "-m", "workbench.demo"), builtin=True)


def fingerprint(config: ServerConfig) -> str:
    """Hash over what the user consents to: command, arguments, environment entries and folder, or URL and headers. Root
    folders are included, because servers treat them as permission to work there."""
    told: list[object] = [config.command, list(config.args), sorted(config.env.items()), config.cwd]
    if config.remote:
        told += ["url", config.url, config.transport, sorted(config.headers.items())]
        told += ["oauth", config.oauth] if config.oauth else []
    if config.roots:
        told += ["roots", list(config.roots)]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode("ascii")).hexdigest()


def no_secret(name: str) -> None:
    """For callers without a secret store: no secret is stored."""


def expand(text: str, environment: Mapping[str, str], secret: Secret = no_secret) -> str:
    """Replace `${NAME}`, `${NAME:-default}` and `${keyring:name}`. An unset variable or missing secret is a fault, not
    an empty text. Inserted values are not expanded again."""

    def value(match: re.Match[str]) -> str:
        stored, name, default = match.groups()
        if stored is not None:
            return (
                _raise(_ours(stored)) if is_reserved(stored) else secret(stored) or _raise(missing_secret_error(stored))
            )
        found = environment.get(name) or default
        if found is None:
            hint = (
                f"Set it before you start the workbench, or write ${{keyring:{name}}}: then you are asked for it once."
            )
            raise WorkbenchError(f"The variable {name} is not set.", hint)
        return found

    return _VARIABLE.sub(value, text)


def prepare(
    config: ServerConfig, project: Path, environment: Mapping[str, str] | None = None, secret: Secret = no_secret
) -> LaunchCommand:
    """Build the launch of a config. Raises WorkbenchError when that is impossible."""
    ours = os.environ if environment is None else environment
    env = {name: value for name, value in ours.items() if _passed_on(name)}
    env |= {name: expand(value, ours, secret) for name, value in config.env.items()}
    if config.builtin:
        env["PYTHONPATH"] = str(Path(workbench.__file__).resolve().parent.parent)
    folder = project / Path(expand(config.cwd, ours)).expanduser()
    if not folder.is_dir():
        raise WorkbenchError(f"The folder {folder} does not exist.", f"Correct cwd of {config.name} in .mcp.json.")
    args = tuple(expand(arg, ours, secret) for arg in config.args)
    return LaunchCommand(expand(config.command, ours), args, env, str(folder))


def variables(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the environment variables that the texts refer to."""
    found = (match[2] for text in texts for match in _VARIABLE.finditer(text))
    return tuple(dict.fromkeys(name for name in found if name))


def references(config: ServerConfig) -> tuple[str, ...]:
    """Return the names of the secrets that an entry refers to."""
    signing_in = (value for value in config.oauth.values() if isinstance(value, str))
    return find_names((*config.args, *config.env.values(), config.url, *config.headers.values(), *signing_in))


def _ours(name: str) -> WorkbenchError:
    return WorkbenchError(
        f"{name!r:.200} belongs to a sign-in and is sent only to its own server.", "Refer to one of your own secrets."
    )


def _raise(fault: WorkbenchError) -> str:
    raise fault


def _passed_on(name: str) -> bool:
    return name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)
