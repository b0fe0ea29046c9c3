"""MCP Workbench: browse and test MCP tools, review agent-proposed code, curate skills.

This file imports nothing, so that every entry point imports only what it needs. What a person's own script
imports from here is loaded when it is asked for; `__init__.pyi` tells its types.
"""

__version__ = "0.1.0"
_FOR_SCRIPTS = ("AgentTask", "MCPOrchestrator", "Orchestrator", "Stats", "Task", "TaskResult", "TaskStats")

# Of one line, because a package's `__init__` holds no code; any other name is missing as it always was.
__getattr__ = lambda name: getattr(  # noqa: E731
    __import__("workbench.orchestrator", fromlist=["_"]) if name in _FOR_SCRIPTS else object(), name
)
