"""One hash over everything an answer is about: the text, its limits, the servers it reaches and their definitions.

It is shown to the person, and computed again when the program starts: a server that is another one by then, or a tool
whose definition changed while the question was open, makes it another one, and the program does not run.
"""

from __future__ import annotations

import hashlib
import json

from msgspec.structs import astuple

from workbench.analysis.used_skills import MARK
from workbench.errors import WorkbenchError
from workbench.records import Limits, Proposal, Verdict
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.server_catalog import ServerCatalog


def approval_fingerprint(proposal: Proposal, verdict: Verdict, catalog: ServerCatalog, most: Limits) -> str:
    """Over the text, the limits it would run under, and what the names in it mean right now."""
    tools = sorted({(use.server, use.tool) for use in verdict.tools})
    skills = [pair for pair in sorted(verdict.definitions.items()) if pair[0].startswith(MARK)]
    wished = [proposal.language, proposal.state, float(proposal.seconds), proposal.profile, sorted(proposal.required)]
    limits = [*wished, *astuple(most)]
    definitions = [[server, tool, _definition(server, tool, catalog)] for server, tool in tools]
    parts = [proposal.sha, limits, servers_behind(verdict, catalog), definitions, skills]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def servers_behind(verdict: Verdict, catalog: ServerCatalog) -> list[tuple[str, str]]:
    """The servers whose tools a program names, each with the fingerprint of its entry."""
    named = {use.server for use in verdict.tools}
    configs = [state.config for state in catalog.states()]
    return sorted((config.name, fingerprint(config)) for config in configs if config.name in named)


def _definition(server: str, tool: str, catalog: ServerCatalog) -> str:
    try:
        return catalog.tool(server, tool).hash
    except WorkbenchError:
        return ""
