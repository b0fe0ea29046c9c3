"""Fake core: rules, trust and profiles, answered by the real classes in a temporary folder."""

from __future__ import annotations

import functools
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

from workbench.permissions.rules import Rules
from workbench.permissions.run_profiles import RunProfiles
from workbench.permissions.tool_annotations import effective_tool
from workbench.records import JsonValue, Permission, Permissions, Profiles, Tool, UserAnnotations


class PaperTrust:
    """Changes apply at once, as in the core."""

    tool: Any  # another part of the paper project

    @functools.cached_property
    def trust_folder(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="paper-trust-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    @functools.cached_property
    def rooms_rules(self) -> Rules:
        return Rules(self.trust_folder / "permissions.json", self.trust_folder / "workspace", lambda server: server)

    @functools.cached_property
    def rooms_bounds(self) -> RunProfiles:
        names = ("workbench.toml", "settings.toml", "yes.json")
        return RunProfiles(*(self.trust_folder / name for name in names), lambda: "write_restricted")

    async def permissions(self) -> Permissions:
        return self.rooms_rules.view()

    async def set_permission(self, rule: Permission) -> Permission:
        return self.rooms_rules.set_rule(
            rule, await self.tool(rule.server, rule.tool) if rule.kind != "server" else None
        )

    async def revoke_permission(self, rule_id: str) -> Permissions:
        self.rooms_rules.revoke(rule_id)
        return self.rooms_rules.view()

    async def suggest_permissions(self, server: str, tool: str, arguments: JsonValue) -> tuple[Permission, ...]:
        return self.rooms_rules.proposals(await self.tool(server, tool), dict(arguments))

    async def trust_server(self, server: str, yes: bool) -> Permissions:
        self.rooms_rules.set_trust(server, yes)
        return self.rooms_rules.view()

    async def set_annotations(self, server: str, tool: str, bits: UserAnnotations) -> Tool:
        found: Tool = await self.tool(server, tool)
        self.rooms_rules.set_annotations(found, bits)
        return effective_tool(found, self.rooms_rules.trust)

    async def renew_permissions(self) -> Permissions:
        self.rooms_rules.replace_damaged_file()
        return self.rooms_rules.view()

    async def profiles(self) -> Profiles:
        return self.rooms_bounds.profiles()

    async def accept_profile(self, sha: str) -> Profiles:
        self.rooms_bounds.accept(sha)
        return self.rooms_bounds.profiles()

    async def withdraw_profile(self, sha: str) -> Profiles:
        self.rooms_bounds.withdraw(sha)
        return self.rooms_bounds.profiles()
