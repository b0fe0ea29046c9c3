"""The door for agents: the workbench as an MCP server. It translates and decides nothing."""
