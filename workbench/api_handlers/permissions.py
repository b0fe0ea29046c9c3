"""API methods about what the user allows: settings, rules, trust in servers, run profiles, hosts. All are audited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from workbench.api.marker import api
from workbench.api_handlers.request_handler import RequestHandler
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import NetworkChanged, PermissionsChanged, SettingsChanged
from workbench.permissions.client_rules import HOOK
from workbench.permissions.server_packages import package_of
from workbench.permissions.tool_groups import DOES
from workbench.permissions.trust_questions import trust_question
from workbench.permissions.workspace_files import FILES
from workbench.records import (
    Fault,
    HostRule,
    JsonValue,
    NetworkRules,
    Permission,
    Permissions,
    Profiles,
    SettingValue,
    Tool,
    ToolGroup,
    TrustQuestion,
    UserAnnotations,
)
from workbench.runs.run_manager import RunManager
from workbench.settings import (
    OLD_NAMES,
    Settings,
    change,
    definition_of,
    explain,
    project_maximum,
    read,
    remove,
    write,
)


class SettingsHandler(RequestHandler):
    """Reads and changes the settings of the user and of the project. `notices`: faults that the core found in files."""

    def __init__(self, services: Services, notices: Callable[[], Sequence[Fault]]) -> None:
        super().__init__(services)
        self._notices = notices

    @api
    async def settings(self) -> Settings:
        """The current settings."""
        return self._services.settings()

    @api
    async def setting_values(self) -> tuple[SettingValue, ...]:
        """Every setting with its value in force, where it comes from, and what each file says about it."""
        paths, current = self._services.paths, self._services.settings()
        notices = self._notices()
        return await asyncio.to_thread(explain, paths.project_settings, paths.user_settings, current, notices)

    @api(decides=True, consent=True)
    async def change_setting(self, name: str, value: JsonValue, scope: str = "user") -> Settings:
        """Write a setting into the user's file or, if `scope` is "project", into the project's `workbench.toml`; apply
        it at once and note it in the audit."""
        name = OLD_NAMES.get(name, name)
        change(self._services.settings(), name, value)  # raises if the value is not valid
        write(self._settings_file(name, scope, value), name, value)
        shown = definition_of(name).describe(value)
        return self._apply_file(name, f"You set {name} to {shown}{' for this project' * (scope == 'project')}")

    @api(decides=True, consent=True)
    async def reset_setting(self, name: str, scope: str = "user") -> Settings:
        """Remove a setting from the user's file, or from the project's, so that its value comes from elsewhere."""
        name = OLD_NAMES.get(name, name)
        definition_of(name)  # raises if there is no such setting
        remove(self._settings_file(name, scope), name)
        return self._apply_file(name, f"You reset {name}{' for this project' * (scope == 'project')}")

    def _settings_file(self, name: str, scope: str, value: JsonValue = None) -> Path:
        """The file of a scope. Raises a `WorkbenchError` if the project cannot set this value; None resets it."""
        definition, paths = definition_of(name), self._services.paths
        if scope == "user":
            return paths.user_settings
        if scope != "project":
            raise WorkbenchError(f"There is no scope {scope}.", "Use user or project.")
        if definition.user_only and value is not None:
            raise WorkbenchError(f"A project cannot set {name}.", "Set it in your own settings.")
        if definition.limit and value is not None:
            highest = project_maximum(definition, self._services.settings().run_project_limit_factor)
            if value > highest:
                raise WorkbenchError(
                    f"A project can set {name} to at most {highest:,}.",
                    "Set it in your own settings, or raise run.project_limit_factor.",
                )
        return paths.project_settings

    def _apply_file(self, name: str, summary: str) -> Settings:
        """Apply what the files now say about one setting."""
        paths, field = self._services.paths, definition_of(name).field
        together = read(paths.project_settings, paths.user_settings).settings
        changed = replace(self._services.settings(), **{field: getattr(together, field)})
        self._services.settings.set(changed)
        self._note("setting.changed", summary)
        self._services.tell(SettingsChanged((name,)))
        return changed


_NOT_SAID = ("key", "entry")  # fields of UserAnnotations that identify the tool


class PermissionsHandler(RequestHandler):
    """Rules, trust in servers and run profiles. Agents cannot call these methods."""

    def __init__(self, services: Services, run_manager: RunManager) -> None:
        super().__init__(services)
        self._run_manager = run_manager

    @api
    async def permissions(self) -> Permissions:
        return self._services.rules.view(self._catalog.tools())

    @api(decides=True, consent=True)
    async def set_permission(self, rule: Permission) -> Permission:
        """Store a rule about a server, a tool or arguments; a rule with an existing id replaces that rule. Its
        sentence and the fingerprints that it is bound to are filled in by the core."""
        serverless = rule.kind in (HOOK, FILES)  # about a client's own calls, or files of the workspace
        made = self._services.rules.set_rule(rule, None) if serverless else self._set_server_rule(rule)
        self._note("rule.set", f"You set a rule: {made.label}", server=made.server)
        self._publish_rules()
        return made

    def _set_server_rule(self, rule: Permission) -> Permission:
        self._catalog.server(rule.server)  # raises if there is no such server
        tool = self._catalog.tool(rule.server, rule.tool) if rule.tool and rule.kind != "server" else None
        return self._services.rules.set_rule(replace(rule, tool=tool.name if tool else ""), tool)

    @api(decides=True, consent=True)
    async def revoke_permission(self, rule_id: str) -> Permissions:
        gone = self._services.rules.revoke(rule_id)
        self._note("rule.revoked", f"You revoked a rule: {gone.label or gone.id}", server=gone.server)
        return self._publish_rules()

    @api(decides=True, consent=True)
    async def restore_permission(self, rule_id: str) -> Permissions:
        """Restore a rule that was revoked since the core started, exactly as it was."""
        back = self._services.rules.restore(rule_id)
        self._note("rule.restored", f"You restored a rule: {back.label or back.id}", server=back.server)
        return self._publish_rules()

    @api
    async def trust_question(self, server: str) -> TrustQuestion:
        """The question what the annotations of a server are worth: what each of its tools does, by its own words and
        as far as we know, and which groups are proposed or decided to run without asking."""
        found = self._catalog.server(server)
        decision = self._services.rules.trust.decisions.get(found.name)
        package = package_of(found.state.config, self._services.paths.project)
        return trust_question(found.name, self._entry(found.name), package, tuple(found.tools.values()), decision)

    @api(decides=True, consent=True)
    async def decide_trust(self, server: str, sha: str, groups: tuple[ToolGroup, ...]) -> Permissions:
        """Decide what the annotations of a server are worth: programs that only use tools of these groups run without
        asking. `sha`: of the question that the user saw. Waiting programs that need no approval any more start."""
        if self._catalog.server(server).state.config.builtin:
            raise WorkbenchError(f"{server} is built in and always trusted.", "Choose one of your own servers.")
        terminal = self._check_terminal(of_agent=True)
        if (await self.trust_question(server)).sha != sha:
            raise WorkbenchError(f"The tools of {server} have changed since you looked.", "Look at the table again.")
        self._services.rules.decide_trust(server, groups, self._catalog.server(server).tools.values())
        words = ", ".join(DOES[group] for group in ToolGroup if group in groups)
        what = f"tools that {words} run without asking" if words else "every program that uses it asks"
        return await self._apply_trust("server.trusted", f"You decided about {server}: {what}", server, terminal)

    @api(decides=True)
    async def withdraw_trust(self, server: str) -> Permissions:
        """Forget what the user decided about the annotations of a server: they count no longer."""
        self._services.rules.withdraw_trust(server)
        return await self._apply_trust("server.trust_withdrawn", f"You withdrew your decision about {server}", server)

    @api(decides=True, consent=True)
    async def restore_trust(self, server: str) -> Permissions:
        """Restore a decision about a server that was withdrawn since the core started, exactly as it was."""
        self._services.rules.restore_trust(server)
        return await self._apply_trust("server.trusted", f"You restored your decision about {server}", server)

    async def _apply_trust(self, kind: str, summary: str, server: str, terminal: str = "") -> Permissions:
        self._catalog.weigh_again(server)
        self._note(kind, summary, server=server, terminal=terminal)
        found = self._publish_rules()
        await self._run_manager.apply_trust(server)
        return found

    @api(decides=True, consent=True)
    async def set_annotations(self, server: str, tool: str, bits: UserAnnotations) -> Tool:
        """Set the user's own annotations of one tool, which replace those of its server and guesses; None removes
        them."""
        found = self._catalog.tool(server, tool)
        self._services.rules.set_annotations(found, bits)
        self._catalog.weigh_again(server)
        said = [name for name in bits.__struct_fields__ if name not in _NOT_SAID and getattr(bits, name) is not None]
        words = ", ".join(f"{name} {'yes' if getattr(bits, name) else 'no'}" for name in said) or "none"
        summary = f"You set the annotations of {server}.{found.name}: {words}"
        self._note("tool.annotation_changed", summary, server=server)
        self._publish_rules()
        return self._catalog.tool(server, found.name)

    @api(decides=True, consent=True)
    async def renew_permissions(self) -> Permissions:
        """Start an empty list of rules if the stored one cannot be read."""
        self._services.rules.replace_damaged_file()
        self._catalog.weigh_again()
        self._note("rule.list_reset", "You started a new, empty list of rules")
        return self._publish_rules()

    @api(decides=True, consent=True)
    async def accept_profile(self, sha: str) -> Profiles:
        """Accept a profile of the project that allows more than its base, exactly as it is now."""
        found = self._services.run_profiles.accept(sha)
        self._note("profile.accepted", f"You accepted the profile {found.name} of the project: {found.sentence}")
        return self._services.run_profiles.profiles()

    @api(decides=True)
    async def withdraw_profile(self, sha: str) -> Profiles:
        self._services.run_profiles.withdraw(sha)
        self._note("profile.withdrawn", "You withdrew your approval of a profile of the project")
        return self._services.run_profiles.profiles()

    def _publish_rules(self) -> Permissions:
        found = self._services.rules.view(self._catalog.tools())
        self._services.tell(PermissionsChanged(found))
        return found


class NetworkHandler(RequestHandler):
    """Rules for hosts: the user's own, and those that a project suggests."""

    @api(decides=True, consent=True)
    async def add_host(self, domain: str, ports: tuple[int, ...], protocols: tuple[str, ...]) -> NetworkRules:
        """Add a rule of the user; without ports, the usual ports of its protocols apply."""
        rule = self._services.network.add(domain, ports, protocols)
        return self._note_host_change("network.allowed", "You allowed programs to reach {}", rule)

    @api(decides=True)
    async def remove_host(self, sha: str) -> NetworkRules:
        words = "You no longer allow programs to reach {}"
        return self._change_host_rule(self._services.network.remove, sha, "network.removed", words)

    @api(decides=True, consent=True)
    async def accept_host(self, sha: str) -> NetworkRules:
        """Accept a rule that the project suggests, exactly as it is now."""
        return self._change_host_rule(
            self._services.network.accept, sha, "network.accepted", "You accepted the project's network rule for {}"
        )

    @api(decides=True)
    async def withdraw_host(self, sha: str) -> NetworkRules:
        words = "You withdrew your approval of the project's network rule for {}"
        return self._change_host_rule(self._services.network.withdraw, sha, "network.withdrawn", words)

    def _change_host_rule(self, deed: Callable[[str], HostRule], sha: str, kind: str, words: str) -> NetworkRules:
        return self._note_host_change(kind, words, deed(sha))

    def _note_host_change(self, kind: str, words: str, rule: HostRule) -> NetworkRules:
        ports, protocols = ", ".join(map(str, rule.ports)), ", ".join(rule.protocols)
        self._note(kind, words.format(f"{rule.domain} (ports {ports}; {protocols})"))
        rules = self._services.network.rules()
        self._services.tell(NetworkChanged(rules))
        return rules
