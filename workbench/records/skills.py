"""Skills, their versions, reviews, recordings and test results."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from workbench.records.runs import Verdict


class SkillState(StrEnum):
    """Agents see kept skills only; retired ones are hidden, never deleted."""

    DRAFT = "draft"
    KEPT = "kept"
    RETIRED = "retired"


class Skill(Struct, frozen=True):
    """A program worth keeping, with where it came from."""

    name: str
    description: str
    code: str
    state: SkillState
    version: int = 0  # 0 while it has never been kept
    sha: str = ""  # SHA-256 of the code as it stands in the file now, whatever SKILL.md says
    tags: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()  # "server.tool" it needs
    run_id: str = ""  # the run it was drafted from
    author: str = ""
    kept_by: str = ""
    changed: float = 0.0
    starter: bool = False  # shipped with the app
    notes: str = ""  # the text of its SKILL.md: usage, features, examples
    license: str = ""
    compatibility: str = ""  # what it needs of its surroundings, in words
    allowed: str = ""  # its card's `allowed-tools`, for clients that read them; nothing here is allowed by it
    triggers: tuple[str, ...] = ()  # words that should bring it to mind
    kept_at: str = ""  # when this version was kept, as a date and time in UTC
    others: tuple[str, ...] = ()  # files it carries beside its card and code, by their paths in its folder
    cassettes: tuple[str, ...] = ()  # names of the recordings it can be tested against
    missing: tuple[str, ...] = ()  # tools it needs that no server offers now, each with names that are alike
    faults: tuple[str, ...] = ()  # what is wrong with its folder; a skill with faults is not handed to programs


class SkillUse(Struct, frozen=True):
    """How often programs used a skill, and what came of it."""

    name: str
    runs: int = 0
    done: int = 0  # of them that ran to their end
    saved: int = 0  # tokens that direct calls would have cost more
    last: float = 0.0


class SkillPage(Struct, frozen=True):
    """All there is to see of one skill."""

    skill: Skill
    draft: Skill | None = None  # beside the kept one
    versions: tuple[Skill, ...] = ()  # earlier ones, oldest first
    use: SkillUse | None = None
    schema: str = ""  # of its arguments, as JSON text
    sources: str = ""  # where its folder is


class SkillFile(Struct, frozen=True):
    """A file that came with a skill."""

    path: str
    bytes: int


class SkillReview(Struct, frozen=True):
    """What came from elsewhere, as a person sees it before anything of it is written."""

    key: str  # names exactly this reading; importing takes it and nothing else
    skill: Skill
    source: str  # the file or folder, and where in it
    files: tuple[SkillFile, ...] = ()
    verdict: Verdict | None = None  # None: it is instructions only
    notices: tuple[str, ...] = ()  # what a person should know: comments that nobody sees, programs that are not run
    refusal: str = ""  # why it cannot be imported
    before: Skill | None = None  # the skill of this name that is here already


class SkillHint(Struct, frozen=True):
    """Programs of one form ran again and again: they may be worth a skill."""

    key: str
    times: int
    run_id: str  # the newest of them
    purpose: str = ""
    tools: tuple[str, ...] = ()
    saved: int = 0
    last: float = 0.0


class DifferenceKind(StrEnum):
    """What is not as it was recorded. The first two are causes, the others are what came of them."""

    CODE = "code"
    DEFINITION = "definition"
    ARGUMENT = "argument"
    CALL = "call"
    RESULT = "result"
    FAILURE = "failure"


class SkillDifference(Struct, frozen=True):
    """One thing that is not as it was recorded."""

    kind: DifferenceKind
    words: str
    before: str = ""  # as JSON text, shortened
    after: str = ""
    breaks: bool = True  # False: it is another one, and the skill did the same all the same


class SkillTest(Struct, frozen=True):
    """What came of playing one cassette to a skill."""

    skill: str
    cassette: str
    state: str  # "passed", "changed": other code or definitions and the same behaviour, "failed", "error"
    differences: tuple[SkillDifference, ...] = ()
    ms: float = 0.0
    version: int = 0
    draft: bool = False  # the draft was tested, not the kept skill


class CassetteInfo(Struct, frozen=True):
    """A recording as a list shows it."""

    name: str
    recorded: str = ""
    run_id: str = ""
    arguments: str = ""  # JSON text
    tools: tuple[str, ...] = ()
    calls: int = 0
    result: str = ""  # JSON text, shortened
    fault: str = ""  # why it cannot be read
    program: str = ""  # that calls the skill, where what it is given is no JSON
