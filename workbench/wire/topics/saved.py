"""What a person asks of the calls that are files in the bench."""

from __future__ import annotations

from typing import Protocol

from workbench.records import CheckResult, JsonObject, Outcome, SavedCall, SavedCalls


class SavedQuestions(Protocol):
    """Saved calls: keep, change, check; and a call in other words."""

    async def saved_calls(self) -> SavedCalls: ...

    async def save_call(self, call: SavedCall, instead_of: str) -> SavedCall:
        """Write a call into the bench, without what its tool's schema marks as secret. `instead_of` names the file it
        came from; empty for a new one, which replaces none."""

    async def remove_saved(self, file: str) -> str:
        """Take a file away; answers with its text, so that it can be put back."""

    async def restore_saved(self, file: str, text: str) -> None: ...

    async def check_saved(self, file: str, confirmed: bool, attended: bool = False) -> CheckResult:
        """Make the call and hold its answer to what is expected."""

    async def expect_this(self, call: SavedCall, outcome: Outcome, whole: bool) -> SavedCall:
        """The call with expectations made from an answer; with `whole`, the answer itself is kept and expected."""

    async def call_in_words(self, form: str, server: str, tool: str, arguments: JsonObject) -> str:
        """The call as text to copy: `json-rpc`, `curl` or `command`."""
