"""Adapts the mcp SDK's client to servers as they are: each module works around one fault or cost of the SDK."""
