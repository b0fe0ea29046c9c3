"""Generates typed Python and TypeScript functions from tool definitions. Text from a server is data, never code."""
