"""Answers what a person asks of the core itself."""

from __future__ import annotations

import asyncio
import os
import time

from workbench import __version__, tokens
from workbench.desk.seat import House, Seat
from workbench.records import AgentDoor, CoreStatus, JsonValue, Level, RunState, ServerStatus, SkillState
from workbench.sandbox.packages import packages
from workbench.settings import Settings


class HouseDesk(Seat):
    """The core and its settings."""

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self._started = time.time()

    async def status(self) -> CoreStatus:
        states, skills = self._catalog.states(), await asyncio.to_thread(self._rooms.library.list)
        return CoreStatus(
            version=__version__,
            pid=os.getpid(),
            bench=str(self._rooms.paths.bench),
            started=self._started,
            strength=self._rooms.sandbox.strength,
            servers_ready=sum(state.status is ServerStatus.READY for state in states),
            servers=len(states),
            tools=len(self._catalog.tools()),
            agents=self._house.entrance.agents(),
            waiting=self._house.conveyor.number(RunState.WAITING),
            running=self._house.conveyor.number(RunState.RUNNING),
            queued=self._house.conveyor.slots.waiting,
            door=self._house.entrance.view().url,
            packages=packages(self._rooms.settings().run_packages, "").there,
            kept_states=len(self._house.conveyor.states.now()),
            skills=sum(skill.state is SkillState.KEPT for skill in skills),
            ledger=self._rooms.sessions.total(),
            counter=tokens.counter(),
            interrupted=self._house.conveyor.interrupted,
            notices=self._house.notices(),
            levels=self._rooms.sandbox.levels(),
        )

    async def levels(self) -> tuple[Level, ...]:
        return await self._rooms.sandbox.look_again()

    async def shut_down(self) -> None:
        self._house.shut_down()

    async def settings(self) -> Settings:
        return self._rooms.settings()

    async def change_setting(self, name: str, value: JsonValue) -> Settings:
        return self._change_setting(name, value)

    async def agent_door(self) -> AgentDoor:
        return self._house.entrance.view()

    async def open_agent_door(self, port: int, fresh_token: bool) -> AgentDoor:
        return await self._house.entrance.open_http(port, fresh_token=fresh_token)

    async def close_agent_door(self) -> None:
        await self._house.entrance.close_http()
