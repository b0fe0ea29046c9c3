"""Adapts the mcp SDK's client to real servers. Each module works around one defect or cost of the SDK.

`tests/servers/test_plain_sdk.py` shows each defect with the plain client; when such a test fails after an upgrade, the
module can be removed.
"""
