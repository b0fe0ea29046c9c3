"""A sign-in at a remote server, step by step, as people read it; secrets in it are masked."""

from __future__ import annotations

from msgspec import Struct

from workbench.records.ground import Fault


class SignInStep(Struct, frozen=True):
    """One thing that was asked or done, and what came of it."""

    title: str
    ok: bool
    sentence: str  # what it means
    method: str = ""  # empty: nothing was asked of anybody
    url: str = ""
    status: int = 0  # of HTTP; 0: no answer
    sent: str = ""
    received: str = ""
    ms: float = 0.0


class SignIn(Struct, frozen=True):
    """The last sign-in at a server, under way or over."""

    server: str
    state: str = ""  # "", asking, waiting (for the person in the browser), done, failed, cancelled
    url: str = ""  # while waiting: the page to open
    host: str = ""  # whose page that is
    steps: tuple[SignInStep, ...] = ()
    fault: Fault | None = None
    stored: bool = False  # tokens of it are kept
    scope: str = ""  # what was granted
    expires: float = 0.0  # when the access token ends; 0: not told
