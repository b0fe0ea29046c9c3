"""What restoring would give to a server, in the words a person decides by: "2 e-mails of crm would go to mail"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.privacy.kinds import plural

HERE = "this session"  # where a value came from that no server supplied


@dataclass(frozen=True, slots=True)
class Restoration:
    """How many values of one kind and origin a call would give to a server."""

    kind: str
    count: int
    source: str
    server: str
    foreign: bool  # the server that would get them did not supply them

    def __str__(self) -> str:
        return f"{plural(self.kind, self.count)} of {self.source} would go to {self.server}"


def refusal(foreign: Sequence[Restoration]) -> WorkbenchError:
    """Why these values are not restored, and who may change that."""
    words = "; ".join(map(str, foreign))
    hint = "Data is restored only for the server that supplied it; a person may allow more."
    return WorkbenchError(f"{words}.", hint)
