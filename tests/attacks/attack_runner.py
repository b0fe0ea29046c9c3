"""Runs attacks in a sandbox and judges them: by what they say, and by what they did to the field around them.

An attack is a text with the word for how it must end. It prints a line that begins with PWNED, LIMITED, BLOCKED or
HARMLESS; where it defines `attack()`, a true answer is PWNED. What the host sees outweighs what it says.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.attacks.attack_field import Field
from workbench.errors import WorkbenchError
from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.program import Ending, Program, ToolFailure
from workbench.sandbox.sandbox import Sandbox

_WORDS = {"PWNED": "pwned", "LIMITED": "limited", "LEFT": "limited", "BLOCKED": "blocked", "HARMLESS": "harmless"}
_ENDED = ("timeout", "cpu", "output", "calls", "disk")  # by us, whatever it had said before
_SECONDS = 20.0
_BARE_SECONDS = 6.0  # such lists hold spinners that count to eight
_MEMORY = 384  # megabytes
THEIR_WORKSPACE = "/".join(("", "work", ""))  # what bare lists call the workspace inside the sandbox

_BEFORE = """
import ctypes, os, sys
TARGET = {targets!r}
_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
def call(number, *arguments):
    made = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    found = _libc.syscall(ctypes.c_long(number), *made)
    if found == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return found
"""
_AFTER = """
try:
    _found = attack()
    print("PWNED:" + str(_found)[:200] if _found else "HARMLESS:no effect", flush=True)
except BaseException as _fault:
    print("BLOCKED:%s:%s" % (type(_fault).__name__, str(_fault)[:120]), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Attack:
    """One hostile text and how it must end."""

    id: str
    category: str
    code: str
    expect: str  # words joined by |: blocked limited harmless killed
    why: str = ""  # what keeps it
    seconds: float = _SECONDS  # what it may take; short where being ended by the clock is the point
    twice: bool = False  # the second time shows whether the first left something
    bare: bool = True  # the text stands for itself, and names the places of another field
    differs: dict[str, str] = field(default_factory=dict)  # backend → other words, and why: "limited: …"

    def expected(self, backend: str) -> str:
        return self.differs.get(backend, self.expect).partition(":")[0]


@dataclass(frozen=True, slots=True)
class Judgement:
    """How an attack ended."""

    attack: Attack
    got: str
    detail: str
    seconds: float
    harm: tuple[str, ...]
    contained: bool


def read_attacks(file: Path) -> tuple[Attack, ...]:
    """From a list in JSON with texts as they are, or from TOML with texts for this runner, a category in each file."""
    try:
        if file.suffix == ".toml":
            rows = tomllib.loads(file.read_text(encoding="utf-8"))["attack"]
            return tuple(Attack(category=file.stem.replace("_", "-"), bare=False, **row) for row in rows)
        known = ("id", "category", "code", "expect", "why")
        rows = json.loads(file.read_text(encoding="utf-8"))
        found = ({name: row[name] for name in known if name in row} for row in rows)
        return tuple(Attack(**words, seconds=_BARE_SECONDS) for words in found)
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise WorkbenchError(f"{file} holds no attacks: {fault}", "A list of {id, category, code, expect}.") from fault


async def try_attacks(
    sandbox: Sandbox, attacks: Sequence[Attack], around: Field, level: str = "process"
) -> list[Judgement]:
    """One after the other, in one open sandbox."""
    backend = sandbox.strength.backend if level == "process" else level
    return [await _tried(sandbox, attack, around, backend, level) for attack in attacks]


async def _tried(sandbox: Sandbox, attack: Attack, around: Field, backend: str, level: str) -> Judgement:
    limits = Limits(seconds=attack.seconds, cpu_seconds=attack.seconds, memory_mb=_MEMORY, disk_mb=64, calls=5000)
    program = Program(_aimed(attack, around, backend), limits, around.workspace, level=level)
    for _ in range(1 + (attack.twice or attack.bare)):
        around.clear()
        ending = await sandbox.run(program, _nobody, lambda stream, text: None)
        await sandbox.settle()
        if ending.reason in _ENDED:
            break
    return _judged(attack, ending, around.harm(sandbox.launcher), around.secret, backend)


def _aimed(attack: Attack, around: Field, backend: str) -> str:
    if not attack.bare:
        after = _AFTER if "def attack(" in attack.code else ""
        return _BEFORE.format(targets=around.targets) + attack.code + after
    places = {
        "/tmp/sbxcanary": str(around.canary),
        THEIR_WORKSPACE: "workspace/" if backend == "reduced" else "/workspace/",
        "39777": str(around.port),
        "sbxcanary": around.abstract,
    }
    code = attack.code
    for old, new in places.items():
        code = code.replace(old, new)
    return code


def _judged(attack: Attack, ending: Ending, harm: tuple[str, ...], secret: str, backend: str) -> Judgement:
    said = next((line for line in ending.output.splitlines() if line.split(":")[0] in _WORDS), "")
    got = _WORDS[said.split(":")[0]] if said else ("silent" if ending.ok else "killed")
    if ending.reason in _ENDED and got != "pwned":
        got = "killed"
    if secret in ending.output + ending.result + ending.message + ending.traceback:
        harm = (*harm, "the secret came out")
    if harm:
        got = "pwned"
    contained = got in (*attack.expected(backend).split("|"), "blocked")
    detail = said or f"{ending.reason}: {ending.error_type} {ending.message}".strip()
    return Judgement(attack, got, detail[:200], ending.seconds, harm, contained)


async def _nobody(what: str, wish: JsonObject) -> JsonValue:
    raise ToolFailure("There are no tools here.", "unknown_tool")


def table(judgements: Sequence[Judgement], backend: str) -> str:
    """What was not as it must be, line by line, and the sum."""
    lines = [
        f"{one.attack.category}/{one.attack.id}: must be {one.attack.expected(backend)}, was {one.got}: "
        f"{'; '.join(one.harm) or one.detail}"
        for one in judgements
        if not one.contained
    ]
    kept = sum(one.contained for one in judgements)
    return "\n".join([*lines, f"{backend}: {kept} of {len(judgements)} attacks as expected"])
