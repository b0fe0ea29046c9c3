"""Finds secrets that `.mcp.json` holds in plain text, and replaces them with references to the keyring.

A project is shared with git, so a secret in it does not stay secret.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping

from msgspec import Struct
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.privacy.detectors import credentials
from workbench.privacy.detectors.field_names import kind_of
from workbench.records import ServerConfig
from workbench.secrets.secret_masking import SecretMasks
from workbench.secrets.secret_references import reference
from workbench.servers.configuration.launch_command import expand

Span = tuple[int, int]
Change = Callable[[str, str, str], str]  # place, key, text → the new text

_SCHEME = re.compile(r"(?:Bearer|Basic|Token)\s+", re.IGNORECASE)
_OPTION = re.compile(r"--?([A-Za-z][\w.-]*)(=?)")
_QUERY = re.compile(r"(?<=[?&])([^=&#]+)=([^&#]+)")
_RANDOM = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w.+-]{28,400}={0,2}", re.ASCII)
_PATH = re.compile(r"~?/|\.\.?/|[A-Za-z]:[\\/]")
# `PASSWORD_FILE` is a path, not a secret.
_POINTER = re.compile(r"(?:file|path|dir|folder|command|helper|name)$", re.IGNORECASE)
_BITS = 3.8  # bits of entropy per character; words and versions have fewer
_LONGEST_KEY = 60


class PlainTextSecret(Struct, frozen=True):
    """One secret; `value` is stored in the keyring and never shown."""

    place: str  # as shown to the user: "GITHUB_TOKEN in env"
    key: str
    value: str


def find(config: ServerConfig) -> tuple[PlainTextSecret, ...]:
    """Return everything in an entry that looks like a secret."""
    found: list[PlainTextSecret] = []

    def note(place: str, key: str, text: str) -> str:
        found.extend(PlainTextSecret(place, key, text[start:end]) for start, end in _spans(key, text))
        return text

    _walk(config, note)
    return tuple(found)


def moved(config: ServerConfig, taken: Collection[str] = ()) -> tuple[ServerConfig, Mapping[str, str]]:
    """Return the entry with references in place of its secrets, and the secrets to store by name."""
    values: dict[str, str] = {}

    def swap(place: str, key: str, text: str) -> str:
        for start, end in reversed(_spans(key, text)):
            name = _name(config.name, key, text[start:end], values, taken)
            values[name] = text[start:end]
            text = text[:start] + reference(name) + text[end:]
        return text

    return _walk(config, swap), values


def _walk(config: ServerConfig, change: Change) -> ServerConfig:
    """Return the entry with every text changed; the key of a text is the name beside it."""
    args, option = [], ""
    for arg in config.args:
        match = _OPTION.match(arg)
        key = match[1] if match else option
        option = match[1] if match and not match[2] else ""
        args.append(change("the command's arguments", key, arg) if not match or match[2] else arg)
    url = _QUERY.sub(lambda pair: f"{pair[1]}={change(f'{pair[1]} in url', pair[1], pair[2])}", config.url)
    return replace(
        config,
        args=tuple(args),
        env={key: change(f"{key} in env", key, text) for key, text in config.env.items()},
        headers={key: change(f"{key} in headers", key, text) for key, text in config.headers.items()},
        oauth={
            key: change(f"{key} in oauth", key, value) if isinstance(value, str) else value
            for key, value in config.oauth.items()
        },
        url=change("url", "", url),
    )


def _spans(key: str, text: str) -> list[Span]:
    """Return the positions of secrets in a text under this key; references and variables are not secrets."""
    start = (match.end() if (match := _OPTION.match(text)) and match[2] else 0) if text.startswith("-") else 0
    if "${" in text[start:]:
        return []
    secrets = [(one.start, one.end) for one in credentials.find_secrets(text)]
    known = _apart([*secrets, *credentials.find_url_credentials(text)])
    if known:
        return known
    scheme = _SCHEME.match(text, start)
    start = scheme.end() if scheme else start
    value = text[start:]
    kind = kind_of(key) if len(key) <= _LONGEST_KEY else None
    announced = (
        kind is not None and kind.name == "SECRET" and credentials.is_assigned_secret(value) and not value.isdecimal()
    )
    elsewhere = _PATH.match(value) or _POINTER.search(key)
    return [(start, len(text))] if (announced and not elsewhere) or _random(value) else []


def _apart(spans: list[Span]) -> list[Span]:
    """Sort the spans and drop those that lie inside others."""
    kept: list[Span] = []
    for start, end in sorted(spans):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _random(text: str) -> bool:
    """Whether a text has the entropy of a generated key."""
    if not _RANDOM.fullmatch(text):
        return False
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) >= _BITS


def _name(server: str, key: str, value: str, values: Mapping[str, str], taken: Collection[str]) -> str:
    """Return a name that the user recognises in the keyring's list; equal values share one name."""
    same = next((name for name, held in values.items() if held == value), "")
    if same:
        return same
    wish = re.sub(r"[{}\x00-\x1f\x7f]", "", f"{server} {key or 'secret'}").strip(" -")[:190]
    number, name = 1, wish
    while name in values or name in taken:
        number += 1
        name = f"{wish} {number}"
    return name


def hide(config: ServerConfig, masks: SecretMasks) -> tuple[str, ...]:
    """Return the places of secrets in an entry, and mask those secrets from now on like stored ones. Values from our
    environment are masked too."""
    found = find(config)
    for plain in (*found, *find(_walk(config, _filled))):
        # "postgres" may be a password, but masking it would hide half of the server's output.
        if not plain.value.isalpha():
            masks.add_secret(plain.value)
    return tuple(dict.fromkeys(plain.place for plain in found))


def _filled(place: str, key: str, text: str) -> str:
    """Expand a text as the server gets it. A text that cannot be expanded stays as it is; starting the server reports
    why."""
    try:
        return expand(text, os.environ, lambda name: "-")
    except WorkbenchError:
        return text
