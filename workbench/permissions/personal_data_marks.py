"""Marks of personal data: values that are always masked or never masked, from the user and the project.

A project's `workbench.toml` may add values to mask (`[[privacy.hide]]`), but not exempt any. The user's own marks
are in separate files that only the user can read, because settings get shared and these values are personal: one file
for every project, and one for each project in the user's state.

    [[hide]]
    pattern = 'AB-\\d{6}'      # or value = "Falcon", or key = "badge"
    kind = "CUSTOM"

    [[pass]]
    value = "support@example.org"
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import tomli_w
from msgspec import Struct
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.files import LARGEST, read_toml, write_file
from workbench.privacy.strictness import TITLES, invalid_server_steps, read_server_steps, steps
from workbench.privacy.user_marks import (
    EVERYWHERE,
    IN_PROJECT,
    WHATS,
    YOURS,
    StartRules,
    check_mark,
    kind_rules,
    rules_from_marks,
    unknown_settings,
)
from workbench.records import Fault, PrivacyMark, PrivacyRules, ServerStrictness
from workbench.settings import Settings

MOST: Final = 500  # marks of one file
MOST_PATTERNS: Final = 20  # patterns of a project, which outsiders write: each is matched against every text
_TABLES: Final = {"hide": True, "pass": False}


class _Reading(Struct, frozen=True):
    marks: tuple[PrivacyMark, ...] = ()
    notices: tuple[Fault, ...] = ()
    lost: bool = False


class PersonalDataMarks:
    """All marks. Files are read when the core starts; the user's changes apply at once."""

    def __init__(self, project_file: Path, own_file: Path, own_file_of_project: Path) -> None:
        self._project = _read(project_file, "project")
        self._files = {EVERYWHERE: own_file, IN_PROJECT: own_file_of_project}
        self._own = {scope: _read(file, "you", scope) for scope, file in self._files.items()}

    def marks(self) -> tuple[PrivacyMark, ...]:
        """Return the user's own marks first, the newest first."""
        own = (mark for reading in self._own.values() for mark in reading.marks)
        return (*sorted(own, key=lambda mark: -mark.made), *self._project.marks)

    def following(self, settings: Settings) -> StartRules:
        """Return what every session detects and masks."""
        return rules_from_marks(
            self.marks(),
            settings.privacy_off,
            settings.privacy_thresholds,
            strictness=settings.privacy_strictness,
            servers=settings.privacy_servers,
        )

    def view(self, settings: Settings) -> PrivacyRules:
        """Return marks, kinds and settings for the privacy window."""
        kinds = kind_rules(self.following(settings).rules)
        return PrivacyRules(
            self.marks(),
            kinds,
            settings.privacy_enabled,
            settings.privacy_strictness,
            tuple(ServerStrictness(*one) for one in read_server_steps(settings.privacy_servers).items()),
            steps(),
            settings.privacy_keep_days,
            self.notices(settings),
            settings.privacy_preview,
        )

    def notices(self, settings: Settings) -> tuple[Fault, ...]:
        """Return which marks and settings cannot be used, and why."""
        wrong = unknown_settings(settings.privacy_off, settings.privacy_thresholds, settings.privacy_preview)
        words = Fault(
            f"privacy.off, privacy.thresholds or privacy.preview has unknown kinds or invalid scores:"
            f" {', '.join(wrong)[:200]}.",
            "These entries are ignored.",
        )
        servers = invalid_server_steps(settings.privacy_servers)
        entries = Fault(
            f"privacy.servers has invalid entries: {', '.join(servers)[:200]}.",
            f"Write the server and one of {', '.join(TITLES)}, for example crm=recall. These entries are ignored.",
        )
        own = (notice for reading in self._own.values() for notice in reading.notices)
        return (*own, *self._project.notices, *((words,) if wrong else ()), *((entries,) if servers else ()))

    def add(self, mark: PrivacyMark) -> PrivacyMark:
        """Add a mark of the user; a mark of the same value with the same scope is replaced."""
        made = replace(check_mark(mark), source="you", made=time.time())
        kept = [one for one in self._read_again(made.scope) if not _same(one, made)]
        if len(kept) >= MOST:
            raise WorkbenchError(
                f"There are {MOST} marks already.", "Remove a mark, or use one pattern for several values."
            )
        self._keep([*kept, made], made.scope)
        return made

    def remove(self, mark_id: str) -> PrivacyMark:
        """Remove a mark of the user."""
        own = (one for reading in self._own.values() for one in reading.marks)
        gone = next((one for one in own if one.id == mark_id), None)
        if gone is None:
            theirs = any(one.id == mark_id for one in self._project.marks)
            hint = "Remove it from the project's workbench.toml." if theirs else "Check the list of marks."
            raise WorkbenchError("You have no such mark.", hint)
        self._keep([one for one in self._read_again(gone.scope) if one.id != mark_id], gone.scope)
        return gone

    def _read_again(self, scope: str) -> tuple[PrivacyMark, ...]:
        """The marks of a file, with those that the core of another project has added meanwhile."""
        file = self._files[scope]
        self._own[scope] = _read(file, "you", scope)
        if self._own[scope].lost:
            raise WorkbenchError(
                f"{file.name} cannot be read, so it was not changed.", f"Correct {file}, then restart the core."
            )
        return self._own[scope].marks

    def _keep(self, marks: list[PrivacyMark], scope: str) -> None:
        tables: dict[str, list[dict[str, Any]]] = {"hide": [], "pass": []}  # Any: TOML
        for mark in marks:
            said = {mark.what: mark.text, **({"kind": mark.kind} if mark.hide else {}), "made": mark.made}
            tables["hide" if mark.hide else "pass"].append(said)
        write_file(self._files[scope], tomli_w.dumps(tables).encode())
        self._own[scope] = replace(self._own[scope], marks=tuple(marks))


def _read(file: Path, source: str, scope: str = EVERYWHERE) -> _Reading:
    try:
        found = read_toml(file) if source == "project" else read_toml(file, largest=LARGEST)
    except FileNotFoundError:
        return _Reading()
    except (OSError, ValueError, RecursionError):
        if source == "project":
            return _Reading()  # the settings report what is wrong with the file
        hint = f"Correct or delete {file}, then restart the core. Until then, your marks have no effect."
        return _Reading(notices=(Fault(f"{file.name} cannot be read.", hint),), lost=True)
    tables = found.get("privacy", {}) if source == "project" else found
    return _entries(tables if isinstance(tables, dict) else {}, file.name, source, scope)


def _entries(tables: dict[str, Any], name: str, source: str, scope: str) -> _Reading:  # Any: TOML
    marks: list[PrivacyMark] = []
    notices: list[Fault] = []
    for table, hides in _TABLES.items():
        entries = tables.get(table, [])
        if entries and source == "project" and not hides:
            notices.append(
                Fault(f"{name}: privacy.pass is ignored.", "Only your own marks can exclude values from masking.")
            )
            continue
        listed = entries if isinstance(entries, list) else [entries]
        if len(listed) > MOST:
            notices.append(Fault(f"{name}: {table} has {len(listed)} entries.", f"Only the first {MOST} are used."))
        for entry in listed[:MOST]:
            try:
                marks.append(_mark(entry, hides, source, scope))
            except WorkbenchError as fault:
                notices.append(
                    Fault(f"{name}: {table}: {fault.message}", f"{fault.hint} This entry is ignored.".strip())
                )
    found = list({mark.id: mark for mark in marks}.values())
    if source == "project" and (beyond := [mark for mark in found if mark.what == "pattern"][MOST_PATTERNS:]):
        hint = f"Only the first {MOST_PATTERNS} are used. Combine patterns with |, or list values instead."
        notices.append(Fault(f"{name}: {len(beyond)} patterns too many in privacy.hide.", hint))
        found = [mark for mark in found if mark not in beyond]
    return _Reading(tuple(found), tuple(notices))


def _mark(entry: object, hides: bool, source: str, scope: str) -> PrivacyMark:
    if not isinstance(entry, dict):
        raise WorkbenchError("An entry is not a table.", 'Example: value = "Falcon".')
    said = [what for what in WHATS if isinstance(entry.get(what), str)]
    if len(said) != 1 or not isinstance(kind := entry.get("kind", YOURS), str):
        raise WorkbenchError("An entry needs exactly one text: a value, a pattern or a key.", 'Example: key = "badge".')
    made = entry.get("made", 0.0)
    at = float(made) if isinstance(made, int | float) else 0.0
    return replace(check_mark(PrivacyMark(hides, said[0], entry[said[0]], kind, source, scope=scope)), made=at)


def _same(one: PrivacyMark, other: PrivacyMark) -> bool:
    """Whether two marks are about the same value, whether it is masked or not."""
    return (one.what, one.text.casefold()) == (other.what, other.text.casefold())
