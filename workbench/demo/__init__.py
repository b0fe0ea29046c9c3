"""The built-in demo server: a small made-up company's customers, orders, tickets and channels over stdio, offline.

It is a real MCP server in a process of its own and knows nothing of the workbench. It speaks the protocol itself,
because the SDK takes about a second to import and a newcomer's first click should not wait for that.
"""
