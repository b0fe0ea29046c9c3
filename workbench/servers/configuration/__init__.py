"""Configuration of servers: `.mcp.json`, what an entry starts, and the consent to start it."""
