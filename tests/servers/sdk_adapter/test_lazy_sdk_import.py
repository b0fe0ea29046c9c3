"""The SDK imported for one agent: everything needed is available, and much of it is not loaded yet."""

from __future__ import annotations

import json
import subprocess
import sys

CODE = """
import json, sys
from workbench.servers.sdk_adapter.lazy_sdk_import import load_sdk
load_sdk()
import workbench.agent.agent_connection, workbench.servers.sdk_adapter.raw_dispatcher
from mcp.types import Tool
told = {"loaded": list(sys.modules)}
tool = {"name": "x", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
told["tool"] = Tool.model_validate(tool, by_name=False).model_dump(by_alias=True, exclude_unset=True)
try:
    Tool.model_validate({"name": 5})
except ValueError as fault:
    told["fault"] = str(fault)
import mcp
from mcp.server import Server
told["names"] = [name for name in ("Client", "ClientSession", "MCPServer") if hasattr(mcp, name)]
told["same"] = Server is sys.modules["mcp.server.lowlevel.server"].Server
load_sdk()
print(json.dumps(told))
"""


def test_what_is_not_used_is_not_loaded_and_can_still_be_had():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert {"mcp.server.lowlevel.server", "mcp.client", "mcp.types"} <= set(told["loaded"])
    assert not {"mcp.server.mcpserver", "mcp.client.client", "httpx2", "cryptography"} & set(told["loaded"])
    assert told["tool"] == {"name": "x", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    assert "inputSchema" in told["fault"]
    assert told["names"] == ["Client", "ClientSession"]
    assert told["same"]
