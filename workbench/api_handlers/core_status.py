"""API methods about the core itself: status, settings, the HTTP endpoint for agents, shutting down."""

from __future__ import annotations

import asyncio
import os
import time

from workbench import __version__, tokens
from workbench.api.marker import api
from workbench.api_handlers.request_handler import HandlerContext, RequestHandler
from workbench.records import AgentDoor, CoreStatus, JsonValue, RunState, ServerStatus, SkillState
from workbench.sandbox.importable_packages import packages
from workbench.settings import Settings


class CoreHandler(RequestHandler):
    """The core and its settings."""

    def __init__(self, context: HandlerContext) -> None:
        super().__init__(context)
        self._started = time.time()

    @api
    async def status(self) -> CoreStatus:
        states, skills = self._catalog.states(), await asyncio.to_thread(self._services.library.skills)
        return CoreStatus(
            version=__version__,
            pid=os.getpid(),
            project=str(self._services.paths.project),
            started=self._started,
            strength=self._services.sandbox.strength,
            servers_ready=sum(state.status is ServerStatus.READY for state in states),
            servers=len(states),
            tools=len(self._catalog.tools()),
            agents=self._context.entrance.agents(),
            waiting=self._context.run_manager.number(RunState.WAITING),
            running=self._context.run_manager.number(RunState.RUNNING),
            queued=self._context.run_manager.slots.waiting,
            door=self._context.entrance.view().url,
            packages=packages(self._services.settings().run_packages, "").there,
            kept_states=len(self._context.run_manager.states.now()),
            skills=sum(skill.state is SkillState.KEPT for skill in skills),
            ledger=self._services.sessions.total(),
            counter=tokens.counter(),
            interrupted=self._context.run_manager.interrupted,
            notices=self._context.notices(),
            levels=self._services.sandbox.levels(),
        )

    @api(decides=True)
    async def shut_down(self) -> None:
        """End the core and everything it started."""
        self._context.shut_down()

    @api
    async def settings(self) -> Settings:
        return self._services.settings()

    @api(decides=True, consent=True)
    async def change_setting(self, name: str, value: JsonValue) -> Settings:
        return self._change_setting(name, value)

    @api(decides=True)
    async def open_agent_door(self, port: int, fresh_token: bool) -> AgentDoor:
        """Open it at this port of this machine; 0 is any that is free. A fresh token shuts the old one out."""
        return await self._context.entrance.open_http(port, fresh_token=fresh_token)
