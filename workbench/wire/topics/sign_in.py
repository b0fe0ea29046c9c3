"""What a person asks of signing in at remote servers."""

from __future__ import annotations

from typing import Protocol

from workbench.records import SignIn


class SignInQuestions(Protocol):
    """Sign-ins by OAuth; tokens never travel."""

    async def sign_in(self, server: str) -> SignIn:
        """Begin one, and answer when it is over. `SignInWanted` tells the page to open."""

    async def cancel_sign_in(self, server: str) -> SignIn: ...

    async def bring_sign_in(self, server: str, address: str) -> None:
        """The address at which a browser ended that could not reach this machine."""

    async def sign_out(self, server: str) -> SignIn:
        """Forget the tokens and the registration, and end the connection."""

    async def sign_in_report(self, server: str) -> SignIn:
        """The last sign-in, step by step, and what is kept of it."""
