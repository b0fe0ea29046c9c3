"""Reads and writes skill folders: SKILL.md and code, in the format of the Agent Skills specification.

A skill folder is untrusted: symbolic links are not followed, special files are not read, sizes are bounded, and
problems are listed as faults of the skill.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.files import write_file
from workbench.identifiers import skill_module_name
from workbench.records import Skill, SkillState
from workbench.skills.frontmatter import (
    FrontMatter,
    FrontMatterError,
    Value,
    items,
    read_front_matter,
    write_front_matter,
)

LONGEST = 64  # characters of a name

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def is_name(text: str) -> bool:
    """Whether the text already is a skill name: lower-case words with single hyphens between."""
    return len(text) <= LONGEST and _NAME.fullmatch(text) is not None


def skill_name(wish: str) -> str:
    """The skill name nearest to the text that the user or an agent wrote."""
    plain = unicodedata.normalize("NFKD", wish).encode("ascii", "ignore").decode().lower()
    name = "-".join(re.findall(r"[a-z0-9]+", plain))[:LONGEST].strip("-")
    if not name:
        raise WorkbenchError("A skill needs a name.", "Use letters and digits, such as filter-pending-orders.")
    return name


CARD = "SKILL.md"
VERSIONS = "versions"  # subfolder with code and card of each earlier version
LONGEST_FILE = 2_000_000  # bytes of a file that are read
LONGEST_DESCRIPTION = 1024  # characters, the limit of the specification
LONGEST_COMPATIBILITY = 500  # characters, the limit of the specification
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")  # all of the specification
CASSETTES = "cassettes"  # subfolder with recordings for tests
NO_CODE = "It has no"
MOST_OTHERS = 500  # files besides card and code that are listed


def code_sha(code: str) -> str:
    """SHA-256 of a program's text."""
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()


def sha_of(code: str, notes: str) -> str:
    """The hash that is approved with a skill: of its code or, without code, of its instructions."""
    return code_sha(code or notes) if code or notes else ""


def words_sha(skill: Skill) -> str:
    """Hash over all texts of a card that agents read."""
    said = (skill.description, skill.tags, skill.triggers, skill.compatibility, skill.allowed, skill.notes.strip())
    return code_sha(json.dumps(said))


def read_skill(folder: Path, state: SkillState) -> Skill:
    """The skill in a folder, with all its problems in `faults`."""
    faults: list[str] = []
    head = _head(folder / CARD, faults)
    code = _code(folder / code_file(folder.name), faults)
    faults.extend(_card_faults(head, folder.name))
    found = other_files(folder)
    if not code and (folder / CARD).is_file() and not any(path.endswith(".py") for path in found):
        faults = [fault for fault in faults if not fault.startswith(NO_CODE)]  # a skill may be instructions only
    tapes = tuple(Path(path).stem for path in found if path.startswith(f"{CASSETTES}/") and path.endswith(".json"))
    skill = replace(_skill(folder.name, head, code), state=state, changed=_changed(folder))
    skill = replace(skill, others=found, cassettes=tapes)
    if state is SkillState.KEPT and head.nested("metadata").get("sha", skill.sha) != skill.sha:
        faults.append("Its code has changed on disk since it was kept; review it and keep it again.")
    return replace(skill, faults=tuple(faults))


def skill_of(name: str, card: str, code: str) -> Skill:
    """A skill from the texts of its card and code, with all their problems in `faults`."""
    faults: list[str] = []
    try:
        head = read_front_matter(card)
    except FrontMatterError as fault:
        faults, head = [str(fault)], FrontMatter()
    return replace(_skill(name, head, code), faults=(*faults, *_card_faults(head, name)))


def read_versions(folder: Path) -> tuple[Skill, ...]:
    """The earlier versions of the skill in a folder, oldest first."""
    found = []
    for path in (folder / VERSIONS).glob("*.py") if not (folder / VERSIONS).is_symlink() else ():
        faults: list[str] = []
        skill = _skill(folder.name, _head(path.with_suffix(".md"), faults), _code(path, faults))
        found.append(replace(skill, state=SkillState.RETIRED, version=_number(path.stem), faults=tuple(faults)))
    return tuple(sorted(found, key=lambda skill: skill.version))


def archive_version(folder: Path, version: int) -> None:
    """Copy the current version to the earlier versions, unless it is there already."""
    for file, end in ((code_file(folder.name), "py"), (CARD, "md")):
        target = folder / VERSIONS / f"{version}.{end}"
        if not target.exists() and (folder / file).is_file():
            within(folder, VERSIONS).mkdir(exist_ok=True)
            write_file(target, read_file(folder / file), mode=0o644)


def write_skill(folder: Path, skill: Skill, origin: Path | None = None) -> None:
    """Write a skill into its folder: first the code, then the card with its hash. Fields of other clients stay."""
    within(folder).mkdir(parents=True, exist_ok=True)
    cards = [_head(path / CARD, []).fields for path in (folder, origin) if path is not None]
    write_file(folder / code_file(skill.name), skill.code, mode=0o644)
    write_file(
        folder / CARD, card(skill, {key: value for fields in cards for key, value in fields.items()}), mode=0o644
    )


def card(skill: Skill, others: Mapping[str, Value]) -> str:
    """The text of a skill's SKILL.md; unknown fields of its card are kept."""
    known = {
        "version": str(skill.version),
        "sha": sha_of(skill.code, skill.notes),
        "tags": ", ".join(skill.tags),
        "triggers": ", ".join(skill.triggers),
        "tools": ", ".join(skill.tools),
        "run_id": skill.run_id,
        "author": skill.author,
        "kept_by": skill.kept_by,
        "kept_at": skill.kept_at,
        "starter": "true" if skill.starter else "",
    }
    own = {"license": skill.license, "compatibility": skill.compatibility, "allowed-tools": skill.allowed}
    fields: dict[str, str | Mapping[str, str]] = {"name": skill.name, "description": skill.description}
    fields |= {key: value or _line(others.get(key, "")) for key, value in own.items() if value or others.get(key)}
    foreign = {key: value for key, value in _foreign(others).items() if key not in known}
    fields["metadata"] = {**foreign, **{key: value for key, value in known.items() if value}}
    return write_front_matter(fields, skill.notes)


def _foreign(others: Mapping[str, Value]) -> dict[str, str]:
    """Fields of other clients. The specification allows six fields, so all others go below `metadata`."""
    found: dict[str, str] = {}
    for key, value in others.items():
        if isinstance(value, dict):
            start = "" if key == "metadata" else f"{key}."
            found |= {f"{start}{name}": text for name, text in value.items()}
        elif key not in FIELDS:
            found.setdefault(key, ", ".join(value) if isinstance(value, list) else value)
    return found


def other_files(folder: Path) -> tuple[str, ...]:
    """Paths of a skill's other files, such as references, assets and cassettes, without versions and symbolic links."""
    found: list[str] = []
    for at, folders, names in os.walk(folder, followlinks=False):
        below = Path(at).relative_to(folder)
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        if below == Path("."):
            folders[:] = [name for name in folders if name != VERSIONS]
        for name in sorted(names):
            path = below / name
            if str(path) not in (CARD, code_file(folder.name)) and is_plain(folder / path):
                found.append(path.as_posix())
        if len(found) >= MOST_OTHERS:
            break
    return tuple(found[:MOST_OTHERS])


def copy_other_files(source: Path, target: Path) -> None:
    """Copy a skill's other files; files with the same path are replaced."""
    for path in other_files(source):
        place = within(target, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, place, follow_symlinks=False)


def within(folder: Path, path: str = "") -> Path:
    """The path of a skill's file. Rejects symbolic links in it: in an untrusted project, they may lead anywhere."""
    place = folder
    for part in ("", *Path(path).parts):
        place = place / part
        if place.is_symlink():
            words = f"{folder.name} was not written, because {place.name} is a symbolic link."
            raise WorkbenchError(words, "Check where the link leads, and remove it from the project's skills.")
    return place


def is_plain(path: Path) -> bool:
    with suppress(OSError):
        return stat.S_ISREG(path.lstat().st_mode) and not path.name.startswith(".")
    return False


def code_file(name: str) -> str:
    return f"{skill_module_name(name)}.py"


def read_file(path: Path) -> str:
    """The text of a plain file; links, pipes, devices and large files are refused."""
    return read_whole(path).decode("utf-8")


def read_whole(path: Path, most: int = LONGEST_FILE) -> bytes:
    """The bytes of a plain file; links, pipes, devices and large files are refused."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{path.name} is not a regular file")
        if found.st_size > most:
            raise OSError(f"{path.name} is larger than {most // 1_000_000} MB")
        return file.read(most)


def _skill(name: str, head: FrontMatter, code: str) -> Skill:
    """The skill that a card and its code describe."""
    known = head.nested("metadata")
    return Skill(
        name=name,
        description=head.text("description"),
        code=code,
        state=SkillState.DRAFT,
        version=_number(known.get("version", "")),
        sha=sha_of(code, head.body),
        tags=items(known.get("tags", "")) or items(head.fields.get("tags", "")),
        triggers=items(known.get("triggers", "")) or items(head.fields.get("triggers", "")),
        license=head.text("license"),
        compatibility=head.text("compatibility"),
        allowed=_line(head.fields.get("allowed-tools", "")),
        kept_at=known.get("kept_at", ""),
        tools=items(known.get("tools", "")),
        run_id=known.get("run_id", ""),
        author=known.get("author", ""),
        kept_by=known.get("kept_by", ""),
        starter=known.get("starter") == "true",
        notes=head.body,
    )


def _line(value: Value) -> str:
    return " ".join(value) if isinstance(value, list) else value if isinstance(value, str) else ""


def _head(path: Path, faults: list[str]) -> FrontMatter:
    try:
        return read_front_matter(read_file(path))
    except FrontMatterError as fault:
        faults.append(str(fault))
    except FileNotFoundError:
        faults.append(f"Its folder has no {path.name}.")
    except (OSError, UnicodeDecodeError) as fault:
        faults.append(f"Its {path.name} cannot be read: {fault}.")
    return FrontMatter()


def _code(path: Path, faults: list[str]) -> str:
    try:
        return read_file(path)
    except FileNotFoundError:
        faults.append(f"{NO_CODE} {path.name}: its code file has a different name.")
    except (OSError, UnicodeDecodeError) as fault:
        faults.append(f"Its {path.name} cannot be read: {fault}.")
    return ""


def _card_faults(head: FrontMatter, name: str) -> list[str]:
    faults = []
    if not is_name(name):
        faults.append(f"{name!r} is not a skill name: use lower-case letters, digits and single hyphens, at most 64.")
    if head.fields and head.text("name") != name:
        faults.append(f"The name in SKILL.md is {head.text('name')!r}, but its folder is {name!r}.")
    if len(head.text("description")) > LONGEST_DESCRIPTION:
        faults.append(f"Its description is longer than {LONGEST_DESCRIPTION} characters.")
    if len(head.text("compatibility")) > LONGEST_COMPATIBILITY:
        faults.append(f"Its compatibility is longer than {LONGEST_COMPATIBILITY} characters.")
    return faults


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def _changed(folder: Path) -> float:
    """The modification time of the card or the code, whichever is newer."""
    times = []
    for name in (CARD, code_file(folder.name)):
        with suppress(FileNotFoundError):
            times.append((folder / name).lstat().st_mtime)
    return max(times, default=0.0)
