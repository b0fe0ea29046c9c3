"""What an agent says of itself when it connects: its program, and its model if it tells that.

The protocol has no word for the model. A client may tell it among its experimental capabilities or extensions as
`{"model": {"name": …, "version": …}}`; nobody else is asked, and nothing is guessed from a name.
"""

from __future__ import annotations

from collections.abc import Mapping

import mcp.types as T

from workbench.agent.shown_agent_names import shortened

LONGEST = 80  # characters


def declared(params: T.InitializeRequestParams) -> dict[str, str]:
    """Claims of the client, for the audit."""
    client = params.client_info
    words = {"client": shortened(client.name, LONGEST), "client_version": shortened(client.version, LONGEST)}
    name, version = _model(params.capabilities)
    return words | ({"model": name} if name else {}) | ({"model_version": version} if version else {})


def _model(capabilities: T.ClientCapabilities) -> tuple[str, str]:
    for told in (capabilities.experimental, capabilities.extensions):
        model = told.get("model") if isinstance(told, Mapping) else None
        if isinstance(model, Mapping):
            return _word(model.get("name")), _word(model.get("version"))
    return "", ""


def _word(value: object) -> str:
    return shortened(value, LONGEST) if isinstance(value, str) else ""
