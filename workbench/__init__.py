"""MCP Workbench: browse and test MCP tools, review agent-proposed code, curate skills.

This file imports nothing, so that every entry point imports only what it needs. Names of the public API are imported on
first access; `__init__.pyi` declares their types.
"""

__version__ = "0.1.0"
_FOR_SCRIPTS = ("AgentTask", "MCPOrchestrator", "Orchestrator", "Stats", "Task", "TaskResult", "TaskStats")

# One expression, because a package's `__init__` holds no code. An unknown name raises the usual error.
__getattr__ = lambda name: getattr(  # noqa: E731
    __import__("workbench.orchestrator", fromlist=["_"]) if name in _FOR_SCRIPTS else object(), name
)
