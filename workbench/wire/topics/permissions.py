"""What a person asks of their rules, their trust in servers, and the bounds of runs. No agent's door has these."""

from __future__ import annotations

from typing import Protocol

from workbench.records import JsonValue, Permission, Permissions, Profiles, Tool, ToolBits


class PermissionQuestions(Protocol):
    """Rules, trust, profiles."""

    async def permissions(self) -> Permissions: ...

    async def set_permission(self, rule: Permission) -> Permission:
        """Keep a rule about a server, a tool or arguments; with the id of one that is there, in its place. Its sentence
        and what it is bound to are filled in here."""

    async def revoke_permission(self, rule_id: str) -> Permissions: ...

    async def restore_permission(self, rule_id: str) -> Permissions:
        """Bring back a rule that was revoked since the core began, exactly as it was."""

    async def suggest_permissions(self, server: str, tool: str, arguments: JsonValue) -> tuple[Permission, ...]:
        """Rules that would have allowed this call, the narrowest first; nothing is kept."""

    async def trust_server(self, server: str, yes: bool) -> Permissions:
        """Whether the hints of its tools are believed, as long as its entry stays as it is."""

    async def set_bits(self, server: str, tool: str, bits: ToolBits) -> Tool:
        """A person's word about one tool in place of its hints and of guesses; None takes one back."""

    async def renew_permissions(self) -> Permissions:
        """Begin a new list where the old one cannot be read."""

    async def profiles(self) -> Profiles: ...

    async def accept_profile(self, sha: str) -> Profiles:
        """Let count a profile of the bench that allows more than its base, exactly as it stands there now."""

    async def withdraw_profile(self, sha: str) -> Profiles: ...
