"""The workbench as an MCP server for agents. It translates between MCP and the core's services, and decides nothing."""
