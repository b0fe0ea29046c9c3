"""The text of what is refused while the user has paused agents."""

from __future__ import annotations

from workbench.errors import WorkbenchError
from workbench.records import Fault, Origin
from workbench.settings import Settings

PAUSED = Fault(
    "The user has paused agents, so nothing of an agent starts now.",
    "Do not try again now. Tell the user; they resume agents in the workbench's window or with `mcp-workbench agents"
    " resume`.",
    ours=True,
)


def is_paused(settings: Settings, origin: Origin) -> bool:
    """Whether what comes from there is refused now."""
    return settings.agent_paused and origin is Origin.AGENT


def check_not_paused(settings: Settings, origin: Origin) -> None:
    """Raise for what an agent wants to start while agents are paused."""
    if is_paused(settings, origin):
        raise WorkbenchError(PAUSED.message, PAUSED.hint)


def check_answer(settings: Settings, origin: Origin, *, allow: bool) -> None:
    """Raise if the user allows something of an agent while agents are paused: it would be refused when it starts."""
    if allow and is_paused(settings, origin):
        raise WorkbenchError("Agents are paused, so this cannot start.", "Resume agents first; until then it waits.")
