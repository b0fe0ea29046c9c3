"""What restoring would give to a server, in the words a person decides by: "2 e-mails of crm go to mail.send"."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.privacy.detectors.kinds import plural

HERE = "this session"  # where a value came from that no server supplied


class Restoration(Struct, frozen=True):
    """How many values of one kind and origin a call would give to a server."""

    kind: str
    count: int
    source: str
    server: str
    foreign: bool  # the server that would get them did not supply them
    tool: str = ""  # of that server, where it is known
    tokens: tuple[str, ...] = ()  # what stands for them, each in one spelling: `EMAIL_1.K7Q2`

    def __str__(self) -> str:
        place = f"{self.server}.{self.tool}" if self.tool else self.server
        return f"{plural(self.kind, self.count)} of {self.source} {'goes' if self.count == 1 else 'go'} to {place}"


def refusal(foreign: Sequence[Restoration]) -> WorkbenchError:
    """Why these values are not restored, and who may change that."""
    words = "; ".join(map(str, foreign))
    hint = "Without a person's word, data is restored only for the server that supplied it."
    return WorkbenchError(f"{words}.", hint)
