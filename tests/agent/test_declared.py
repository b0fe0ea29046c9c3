"""What an agent says of itself and of its model, and nothing that it does not say."""

from __future__ import annotations

import mcp.types as T
import pytest

from workbench.agent.protocol_identity import claimed_identity


def hello(**capabilities: object) -> T.InitializeRequestParams:
    return T.InitializeRequestParams(
        protocol_version="2025-06-18",
        capabilities=T.ClientCapabilities(**capabilities),
        client_info=T.Implementation(name="claude\ncode", version="2.1"),
    )


@pytest.mark.parametrize(
    ("given", "model"),
    [
        ({}, {}),
        ({"experimental": {"model": {"name": "opus", "version": "4.5"}}}, {"model": "opus", "model_version": "4.5"}),
        ({"extensions": {"model": {"name": "sonnet"}}}, {"model": "sonnet"}),
        ({"experimental": {"model": {"name": 7}}}, {}),
    ],
)
def test_a_model_is_named_only_where_the_client_names_it(given, model):
    assert claimed_identity(hello(**given)) == {"client": "claude code", "client_version": "2.1"} | model
