"""What the user reads before allowing a server to start: the command or address, and which secrets it would get.

The author of the project also wrote the entry, so a reference to a secret in a header is shown as a request for it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from workbench.records import Consent, ServerConfig
from workbench.servers.configuration import secret_masking
from workbench.servers.configuration.launch_command import fingerprint, references, variables
from workbench.servers.ssrf_guard import inner

# Variables with which a harmless command loads code of somebody's choice, or finds another program under its name.
_LOADING = re.compile(
    r"PATH|LD_[A-Z_]+|DYLD_[A-Z_]+|PYTHON[A-Z]+|NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|SHELL|IFS|PERL5(?:OPT|LIB)|RUBY(?:OPT|LIB)"
    r"|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_[A-Z_]+|GCONV_PATH|(?:NPM|UV|PIP)_[A-Z_]+|npm_config_\w+|DOTNET_STARTUP_HOOKS"
)


def consent(config: ServerConfig) -> Consent:
    """The words, and the fingerprint they stand for."""
    shown, _ = secret_masking.mask(config)
    told = _sent(shown) if config.remote else _run(shown)
    return Consent(
        config.name, told, fingerprint(config), tuple(_notes(config)), tuple(_warnings(config)), config.remote
    )


def _run(config: ServerConfig) -> str:
    variables_given = (f"{name}={shlex.quote(value)}" for name, value in config.env.items())
    words = " ".join((*variables_given, shlex.join((config.command, *config.args))))
    return words.replace(f"'{secret_masking.MASK}'", secret_masking.MASK)


def _sent(config: ServerConfig) -> str:
    return "\n".join((config.url, *(f"{name}: {value}" for name, value in config.headers.items())))


def _notes(config: ServerConfig) -> Iterator[str]:
    if config.cwd and not config.remote:
        yield f"In the folder {config.cwd}."
    if config.roots:
        yield f"It is told that it may work in: {', '.join(config.roots)}."


def _warnings(config: ServerConfig) -> Iterator[str]:
    where = _host(config.url) if config.remote else "this command"
    deed = "is sent to" if config.remote else "is given to"
    for name in references(config):
        yield f"Your stored secret “{name}” {deed} {where}."
    for name in variables(_texts(config)):
        yield f"The value of your variable {name} {deed} {where}."
    if config.remote and config.url.lower().startswith("http:") and not inner(where):
        yield "The connection is not encrypted (http)."
    for name in config.env if not config.remote else ():
        if _LOADING.fullmatch(name):
            yield f"{name} can make the command load other code."


def _texts(config: ServerConfig) -> Iterable[str]:
    if config.remote:
        return (config.url, *config.headers.values(), *(v for v in config.oauth.values() if isinstance(v, str)))
    return (config.command, *config.args, *config.env.values(), config.cwd)


def _host(url: str) -> str:
    """The host as it stands there; an address that is none yet is shown whole."""
    try:
        return urlsplit(url).hostname or url[:200]
    except ValueError:
        return url[:200]
