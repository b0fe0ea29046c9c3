"""API methods about hosts that programs may reach."""

from __future__ import annotations

from collections.abc import Callable

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.events import NetworkChanged
from workbench.records import HostRule, NetworkRules


class NetworkHandler(RequestHandler):
    """The user's own rules, and those that a project offers."""

    @api(decides=True, consent=True)
    async def add_host(self, domain: str, ports: tuple[int, ...], protocols: tuple[str, ...]) -> NetworkRules:
        """A rule of the person's own; without ports, those where the protocols are at home."""
        rule = self._services.network.add(domain, ports, protocols)
        return self._changed("network.allowed", "You opened {} for programs", rule)

    @api(decides=True)
    async def remove_host(self, sha: str) -> NetworkRules:
        return self._done(self._services.network.remove, sha, "network.removed", "You closed {} for programs")

    @api(decides=True, consent=True)
    async def accept_host(self, sha: str) -> NetworkRules:
        """Let count what the project offers, exactly as it stands there now."""
        return self._done(
            self._services.network.accept, sha, "network.accepted", "You accepted {}, which the project offers"
        )

    @api(decides=True)
    async def withdraw_host(self, sha: str) -> NetworkRules:
        words = "You took back your yes to {}, which the project offers"
        return self._done(self._services.network.withdraw, sha, "network.withdrawn", words)

    def _done(self, deed: Callable[[str], HostRule], sha: str, kind: str, words: str) -> NetworkRules:
        return self._changed(kind, words, deed(sha))

    def _changed(self, kind: str, words: str, rule: HostRule) -> NetworkRules:
        ports, protocols = ", ".join(map(str, rule.ports)), ", ".join(rule.protocols)
        self._note(kind, words.format(f"{rule.domain} (ports {ports}; {protocols})"))
        rules = self._services.network.rules()
        self._services.tell(NetworkChanged(rules))
        return rules
