"""MCP servers of a project: their configuration, connections, tools, resources, sign-in, requests and diagnosis."""
