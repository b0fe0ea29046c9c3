"""The agent's tools are few, described well, and cheap to load."""

from __future__ import annotations

import jsonschema

from workbench.agent.tool_definitions import INSTRUCTIONS, TOOLS, encode_definition
from workbench.tokens import count


def test_all_definitions_together_cost_a_model_less_than_they_may():
    assert sum(count(encode_definition(tool)) for tool in TOOLS) + count(INSTRUCTIONS) < 1_400


def test_every_schema_is_a_schema_and_every_argument_is_described():
    for tool in TOOLS:
        jsonschema.Draft202012Validator.check_schema(tool.schema)
        assert tool.description
        for name, argument in tool.schema["properties"].items():
            assert argument.get("description"), f"{tool.name}.{name}"
