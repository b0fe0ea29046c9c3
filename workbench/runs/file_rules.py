"""Answers whether a rule of the user lets a program write one data file of the workspace over an existing one."""

from __future__ import annotations

import os
from collections.abc import Sequence

from workbench.analysis.approval_gate import is_data
from workbench.broker.services import Services
from workbench.permissions import workspace_files
from workbench.permissions.provenance_rules import UNTRUSTED
from workbench.records import Permission

_WORKSPACE = "workspace/"


def has_read_untrusted(services: Services, session: str) -> bool:
    """Whether the session has read text that outsiders can write; an unknown session counts as having read some."""
    found = services.sessions.get(session)
    return found is None or UNTRUSTED in found.provenance.kinds


def find_file_rule(
    services: Services, path: str, session: str, more_rules: Sequence[Permission] = ()
) -> Permission | None:
    """Return the rule about files that covers this path, such as workspace/reports/a.csv. After text of outsiders was
    read, none does: it may say what shall stand in the file. Follows links: may block briefly."""
    if services.rules.trust.lost or not path.startswith(_WORKSPACE) or not is_data(path.removeprefix(_WORKSPACE)):
        return None
    if has_read_untrusted(services, session):
        return None
    rules = (*services.rules.find_rules(workspace_files.FILES, session), *more_rules)
    return workspace_files.find_rule(rules, path, os.path.realpath(services.paths.workspace))
