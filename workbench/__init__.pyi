"""The types of what the package gives to a person's own scripts."""

from workbench.orchestrator import AgentTask as AgentTask
from workbench.orchestrator import MCPOrchestrator as MCPOrchestrator
from workbench.orchestrator import Orchestrator as Orchestrator
from workbench.orchestrator import Stats as Stats
from workbench.orchestrator import Task as Task
from workbench.orchestrator import TaskResult as TaskResult
from workbench.orchestrator import TaskStats as TaskStats

__version__: str
