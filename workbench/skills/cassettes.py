"""A recording that a skill is tested against: what it was called with, what it asked, what it was told, what it gave.

It is a JSON file in the skill's folder, so that a team reviews it as it reviews code. It may come from elsewhere, so
whatever is in it is read with care and believed in nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.records import JsonObject, JsonValue
from workbench.skills.skill_folder import CASSETTES, read_file, within

FORMAT: Final = 1
LARGEST: Final = 1_900_000  # characters of a file; no larger one would be read
KINDS: Final = ("call", "search", "definition", "skill")
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class CassetteStep(Struct, frozen=True):
    """One question and its answer."""

    kind: str
    params: JsonObject  # of a call: server, tool, arguments
    answer: JsonValue = None
    shape: str = ""  # typed parts and the like, as the sandbox tells answers apart
    text: bool = False  # the answer is a text, not a value
    failure: JsonObject | None = None  # message, code, valid_parameters, suggestions, hint
    ignore: tuple[str, ...] = ()  # places in the arguments that differ each time

    @property
    def tool(self) -> str:
        """As "server.tool"; of other questions their kind."""
        return f"{self.params.get('server')}.{self.params.get('tool')}" if self.kind == "call" else self.kind


class Cassette(Struct, frozen=True):
    """One recording."""

    name: str
    code: str  # SHA-256 of the skill's code when it was recorded
    arguments: JsonObject
    steps: tuple[CassetteStep, ...] = ()
    result: JsonValue = None
    failure: str = ""  # how the run is expected to fail; empty: it does not
    ignore: tuple[str, ...] = ()  # places in the result that differ each time
    tools: Mapping[str, JsonObject] = field(default_factory=dict)  # "server.tool" → its definition then
    skills: Mapping[str, str] = field(default_factory=dict)  # other skills it used → SHA-256 of their code then
    recorded: str = ""
    run_id: str = ""
    program: str = ""  # what calls the skill, where its arguments are no JSON: functions, answers, files


def cassette_name(wish: str) -> str:
    """A name that is a file's name everywhere."""
    name = "-".join(re.findall(r"[a-z0-9]+", wish.lower()))[:60].strip("-")
    if not name:
        raise WorkbenchError("A cassette needs a name.", "Use letters and digits, such as three-pending-orders.")
    return name


def read_cassettes(folder: Path) -> tuple[list[Cassette], dict[str, str]]:
    """All of a skill's, by name, and what is wrong with those that cannot be read."""
    found, faults = [], {}
    place = folder / CASSETTES
    for path in sorted(place.glob("*.json")) if place.is_dir() and not place.is_symlink() else ():
        try:
            found.append(read_cassette(path))
        except WorkbenchError as fault:
            faults[path.stem] = fault.message
    return found, faults


def read_cassette(path: Path) -> Cassette:
    """One file; a WorkbenchError says what is wrong with it."""
    try:
        data = json.loads(read_file(path))
        return _cassette(path.stem, data)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError, KeyError, TypeError, AttributeError) as fault:
        words = f"The cassette {path.stem} cannot be read: {fault}."
        raise WorkbenchError(words, "Record it again, or take the file out of the skill's folder.") from fault


def write_cassette(folder: Path, cassette: Cassette) -> None:
    text = json.dumps(_plain(cassette), indent=1, ensure_ascii=False) + "\n"
    if len(text) > LARGEST:
        words = f"The cassette {cassette.name} would hold {len(text):,} characters; {LARGEST:,} are the most."
        raise WorkbenchError(words, "Record a run that reads less, for instance with a smaller limit.")
    within(folder, CASSETTES).mkdir(exist_ok=True)
    write_file(folder / CASSETTES / f"{cassette.name}.json", text, mode=0o644)


def restamp(folder: Path, before: str, after: str) -> None:
    """The code has another hash though it does the same: under another name."""
    for one in read_cassettes(folder)[0]:
        if one.code == before:
            write_cassette(folder, replace(one, code=after))


def remove_cassette(folder: Path, name: str) -> None:
    path = within(folder, CASSETTES) / f"{name}.json"
    if _NAME.fullmatch(name) is None or not path.is_file() or path.is_symlink():
        raise WorkbenchError(f"There is no cassette {name!r:.80}.", "The skill's page lists them.")
    path.unlink()


def _plain(one: Cassette) -> dict[str, object]:
    about = {"format": FORMAT, "recorded": one.recorded, "run_id": one.run_id, "code": one.code}
    wanted = {"result": one.result, "ignore": list(one.ignore)} | ({"failure": one.failure} if one.failure else {})
    return {
        **about,
        "arguments": dict(one.arguments),
        **({"program": one.program.split("\n")} if one.program else {}),
        "expected": wanted,
        "steps": [_plain_step(step) for step in one.steps],
        "tools": dict(one.tools),
        "skills": dict(one.skills),
    }


def _plain_step(step: CassetteStep) -> dict[str, object]:
    known: dict[str, object] = {"kind": step.kind, "params": dict(step.params)}
    known |= {"failure": dict(step.failure)} if step.failure is not None else {"answer": step.answer}
    more = {"shape": step.shape, "text": step.text, "ignore": list(step.ignore)}
    return known | {key: value for key, value in more.items() if value}


def _cassette(name: str, data: Mapping[str, JsonValue]) -> Cassette:
    if data["format"] != FORMAT:
        raise ValueError(f"it is of format {data['format']!r:.20}, and this version reads {FORMAT}")
    expected = _object(data["expected"])
    steps = data["steps"]
    return Cassette(
        name=name,
        code=str(data["code"]),
        arguments=_object(data["arguments"]),
        program="\n".join(_words(data.get("program", []))),
        steps=tuple(_step(_object(step)) for step in steps) if isinstance(steps, list) else (),
        result=expected.get("result"),
        failure=str(expected.get("failure", "")),
        ignore=_words(expected.get("ignore", [])),
        tools={key: _object(value) for key, value in _object(data.get("tools", {})).items()},
        skills={key: str(value) for key, value in _object(data.get("skills", {})).items()},
        recorded=str(data.get("recorded", "")),
        run_id=str(data.get("run_id", "")),
    )


def _step(data: JsonObject) -> CassetteStep:
    if data["kind"] not in KINDS:
        raise ValueError(f"it has a step of the kind {data['kind']!r:.40}")
    return CassetteStep(
        kind=str(data["kind"]),
        params=_object(data["params"]),
        answer=data.get("answer"),
        shape=str(data.get("shape", "")),
        text=data.get("text") is True,
        failure=_object(data["failure"]) if "failure" in data else None,
        ignore=_words(data.get("ignore", [])),
    )


def _object(value: JsonValue) -> JsonObject:
    if not isinstance(value, dict):
        raise TypeError(f"{str(value)[:40]!r} is no object")
    return value


def _words(value: JsonValue) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list | Sequence) and not isinstance(value, str) else ()
