"""Exports servers into a client's configuration file: writes exactly the previewed text and saves a backup beside the
file."""

from __future__ import annotations

import difflib
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.client_configs import entry_conversion, goose_yaml, jsonc_editor
from workbench.client_configs.client_table import CLAUDE_CODE, ClientApp, ConfigFile, places
from workbench.client_configs.config_discovery import parser, read_document
from workbench.client_configs.variable_syntax import input_id
from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.records import ClientFile, ExportPreview, Fault, JsonObject, ServerConfig

_DIFF_LINES = 400


@dataclass(slots=True)
class ConfigDraft:
    """Planned change of one file, before it is written."""

    place: ConfigFile
    before: str = ""
    after: str = ""
    entries: dict[str, JsonObject] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    blocked: Fault | None = None


def targets(project: Path) -> tuple[ConfigFile, ...]:
    """Return the files that servers can be exported to."""
    return places(project)


def target(project: Path, name: str) -> ConfigFile:
    found = next((place for place in targets(project) if place.id == name), None)
    if found is None:
        raise WorkbenchError("This client is unknown.", "Choose a client from the list.")
    return found


def describe(place: ConfigFile) -> ClientFile:
    """Describe a file for display. A client counts as installed when its folder exists; a project's file may be new."""
    folder = place.file.parent / ".claude" if place.client is CLAUDE_CODE else place.file.parent
    installed = bool(place.project) or place.file.exists() or folder.is_dir()
    return ClientFile(place.id, place.client.title, str(place.file), installed, place.project)


def draft(place: ConfigFile, configs: Sequence[ServerConfig]) -> ConfigDraft:
    """Compute the new text of a file without writing it. Blocks: call it on a thread."""
    made = ConfigDraft(place)
    try:
        check_stays_inside(place)
        text, document = read_document(place)
        made.before = text
        _compose(made, document, configs)
    except RecursionError:
        made.blocked = Fault(f"{place.file} is nested too deeply.", "Copy the entries into it by hand.")
    except WorkbenchError as fault:
        made.blocked = Fault(
            f"{place.file}: {fault.message}" if str(place.file) not in fault.message else fault.message, fault.hint
        )
    if made.blocked is not None:
        made.after = made.before
        for config in configs if not made.entries else ():
            _entry(made, config, {})
    made.notes = list(dict.fromkeys(made.notes))
    return made


def check_stays_inside(place: ConfigFile) -> None:
    """Refuse a project's file that is a symbolic link out of the project: an untrusted project could redirect the write
    to a file of the user."""
    if place.project and not place.file.resolve().is_relative_to(Path(place.project).resolve()):
        raise WorkbenchError(
            f"{place.file} is a symbolic link to {place.file.resolve()}, which is outside the project.",
            "Replace the link with a file, then try again.",
        )


def show(made: ConfigDraft) -> ExportPreview:
    """Convert a draft to the preview that the user sees."""
    client = made.place.client
    if client.yaml:
        pasted = "\n".join(goose_yaml.entry_text("", name, entry) for name, entry in made.entries.items())
    elif client.toml:
        from workbench.client_configs import codex_toml

        pasted = codex_toml.tables_text(client.path, made.entries)
    else:
        nested: object = made.entries
        for key in reversed(client.path):
            nested = {key: nested}
        pasted = json.dumps(nested, indent=2, ensure_ascii=False)
    return ExportPreview(
        describe(made.place), pasted, _diff(made.before, made.after), sha(made.after), tuple(made.notes), made.blocked,
        tuple(made.replaced),
    )  # fmt: skip


def write(made: ConfigDraft) -> str:
    """Write the draft. Returns the path of the backup, or "" when the file did not exist."""
    file = made.place.file.resolve()  # writes the target of a symbolic link, so the link remains
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        backup = _keep(file, made.before) if file.exists() else ""
        _replace(file, made.after)
    except OSError as fault:
        raise WorkbenchError(
            f"{made.place.file} cannot be written: {fault.strerror}.", "Nothing was changed."
        ) from fault
    return backup


def delete(made: ConfigDraft) -> str:
    """Delete a file in which nothing is left. Returns the path of the backup."""
    file = made.place.file.resolve()
    try:
        backup = _keep(file, made.before)
        file.unlink()
    except OSError as fault:
        raise WorkbenchError(
            f"{made.place.file} cannot be deleted: {fault.strerror}.", "Nothing was changed."
        ) from fault
    return backup


def take_back(place: ConfigFile, before: str, written: str, existed: bool) -> None:
    """Restore a file to its former text. Raises WorkbenchError when the file was changed after the export."""
    text, _ = read_document(place)
    if sha(text) != written:
        raise WorkbenchError(
            f"{place.file} was changed after the export.",
            "Copy what you need from the backup in the same folder."
            if existed
            else "Remove the servers from it by hand.",
        )
    try:
        if existed:
            _replace(place.file.resolve(), before)
        else:
            place.file.unlink(missing_ok=True)
    except OSError as fault:
        raise WorkbenchError(f"{place.file} cannot be written: {fault.strerror}.", "Nothing was changed.") from fault


def sha(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _compose(
    made: ConfigDraft, document: Mapping[str, Any], configs: Sequence[ServerConfig]
) -> None:  # Any: JSON or YAML
    client = made.place.client
    listed = entry_conversion.listed(document, client.path)
    mark = "\ufeff" if made.before.startswith("\ufeff") else ""
    text = made.before.removeprefix(mark)
    wanted = _copy_tables(document)
    for config in configs:
        before = listed.get(config.name)
        entry = _entry(made, config, before if isinstance(before, Mapping) else {})
        if entry is None:
            continue
        if before is not None and before != entry:
            made.replaced.append(config.name)
        text = _editor(client)(text, (*client.path, config.name), entry)
        _set(wanted, (*client.path, config.name), entry)
    if client.inputs:
        text = _inputs(text, wanted, configs)
    if parser(client)(text, made.place.file.name) != wanted:
        words = "The file is formatted in a way that cannot be edited safely."
        raise WorkbenchError(words, "Copy the entries into it by hand.")
    made.after = mark + text


def _editor(client: ClientApp) -> Callable[[str, Sequence[str], Mapping[str, Any]], str]:  # Any: JSON, YAML or TOML
    """Return the function that sets one entry in the text of this client's file."""
    if not client.toml:
        return goose_yaml.set_entry if client.yaml else jsonc_editor.set_member
    from workbench.client_configs import codex_toml

    return codex_toml.set_table


def _entry(made: ConfigDraft, config: ServerConfig, before: JsonObject) -> JsonObject | None:
    try:
        entry = entry_conversion.write(config, made.place.client, before, made.notes.append)
    except WorkbenchError as fault:
        made.notes.append(f"{fault.message} {fault.hint}".strip())
        return None
    made.entries[config.name] = entry
    return entry


def _inputs(text: str, wanted: dict[str, Any], configs: Sequence[ServerConfig]) -> str:  # Any: JSON
    """Add the secrets to `inputs`. VS Code asks the user once for each input and stores the value itself."""
    known = wanted.get("inputs")
    listed = list(known) if isinstance(known, list) else []
    ids = {entry.get("id") for entry in listed if isinstance(entry, Mapping)}
    for name in dict.fromkeys(name for config in configs for name in _secrets(config)):
        if input_id(name) not in ids:
            ids.add(input_id(name))
            listed.append({"type": "promptString", "id": input_id(name), "description": name, "password": True})
    if listed == (known or []):
        return text
    wanted["inputs"] = listed
    return jsonc_editor.set_member(text, ("inputs",), listed)


def _secrets(config: ServerConfig) -> list[str]:
    texts = (*config.args, *config.env.values(), *config.headers.values(), config.url, config.command)
    return [part.partition("}")[0] for text in texts for part in text.split("${keyring:")[1:]]


def _copy_tables(document: Mapping[str, Any]) -> dict[str, Any]:  # Any: JSON or YAML
    return {key: _copy_tables(value) if isinstance(value, Mapping) else value for key, value in document.items()}


def _set(document: dict[str, Any], path: tuple[str, ...], value: object) -> None:  # Any: JSON or YAML
    for key in path[:-1]:
        if not isinstance(document.get(key), dict):
            document[key] = {}
        document = document[key]
    document[path[-1]] = value


def _diff(before: str, after: str) -> str:
    """Return a unified diff with two lines of context."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2))[2:]
    shown = lines[:_DIFF_LINES]
    return "\n".join(shown) + (f"\n… and {len(lines) - len(shown)} more lines" if len(lines) > len(shown) else "")


def _keep(file: Path, text: str) -> str:
    """Save a backup beside the file with the file's permissions. Returns its path."""
    name = f"{file.name}.before-workbench-{time.strftime('%Y%m%d-%H%M%S')}"
    backup, number = file.with_name(name), 2
    while backup.exists():
        backup, number = file.with_name(f"{name}-{number}"), number + 1
    _replace(backup, text, mode=file.stat().st_mode & 0o777)
    return str(backup)


def _replace(file: Path, text: str, mode: int | None = None) -> None:
    """Write a file. An existing file keeps its mode; a new file is readable only by its owner, because it may hold
    secrets."""
    write_file(file, text, mode=0o600 if mode is None else mode, keep_mode=mode is None)
