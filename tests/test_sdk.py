"""The SDK, loaded for one agent: nothing of it is missing, and much of it is not there yet."""

from __future__ import annotations

import json
import subprocess
import sys
from types import ModuleType

import pydantic

from workbench.sdk import _deferred

CODE = """
import json, sys
from workbench.sdk import load_sdk
load_sdk()
import workbench.agent.door, workbench.catalog.dispatch
from mcp.types import Tool
told = {"loaded": list(sys.modules), "built": Tool.__pydantic_complete__}
tool = {"name": "x", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
told["tool"] = Tool.model_validate(tool, by_name=False).model_dump(by_alias=True, exclude_unset=True)
told["late"] = Tool.__pydantic_complete__
try:
    Tool.model_validate({"name": 5})
except ValueError as fault:
    told["fault"] = str(fault)
import mcp
from mcp.server import Server
told["names"] = [name for name in ("Client", "ClientSession", "MCPServer") if hasattr(mcp, name)]
told["same"] = Server is sys.modules["mcp.server.lowlevel.server"].Server
load_sdk()
import pydantic
class Own(pydantic.BaseModel):
    one: int
told["own"] = Own.__pydantic_complete__
print(json.dumps(told))
"""


def test_what_is_not_used_is_not_loaded_and_can_still_be_had():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert {"mcp.server.lowlevel.server", "mcp.client", "mcp.types"} <= set(told["loaded"])
    assert not {"mcp.server.mcpserver", "mcp.client.client", "httpx2", "cryptography"} & set(told["loaded"])
    assert (told["built"], told["late"], told["own"]) == (False, True, True)
    assert told["tool"] == {"name": "x", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    assert "inputSchema" in told["fault"]
    assert told["names"] == ["Client", "ClientSession"]
    assert told["same"]


def test_where_pydantic_keeps_its_defaults_elsewhere_all_is_built_at_once(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic._internal._config", ModuleType("other"))
    make = pydantic.TypeAdapter.__init__
    with _deferred():
        assert pydantic.TypeAdapter.__init__ is not make
    assert pydantic.TypeAdapter.__init__ is make
