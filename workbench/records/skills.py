"""Skills, their versions, reviews, recordings and test results."""

from __future__ import annotations

import hashlib
from enum import StrEnum

from msgspec import Struct

from workbench.records.runs import Verdict


class SkillState(StrEnum):
    """The state of a skill. Agents see kept skills only; retired skills are hidden, never deleted."""

    DRAFT = "draft"
    KEPT = "kept"
    RETIRED = "retired"


class Skill(Struct, frozen=True):
    """A saved program with its metadata."""

    name: str
    description: str
    code: str
    state: SkillState
    version: int = 0  # 0 before it is kept for the first time
    sha: str = ""  # SHA-256 of the code in the file, regardless of SKILL.md
    tags: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()  # "server.tool" names that it needs
    run_id: str = ""  # the run that the draft was made from
    author: str = ""
    kept_by: str = ""
    changed: float = 0.0
    starter: bool = False  # shipped with the workbench
    notes: str = ""  # the text of its SKILL.md: usage, features, examples
    license: str = ""
    compatibility: str = ""  # requirements as free text
    allowed: str = ""  # `allowed-tools` of its SKILL.md, for clients that read it; the workbench ignores it
    triggers: tuple[str, ...] = ()  # trigger words for search
    kept_at: str = ""  # date and time in UTC when this version was kept
    others: tuple[str, ...] = ()  # other files in its folder, as relative paths
    cassettes: tuple[str, ...] = ()  # names of its recordings for tests
    missing: tuple[str, ...] = ()  # required tools that no server offers now, each with similar names
    faults: tuple[str, ...] = ()  # problems of its folder; a skill with faults cannot be imported by programs


def is_kept_with(skill: Skill, code: str) -> bool:
    """Whether keeping this code again would change nothing but the text for agents."""
    same = skill.sha == hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()
    return same and skill.state is SkillState.KEPT and not skill.faults


class SkillUse(Struct, frozen=True):
    """How often programs used a skill, with the outcomes."""

    name: str
    runs: int = 0
    done: int = 0  # number of them that completed
    saved: int = 0  # tokens saved compared with direct calls
    last: float = 0.0


class SkillPage(Struct, frozen=True):
    """Everything that the skill page shows."""

    skill: Skill
    draft: Skill | None = None  # the draft, if there is one besides the kept version
    versions: tuple[Skill, ...] = ()  # earlier versions, oldest first
    use: SkillUse | None = None
    schema: str = ""  # schema of its arguments as JSON text
    sources: str = ""  # path of its folder


class SkillFile(Struct, frozen=True):
    """A file in the folder of a skill."""

    path: str
    bytes: int


class SkillReview(Struct, frozen=True):
    """A preview of a skill to import, shown before anything is written."""

    key: str  # identifies this preview; only it can be imported with the key
    skill: Skill
    source: str  # the file or folder, and the location inside it
    files: tuple[SkillFile, ...] = ()
    verdict: Verdict | None = None  # None: the skill has instructions only
    notices: tuple[str, ...] = ()  # what the user should know: hidden comments, programs that are not run
    refusal: str = ""  # why the skill cannot be imported
    before: Skill | None = None  # the existing skill of this name


class SkillHint(Struct, frozen=True):
    """A suggestion to save a skill: programs of the same form were run repeatedly."""

    key: str
    times: int
    run_id: str  # the newest of these runs
    purpose: str = ""
    tools: tuple[str, ...] = ()
    saved: int = 0
    last: float = 0.0


class DifferenceKind(StrEnum):
    """How a test differs from the recording. The first two kinds are causes, the others are consequences."""

    CODE = "code"
    DEFINITION = "definition"
    ARGUMENT = "argument"
    CALL = "call"
    RESULT = "result"
    FAILURE = "failure"


class SkillDifference(Struct, frozen=True):
    """One difference between a test and the recording."""

    kind: DifferenceKind
    words: str
    before: str = ""  # as JSON text, shortened
    after: str = ""
    breaks: bool = True  # False: a difference that did not change the skill's behaviour


class SkillTest(Struct, frozen=True):
    """The result of testing a skill with one recording."""

    skill: str
    cassette: str
    state: str  # "passed", "changed": other code or definitions with the same behaviour, "failed", "error"
    differences: tuple[SkillDifference, ...] = ()
    ms: float = 0.0
    version: int = 0
    draft: bool = False  # the draft was tested, not the kept skill


class CassetteInfo(Struct, frozen=True):
    """A recording, as shown in lists."""

    name: str
    recorded: str = ""
    run_id: str = ""
    arguments: str = ""  # JSON text
    tools: tuple[str, ...] = ()
    calls: int = 0
    result: str = ""  # JSON text, shortened
    fault: str = ""  # why the recording cannot be read
    program: str = ""  # the program that calls the skill, if the arguments are not JSON
