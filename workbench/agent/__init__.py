"""The workbench as an MCP server for agents. It translates and decides nothing."""
