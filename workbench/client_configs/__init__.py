"""The settings files of other MCP clients: found, read without trust, and written without losing anything."""
