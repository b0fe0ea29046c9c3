"""Generates typed Python and TypeScript functions from tool definitions; what a server wrote is data, never code."""
