"""Imports servers of other clients into the project. Secrets move to the keyring, and references replace them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from workbench.client_configs.config_discovery import FoundConfig
from workbench.errors import WorkbenchError
from workbench.records import ImportChoice, ServerConfig
from workbench.servers.configuration import secret_masking


class ConfigImport(Struct, frozen=True):
    """Result of one import choice: the server and its secrets."""

    config: ServerConfig
    secrets: Mapping[str, str]  # name → value, to be stored before the entry is written


def settle(choice: ImportChoice, found: Mapping[str, FoundConfig], names: frozenset[str]) -> ConfigImport:
    """Build the entry to import. Raises WorkbenchError when it changed after it was shown or its name is taken."""
    one = found.get(choice.key)
    if one is None or one.sha != choice.sha:
        raise WorkbenchError(
            f"{choice.name} changed in {one.place.client.title if one else 'its app'} since it was shown.",
            "Check the entry again before you import it.",
        )
    if choice.name in names and not choice.replace:
        raise WorkbenchError(f"The project already has a server {choice.name}.", "Import it under a different name.")
    config = replace(one.config, name=choice.name)
    return keep_apart(config) if choice.keep_secrets else ConfigImport(config, {})


def keep_apart(config: ServerConfig) -> ConfigImport:
    """Replace each secret of the entry by `${keyring:server/NAME}` and return the secrets separately."""
    secrets: dict[str, str] = {}

    def reference(place: str, value: str) -> str:
        kind, _, what = place.partition(" ")
        plain = f"{config.name}/{place.replace(' ', '-') if kind == 'argument' else what or kind}"
        name = _free(plain.replace("{", "").replace("}", ""), value, secrets)
        secrets[name] = value
        return f"${{keyring:{name}}}"

    return ConfigImport(secret_masking.swap(config, reference), secrets)


def _free(name: str, value: str, taken: Mapping[str, str]) -> str:
    number, free = 2, name
    while taken.get(free, value) != value:
        free, number = f"{name}-{number}", number + 1
    return free
