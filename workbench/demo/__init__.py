"""Built-in demo server: a fictional company's customers, orders, tickets and channels over stdio, offline.

It is a real MCP server in its own process and imports nothing of the workbench. It implements the protocol itself,
because importing the SDK takes about a second and the first start should be fast.
"""
