"""Configuration files of other MCP clients: found, read as untrusted, and written without losing anything."""
