"""Reads settings from the project's and the user's files, says where each value comes from, and writes changes.

The project's `workbench.toml` is shared with a team; the user's `settings.toml` has priority. Settings that protect the
user (approvals, privacy) are read from the user's file only, because a project can be untrusted. An invalid value is
reported and the default is used, so a typing error does not lock the user out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w
from msgspec import Struct
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.files import parse_toml, read_plain, read_toml, write_file
from workbench.records import Fault, SettingSource, SettingValue
from workbench.settings import other_systems
from workbench.settings.definitions import DEFINITIONS, ISOLATION_LEVELS, OLD_NAMES, OLD_VALUES, Definition, Settings

PROFILES = "profiles"  # the table that `workbench.permissions.run_profiles` reads
# Tables that `workbench.network.host_rules` and `workbench.permissions.personal_data_marks` read.
_READ_BY_OTHERS = frozenset({"network.allow", "network.deny", "privacy.hide", "privacy.pass"})
_JSON_FILES = (".mcp.json", ".claude/settings.json")  # of a project; they may hold `mcpCodeExecution`
_REMOVED = object()  # in place of a value: the setting is removed from the file
_LARGEST_KEPT_LAYOUT = 64 << 10  # characters; tomlkit takes seconds for more

_STRICTER: Mapping[str, tuple[Any, ...]] = {  # Any: a setting's values, the strictest last
    **dict.fromkeys(("approval.auto_low", "approval.auto_mild", "approval.auto_medium"), (True, False)),
    **dict.fromkeys(("isolation.low", "isolation.medium", "isolation.high", "isolation.critical"), ISOLATION_LEVELS),
    "privacy.enabled": (False, True),
    "run.enabled": (True, False),
}


def files_signature(project_file: Path, user_file: Path) -> tuple[tuple[int, int], ...]:
    """Changes when one of the files that `read` reads changes: modification time and size of each."""
    found = list[tuple[int, int]]()
    for path in (*(project_file.parent / name for name in _JSON_FILES), project_file, user_file):
        try:
            state = path.stat()
        except OSError:
            found.append((0, 0))
        else:
            found.append((state.st_mtime_ns, state.st_size))
    return tuple(found)


class SettingsReading(Struct, frozen=True):
    """Settings as read from the files, with notices about values that could not be used."""

    settings: Settings
    notices: tuple[Fault, ...] = ()


def read(project_file: Path, user_file: Path) -> SettingsReading:
    """Read the defaults, overridden by the project's files and then by the user's file.

    Settings in the terms of other systems (`other_systems`) can make a project's protections stricter than the user's,
    never looser.
    """
    settings, notices = Settings(), list[Fault]()
    wanted = list[tuple[str, str, Any]]()  # file, setting and value; Any: as `change` takes it
    own, _ = _apply(Settings(), _read_table(user_file)[0], user_file, is_users=True)
    for path in (*(project_file.parent / name for name in _JSON_FILES), project_file, user_file):
        foreign, values, fault = _read_file(path)
        notices += [fault] if fault else []
        notices += [Fault(f"{path.name}: {message}", hint) for message, hint in foreign.notices]
        is_users = path == user_file
        for name, value in foreign.values.items():
            if name in _STRICTER and (not is_users or name == "run.enabled"):  # "off" wins in any file
                wanted.append((path.name, name, value))
                continue
            try:
                settings = change(settings, name, value)
            except WorkbenchError as error:
                notices.append(_unusable(path, error))
        settings, faults = _apply(settings, values, path, is_users=is_users)
        notices.extend(faults)
        if not is_users:
            settings = _limit_project(settings, own, path, notices)
    return SettingsReading(_tighten(settings, wanted, notices), tuple(notices))


def definition_of(name: str) -> Definition:
    """The definition of a setting, by its name or old name. Raises a `WorkbenchError` for an unknown name."""
    if (definition := DEFINITIONS.get(OLD_NAMES.get(name, name))) is None:
        raise WorkbenchError(f"There is no setting {name}.", "See docs/settings.md for all settings.")
    return definition


def change(settings: Settings, name: str, value: Any) -> Settings:
    """Return the settings with one value changed. Raises a `WorkbenchError` for an unknown name, a wrong type or a
    value out of bounds.

    Any: the value is checked here.
    """
    definition = definition_of(name)
    if rule := definition.rule_broken_by(value):
        raise WorkbenchError(f"{name} must be {rule}, not {value!r}.")
    return replace(settings, **{definition.field: value})


def write(settings_file: Path, name: str, value: Any) -> None:
    """Write one value into a settings file and keep its other content. Old setting names are replaced.

    Any: the value of a setting, or a list of tables such as `network.allow`.
    """
    _edit(settings_file, name, value)


def remove(settings_file: Path, name: str) -> None:
    """Remove one setting from a settings file and keep its other content. A file without it is not changed."""
    values, fault = _read_table(settings_file)
    _use_new_names(values)
    group, key = OLD_NAMES.get(name, name).split(".", 1)
    table = values.get(group)
    if fault or (isinstance(table, dict) and key in table):
        _edit(settings_file, name, _REMOVED)


def _edit(settings_file: Path, name: str, value: Any) -> None:
    """Set one value, or remove it if it is `_REMOVED`. Any: as for `write`."""
    values, fault = _read_table(settings_file)
    if fault:
        raise WorkbenchError(f"{settings_file.name} cannot be changed: {fault.message}", fault.hint)
    group, key = OLD_NAMES.get(name, name).split(".", 1)
    if not isinstance(values.setdefault(group, {}), dict):
        raise WorkbenchError(
            f"{settings_file.name} cannot be changed: {group} is not a table.", f"Remove the line that sets {group}."
        )
    _use_new_names(values)
    _set(values, group, key, value)
    text = _with_layout(settings_file, values, group, key, value) or tomli_w.dumps(values)
    target = settings_file.resolve()  # keeps a symbolic link
    write_file(target, text, mode=0o644, keep_mode=True, name=settings_file.name, hint=f"See {settings_file}.")


def _set(document: MutableMapping[str, Any], group: str, key: str, value: Any) -> None:
    """Change one value of a parsed file; a table that is empty afterwards is removed. Any: as for `_edit`."""
    if value is not _REMOVED:
        document.setdefault(group, {})[key] = value
        return
    document[group].pop(key, None)
    if not document[group]:
        del document[group]


def explain(
    project_file: Path, user_file: Path, current: Settings, more_notices: Sequence[Fault] = ()
) -> tuple[SettingValue, ...]:
    """Every setting with its value in force, what each file says about it, and where the value comes from.

    `more_notices` are faults that features found in their settings.
    """
    layers = list[tuple[Path, dict[str, Any]]]()  # Any: values of settings, as the files hold them
    for path in (*(project_file.parent / name for name in _JSON_FILES), project_file, user_file):
        foreign, table, _ = _read_file(path)
        _use_new_names(table)
        layers.append((path, dict(foreign.values) | _flat(table)))
    notices = (*read(project_file, user_file).notices, *more_notices)
    (_, from_project), (_, from_user) = layers[-2:]
    found = []
    for name, definition in DEFINITIONS.items():
        value = getattr(current, definition.field)
        setters = [(path, values[name]) for path, values in layers if name in values]
        usable = [path for path, written in setters if written == value and type(written) is type(value)]
        source, file = SettingSource.DEFAULT, ""
        if definition.combined and len(setters) > 1 and from_user.get(name) and value != from_user.get(name):
            source, file = SettingSource.BOTH, user_file.name
        elif usable or (setters and value != definition.default):
            setter = (usable or [path for path, _ in setters])[-1]
            source, file = SettingSource.USER if setter == user_file else SettingSource.PROJECT, setter.name
        notice = next((f"{fault.message} {fault.hint}".strip() for fault in notices if _names(fault.message, name)), "")
        found.append(SettingValue(name, value, source, file, from_user.get(name), from_project.get(name), notice))
    return tuple(found)


def project_maximum(definition: Definition, factor: int) -> int:
    """The highest value of a limit that a project can set; `factor` is `run.project_limit_factor`."""
    return int(min(definition.maximum, definition.default * factor))


def _flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a file by the names of settings. Any: as in the file."""
    groups = ((group, values) for group, values in table.items() if isinstance(values, dict))
    return {f"{group}.{key}": value for group, values in groups for key, value in values.items()}


def _names(message: str, name: str) -> bool:
    """Whether a message is about this setting, not about one whose name begins with its name."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w])", message) is not None


def _read_file(path: Path) -> tuple[other_systems.Translation, dict[str, Any], Fault | None]:
    """Read a file: its settings in other systems' terms, its settings in ours, and the fault if it cannot be read."""
    if path.suffix != ".json":
        values, fault = _read_table(path)
        return other_systems.translate_table(values), values, fault
    try:
        document = json.loads(read_plain(path, "utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return other_systems.Translation(), {}, None  # the feature that owns the file reports it
    found = isinstance(document, dict) and other_systems.OBJECT in document
    translation = other_systems.translate_object(document[other_systems.OBJECT]) if found else None
    return translation or other_systems.Translation(), {}, None


def _read_table(path: Path) -> tuple[dict[str, Any], Fault | None]:
    try:
        return read_toml(path), None
    except FileNotFoundError:
        return {}, None
    except (OSError, ValueError, RecursionError) as error:  # not text, not TOML, a number too long, or nesting too deep
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return {}, Fault(f"{path.name} cannot be read: {reason}.", "The defaults are used until it is corrected.")


def _apply(settings: Settings, values: dict[str, Any], path: Path, *, is_users: bool) -> tuple[Settings, list[Fault]]:
    faults = list[Fault]()
    if renamed := _use_new_names(values):
        pairs = ", ".join(f"{old} is now {new}" for old, new in renamed.items())
        hint = "The old names still work. The next change of a setting in the window replaces them."
        faults.append(Fault(f"{path.name}: {pairs}.", hint if is_users else "The old names still work."))
    for group, table in values.items():
        for key, value in table.items() if isinstance(table, dict) else ((None, table),):
            name = f"{group}.{key}" if key else group
            if name in _READ_BY_OTHERS or group == PROFILES:
                continue
            definition = DEFINITIONS.get(name)
            try:
                if definition and definition.user_only and not is_users:
                    raise WorkbenchError(f"{name} is ignored.", "Only your own settings.toml can set it.")
                before = getattr(settings, definition.field) if definition and definition.combined else ""
                settings = change(settings, name, f"{before} {value}".strip() if before else value)
            except WorkbenchError as error:
                faults.append(_unusable(path, error))
    return settings, faults


def _unusable(path: Path, error: WorkbenchError) -> Fault:
    return Fault(f"{path.name}: {error.message}", error.hint or "The default is used.")


def _use_new_names(values: MutableMapping[str, Any]) -> dict[str, str]:
    """Rename settings with earlier names and return the names found. A value under the new name has priority."""
    found = dict[str, str]()
    for old, new in OLD_NAMES.items():
        (old_group, old_key), (group, key) = old.split("."), new.split(".")
        table, target = values.get(old_group), values.get(group, {})
        if not isinstance(table, MutableMapping) or old_key not in table or not isinstance(target, MutableMapping):
            continue
        found[old] = new
        value = table.pop(old_key)
        if isinstance(value, bool):
            value = OLD_VALUES.get(old, {}).get(value, value)
        if group not in values:
            values[group] = {}
        values[group].setdefault(key, value)
        if not table:
            del values[old_group]
    return found


def _with_layout(settings_file: Path, values: dict[str, Any], group: str, key: str, value: Any) -> str | None:
    """The file with the change of `_edit` that `values` has already, keeping comments and order. Any: as for `_edit`.

    Returns `None` if the result would have another meaning, which happens after some nested tables.
    """
    import tomlkit  # imported here: it takes 7 ms, and a core seldom writes settings
    from tomlkit.exceptions import TOMLKitError

    try:
        text = read_plain(settings_file)
        if len(text) > _LARGEST_KEPT_LAYOUT:
            return None
        document: MutableMapping[str, Any] = tomlkit.parse(text)
        _use_new_names(document)
        _set(document, group, key, value)
        changed = tomlkit.dumps(document)
        return changed if parse_toml(changed) == values else None
    except (OSError, ValueError, KeyError, TypeError, TOMLKitError):
        return None


def _tighten(settings: Settings, wanted: list[tuple[str, str, Any]], notices: list[Fault]) -> Settings:
    """Use, for each protection, the stricter of the project's value and the user's."""
    looser: dict[str, list[str]] = {}
    for source, name, value in wanted:
        order, present = _STRICTER[name], getattr(settings, DEFINITIONS[name].field)
        if order.index(value) > order.index(present):
            settings = change(settings, name, value)
        elif value != present:
            looser.setdefault(source, []).append(name)
    for source, names in looser.items():
        message = f"{source} would make {', '.join(names)} less strict than your own settings. This is ignored."
        notices.append(Fault(message, "Only your own settings.toml can make protections less strict."))
    return settings


def _limit_project(settings: Settings, own: Settings, path: Path, notices: list[Fault]) -> Settings:
    """Cap limits at what a project may raise them to. Values that the user set have priority over the project."""
    cut: dict[str, str] = {}
    for definition in DEFINITIONS.values():
        if not definition.limit:
            continue
        highest: Any = definition.default * own.run_project_limit_factor  # Any: a value of the setting's type
        if (wanted := getattr(settings, definition.field)) > highest:
            settings = replace(settings, **{definition.field: highest})
            if getattr(own, definition.field) == definition.default:
                cut[definition.name] = f"{definition.name} is {highest}, not {wanted}"
    if cut:
        message = f"{path.name} raises limits further than a project may: {', '.join(cut.values())}."
        hint = f"To allow more, set {next(iter(cut))} or run.project_limit_factor in your own settings."
        notices.append(Fault(message, hint))
    return settings
