"""Adapts the mcp SDK's client to real servers. Each module works around one fault or cost of it.

`tests/servers/test_plain_sdk.py` shows each fault with the plain client; when such a test fails after an upgrade, the
module can go.
"""
