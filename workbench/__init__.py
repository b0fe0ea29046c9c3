"""MCP Workbench: browse and test MCP tools, review agent-proposed code, curate skills.

The package keeps this file empty of imports so that every door pays only for what it opens.
"""

__version__ = "0.1.0"
