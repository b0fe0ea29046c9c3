"""Configuration of servers: `.mcp.json`, the launch command of an entry, and the consent to start it."""
