"""Cassettes: recordings of a skill's arguments, calls, answers and result, against which the skill is tested.

A cassette is a JSON file in the skill's folder, so that a team can review it like code. It may come from an untrusted
source, so it is read with a size limit and its types are checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.records import JsonObject, JsonValue
from workbench.skills.skill_folder import CASSETTES, read_file, within

FORMAT: Final = 1
LARGEST: Final = 1_900_000  # characters of a file; larger files are not read
StepKind: TypeAlias = Annotated[str, msgspec.Meta(pattern="^(call|search|definition|skill)$")]
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class CassetteStep(Struct, frozen=True, omit_defaults=True):
    """A recorded request of the skill and its answer."""

    kind: StepKind
    params: JsonObject  # for a call: server, tool, arguments
    answer: JsonValue = None
    shape: str = ""  # the `shape` of the sandbox's `JsonText`
    text: bool = False  # the answer is a text, not a value
    failure: JsonObject | None = None  # message, code, valid_parameters, suggestions, hint
    ignore: tuple[str, ...] = ()  # paths in the arguments that differ each time

    @property
    def tool(self) -> str:
        """The called tool as `server.tool`; of other requests their kind."""
        return f"{self.params.get('server')}.{self.params.get('tool')}" if self.kind == "call" else self.kind


class Cassette(Struct, frozen=True):
    """A recorded run of a skill."""

    name: str
    code: str  # SHA-256 of the skill's code when it was recorded
    arguments: JsonObject
    steps: tuple[CassetteStep, ...] = ()
    result: JsonValue = None
    failure: str = ""  # the expected failure of the run; empty if it succeeds
    ignore: tuple[str, ...] = ()  # paths in the result that differ each time
    tools: Mapping[str, JsonObject] = field(default_factory=dict)  # "server.tool" → its definition when recorded
    skills: Mapping[str, str] = field(default_factory=dict)  # other used skills → SHA-256 of their recorded code
    recorded: str = ""
    run_id: str = ""
    program: str = ""  # calls the skill if its arguments are not JSON: functions, answers, files


class _Expected(Struct, frozen=True):
    result: JsonValue = None
    ignore: tuple[str, ...] = ()
    failure: str = ""


class _CassetteFile(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The file format. A new optional field needs no new format number."""

    format: int
    recorded: str = ""
    run_id: str = ""
    code: str
    arguments: JsonObject
    program: tuple[str, ...] = ()  # lines
    expected: _Expected
    steps: tuple[CassetteStep, ...]
    tools: Mapping[str, JsonObject] = {}
    skills: Mapping[str, str] = {}


def cassette_name(wish: str) -> str:
    """The name changed to a file name that every system accepts."""
    name = "-".join(re.findall(r"[a-z0-9]+", wish.lower()))[:60].strip("-")
    if not name:
        raise WorkbenchError("A cassette needs a name.", "Use letters and digits, such as three-pending-orders.")
    return name


def read_cassettes(folder: Path) -> tuple[list[Cassette], dict[str, str]]:
    """A skill's cassettes sorted by name, and for each unreadable cassette the reason."""
    found, faults = [], {}
    place = folder / CASSETTES
    for path in sorted(place.glob("*.json")) if place.is_dir() and not place.is_symlink() else ():
        try:
            found.append(read_cassette(path))
        except WorkbenchError as fault:
            faults[path.stem] = fault.message
    return found, faults


def read_cassette(path: Path) -> Cassette:
    """Read one cassette file. Raises WorkbenchError with the reason if the file is invalid."""
    try:
        loaded = json.loads(read_file(path))
        if isinstance(loaded, dict) and loaded.get("format", FORMAT) != FORMAT:
            raise ValueError(f"its format is {loaded['format']!r:.20}, and this version reads format {FORMAT}")
        data = msgspec.convert(loaded, _CassetteFile)
    except (OSError, ValueError, RecursionError) as fault:
        words = f"The cassette {path.stem} cannot be read: {fault}."
        raise WorkbenchError(words, "Record it again, or remove the file from the skill's folder.") from fault
    return Cassette(
        path.stem, data.code, data.arguments, data.steps, data.expected.result, data.expected.failure,
        data.expected.ignore, data.tools, data.skills, data.recorded, data.run_id, "\n".join(data.program),
    )  # fmt: skip


def write_cassette(folder: Path, cassette: Cassette) -> None:
    file = _CassetteFile(
        format=FORMAT,
        recorded=cassette.recorded,
        run_id=cassette.run_id,
        code=cassette.code,
        arguments=cassette.arguments,
        program=tuple(cassette.program.split("\n")) if cassette.program else (),
        expected=_Expected(cassette.result, cassette.ignore, cassette.failure),
        steps=cassette.steps,
        tools=cassette.tools,
        skills=cassette.skills,
    )
    text = json.dumps(msgspec.to_builtins(file), indent=1, ensure_ascii=False) + "\n"
    if len(text) > LARGEST:
        words = f"The cassette {cassette.name} would have {len(text):,} characters; the limit is {LARGEST:,}."
        raise WorkbenchError(words, "Record a run that reads less, for instance with a smaller limit.")
    within(folder, CASSETTES).mkdir(exist_ok=True)
    write_file(folder / CASSETTES / f"{cassette.name}.json", text, mode=0o644)


def restamp(folder: Path, before: str, after: str) -> None:
    """Replace the old hash of renamed code by the new one in the cassettes that were recorded with it."""
    for one in read_cassettes(folder)[0]:
        if one.code == before:
            write_cassette(folder, replace(one, code=after))


def remove_cassette(folder: Path, name: str) -> None:
    path = within(folder, CASSETTES) / f"{name}.json"
    if _NAME.fullmatch(name) is None or not path.is_file() or path.is_symlink():
        raise WorkbenchError(f"There is no cassette {name!r:.80}.", "See the list on the skill's page.")
    path.unlink()
