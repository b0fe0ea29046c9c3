"""A keyring of the tests' own, in memory, that can be told to hang or to refuse."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError


class PaperRing(KeyringBackend):
    """Keeps passwords in a dict."""

    priority = 0.1  # type: ignore[assignment]  # never chosen by itself

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[tuple[str, str], str] = {}
        self.go = threading.Event()
        self.go.set()
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self._answer()
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._answer()
        self.held[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._answer()
        if self.held.pop((service, username), None) is None:
            raise PasswordDeleteError("No such password!")

    def _answer(self) -> None:
        self.go.wait(60)
        if self.locked:
            raise KeyringLocked("Failed to unlock the collection!")


@pytest.fixture
def ring() -> Iterator[PaperRing]:
    before = keyring.get_keyring()
    made = PaperRing()
    keyring.set_keyring(made)
    yield made
    made.go.set()
    keyring.set_keyring(before)
