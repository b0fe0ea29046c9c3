"""What a person asks of the recordings that skills are tested against, and of what programs teach."""

from __future__ import annotations

from typing import Protocol

from workbench.records import CassetteInfo, JsonObject, SkillHint, SkillTest, SkillUse


class SkillTestQuestions(Protocol):
    """Cassettes, their tests, how skills are used, and what may be worth one."""

    async def cassettes(self, name: str) -> tuple[CassetteInfo, ...]:
        """Those of a skill, and those that its draft would bring."""

    async def record_cassette(self, run_id: str, skill: str, name: str, arguments: JsonObject) -> CassetteInfo:
        """Make one of a run of this core. The arguments are those of the skill; none: as the run called it."""

    async def test_skill(self, name: str, draft: bool = False, cassette: str = "") -> tuple[SkillTest, ...]:
        """Play its cassettes, or this one, to the kept skill or to its draft; nothing outside is reached."""

    async def accept_cassette(self, name: str, cassette: str, draft: bool = False) -> CassetteInfo:
        """Expect from now on what the skill does now."""

    async def remove_cassette(self, name: str, cassette: str) -> None: ...

    async def check_drift(self, name: str, cassette: str, allow: bool = False) -> SkillTest:
        """Make its calls at the servers as they are: those that only read, or with `allow` all of them."""

    async def skill_uses(self) -> tuple[SkillUse, ...]: ...

    async def skill_hints(self) -> tuple[SkillHint, ...]:
        """Forms of programs that ran again and again, most often first."""

    async def dismiss_hint(self, key: str) -> None: ...
