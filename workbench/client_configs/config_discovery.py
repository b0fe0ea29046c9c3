"""Finds servers in the configuration files of other clients. Starts no program; an invalid file becomes a reported
fault."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from workbench.client_configs import codex_toml, entry_conversion, goose_yaml, jsonc_editor
from workbench.client_configs.client_table import CLAUDE_CODE, ClientApp, ConfigFile, places
from workbench.client_configs.variable_syntax import unknown
from workbench.errors import WorkbenchError
from workbench.files import read_plain
from workbench.records import Discovery, Fault, FoundServer, ImportConflict, ServerConfig
from workbench.servers.configuration import secret_masking
from workbench.servers.configuration.launch_command import fingerprint

_LARGEST = 16 << 20  # bytes; Claude Code stores its history in the same file
_SERVERS = 500  # servers read from one file
_PROJECTS = 200  # projects of Claude Code whose `.mcp.json` is read


class FoundConfig(Struct, frozen=True):
    """A server of another client with unmasked secrets. It never leaves the core in this form."""

    key: str
    place: ConfigFile
    config: ServerConfig
    sha: str
    notes: tuple[str, ...] = ()


def find(project: Path) -> tuple[tuple[FoundConfig, ...], tuple[Fault, ...]]:
    """Find all servers in other clients' files, and the faults of unreadable files. Blocks: call it on a thread."""
    found: list[FoundConfig] = []
    faults: list[Fault] = []
    for place in places(project):
        try:
            found.extend(_in_file(place, project, faults))
        except WorkbenchError as fault:
            faults.append(Fault(fault.message, fault.hint))
    return tuple(found), tuple(faults)


def show(found: tuple[FoundConfig, ...], faults: tuple[Fault, ...], here: tuple[ServerConfig, ...]) -> Discovery:
    """Convert the found servers for display, compared with the servers of the project."""
    prints = {fingerprint(config) for config in here}
    names = {config.name for config in here}
    return Discovery(tuple(_as_found_server(one, prints, names) for one in found), faults)


def read_document(place: ConfigFile) -> tuple[str, Mapping[str, Any]]:  # Any: the file's own JSON or YAML
    """Read a file. Returns its text and the parsed document; a missing file counts as empty."""
    try:
        text = read_plain(place.file, largest=_LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return "", {}
    except UnicodeDecodeError as fault:
        raise WorkbenchError(f"{place.file} is not valid UTF-8 at byte {fault.start}.", "Save it as UTF-8.") from fault
    except OSError as fault:
        raise WorkbenchError(f"{place.file} cannot be read: {fault.strerror}.") from fault
    return text, parser(place.client)(text.removeprefix("\ufeff"), str(place.file))


def parser(client: ClientApp) -> Callable[[str, str], dict[str, Any]]:  # Any: JSON, YAML or TOML
    """Return the parser of this client's file format."""
    return goose_yaml.parse if client.yaml else codex_toml.parse if client.toml else jsonc_editor.parse


def _in_file(place: ConfigFile, project: Path, faults: list[Fault]) -> Iterator[FoundConfig]:
    _, document = read_document(place)
    yield from _listed(place, document, faults)
    if place.client is CLAUDE_CODE:
        yield from _of_projects(place, document, project, faults)


def _of_projects(
    place: ConfigFile, document: Mapping[str, Any], project: Path, faults: list[Fault]
) -> Iterator[FoundConfig]:
    """Yield Claude Code's servers for single folders, from its own file and from each folder's `.mcp.json`."""
    projects = document.get("projects")
    for folder, entry in list(projects.items() if isinstance(projects, Mapping) else ())[:_PROJECTS]:
        if not isinstance(entry, Mapping):
            continue
        yield from _listed(replace(place, project=folder), entry, faults)
        own = Path(folder) / ".mcp.json"
        if Path(folder).is_absolute() and Path(folder) != project:
            try:
                shared = replace(place, file=own, project=folder)
                yield from _listed(shared, read_document(shared)[1], faults)
            except WorkbenchError as fault:
                faults.append(Fault(fault.message, fault.hint))


def _listed(place: ConfigFile, document: Mapping[str, Any], faults: list[Fault]) -> Iterator[FoundConfig]:
    try:
        entries = entry_conversion.listed(document, place.client.path)
    except WorkbenchError as fault:
        faults.append(Fault(f"{place.file}: {fault.message}", fault.hint))
        return
    for name, entry in list(entries.items())[:_SERVERS]:
        if not entry_conversion.is_server(entry):
            continue
        try:
            config, notes = entry_conversion.read(place.client, name, entry, place.project, str(place.file))
        except WorkbenchError as fault:
            faults.append(Fault(fault.message, fault.hint))
            continue
        key = hashlib.sha256(f"{place.id}\n{place.project}\n{name}".encode(errors="surrogatepass")).hexdigest()[:16]
        yield FoundConfig(key, place, config, _sha(config), notes)


def _as_found_server(one: FoundConfig, prints: set[str], names: set[str]) -> FoundServer:
    config, places_hidden = secret_masking.mask(one.config)
    standing = ImportConflict.CLASH if config.name in names else ImportConflict.NEW
    if fingerprint(one.config) in prints:
        standing = ImportConflict.HERE
    texts = (config.command, *config.args, *config.env.values(), *config.headers.values(), config.url, config.cwd)
    odd = tuple(dict.fromkeys(word for text in texts for word in unknown(text)))
    notes = (*one.notes, *(f"{word} has no value here: replace it after the import." for word in odd[:5]))
    return FoundServer(
        one.key, one.place.client.title, _short(one.place.file), config, one.sha, standing, places_hidden, notes,
        one.place.project,
    )  # fmt: skip


def _sha(config: ServerConfig) -> str:
    told = [fingerprint(config), config.name, config.disabled, config.timeout_seconds, config.description]
    return hashlib.sha256(json.dumps(told).encode("ascii")).hexdigest()


def _short(file: Path) -> str:
    from workbench.paths import home_folder

    home = home_folder()
    return f"~/{file.relative_to(home)}" if file.is_relative_to(home) else str(file)
