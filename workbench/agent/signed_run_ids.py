"""Signed ids of runs, which only the agent that was told them has."""

from __future__ import annotations

import base64
import hashlib
import hmac
from pathlib import Path
from typing import Final

from workbench.agent.http.access_token import token

LONGEST_ID: Final = 200  # characters
_SIGNATURE: Final = 18  # bytes


class SignedRunIds:
    """Ids of runs with a signature, made with a key of the project. They serve as ids of tasks, and as ids under which
    an agent finds its runs after a reconnection: nobody else was told them."""

    def __init__(self, key_file: Path) -> None:
        self._key_file = key_file
        self._key = b""

    def id_of(self, run_id: str) -> str:
        """Return the signed id of a run."""
        return f"{run_id}.{self._signature(run_id)}"

    def run_of(self, signed_id: str) -> str:
        """Return the run of a signed id; empty if the id was not made by this project."""
        run_id, _, signature = signed_id.partition(".")
        valid = hmac.compare_digest(signature.encode("utf-8", "replace"), self._signature(run_id).encode())
        return run_id if valid else ""

    def _signature(self, run_id: str) -> str:
        self._key = self._key or token(self._key_file, name="The key of task ids").encode()
        digest = hmac.digest(self._key, run_id.encode("utf-8", "replace"), hashlib.sha256)
        return base64.urlsafe_b64encode(digest[:_SIGNATURE]).decode("ascii")
