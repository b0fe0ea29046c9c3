"""How a person reviews, on paper: edits that are judged, texts that are cleaned, figures about decisions."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from workbench.events import PermissionsChanged
from workbench.records import Gate, Permission, Permissions, ReviewFigures, Risk, Verdict


class PaperReview:
    """Answers what the approval dialog and the audit ask beside the decision itself."""

    figures = ReviewFigures()
    edit_verdict = Verdict("c" * 64, Risk.LOW, Gate.AUTO, "Only computes.")
    allowed: Permissions | None = None  # rules of a test's own, in place of those that PaperTrust keeps
    revoked: Permission
    note: Any  # PaperQuestions has it
    bus: Any

    async def assess_edit(self, run_id: str, code: str) -> Verdict:
        self.note("assess_edit", code)
        return self.edit_verdict

    async def sarif(self, names: tuple[str, ...], verdicts: tuple[Verdict, ...]) -> str:
        self.note("sarif", names)
        return '{"runs": []}'

    async def clean_code(self, code: str) -> str:
        return code.replace("\u202e", "")

    async def review_figures(self) -> ReviewFigures:
        return self.figures

    def allow(self, permissions: Permissions) -> None:
        """These are all rules from now on."""
        self.allowed = permissions
        self.bus.tell(PermissionsChanged(permissions))

    async def permissions(self) -> Permissions:
        if self.allowed is None:
            found: Permissions = await super().permissions()  # type: ignore[misc]  # PaperTrust's
            return found
        return self.allowed

    async def revoke_permission(self, rule_id: str) -> Permissions:
        if self.allowed is None:
            found: Permissions = await super().revoke_permission(rule_id)  # type: ignore[misc]  # PaperTrust's
            return found
        self.note("revoke_permission", rule_id)
        self.revoked = next(rule for rule in self.allowed.rules if rule.id == rule_id)
        self.allow(replace(self.allowed, rules=tuple(rule for rule in self.allowed.rules if rule.id != rule_id)))
        return self.allowed

    async def restore_permission(self, rule_id: str) -> Permissions:
        self.note("restore_permission", rule_id)
        if self.allowed is not None:
            self.allow(replace(self.allowed, rules=(*self.allowed.rules, self.revoked)))
        return await self.permissions()

    async def trust_server(self, server: str, yes: bool) -> Permissions:
        if self.allowed is None:
            found: Permissions = await super().trust_server(server, yes)  # type: ignore[misc]  # PaperTrust's
            return found
        self.note("trust_server", server, yes)
        servers = {*self.allowed.trust.believed, server} if yes else {*self.allowed.trust.believed} - {server}
        self.allow(replace(self.allowed, trust=replace(self.allowed.trust, believed=tuple(sorted(servers)))))
        return self.allowed

    async def stderr(self, server: str) -> tuple[str, ...]:
        return ("npm ERR! 404 Not Found", "npm ERR! @acme/files is not in this registry.")
