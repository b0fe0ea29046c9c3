"""What the audit keeps of a run beside its text and its answer, so that a report can say on what grounds it ran."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Mapping
from functools import cache

from workbench.records import Run, Verdict

MOST = 100  # flows, definitions and observations of one run that are kept
Mask = Callable[[str], str]


@cache
def person() -> str:
    """The user of this machine whose core this is."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no name in the environment, and none in the list of users
        return ""


def grounds(verdict: Verdict, mask: Mask) -> dict[str, object]:
    """What was judged beside the text: the tools' definitions, the profile, and where data would go."""
    profile, flows = verdict.profile, verdict.flows[:MOST]
    return {
        "definitions": dict(list(verdict.definitions.items())[:MOST]),
        "profile": profile.name if profile else "",
        "profile_sha": profile.sha if profile else "",
        "flows": [f"{flow.kind}: {mask(flow.source)} → {mask(flow.sink)}" for flow in flows],
    }


def outcome(run: Run, mask: Mask, made: Mapping[str, int]) -> dict[str, object]:
    """What it did beside what was foretold, what its session had read, and for how many values tokens were made."""
    seen = [
        {"kind": one.kind, "subject": mask(one.subject), "predicted": one.predicted, "times": one.times,
         "refused": one.refused}
        for one in run.observed[:MOST]
    ]  # fmt: skip
    return {"observed": seen, "read": list(run.read), "tokens_made": dict(made)}
