"""All file paths of the workbench. One environment variable moves all of them for tests."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

OVERRIDE = "MCP_WORKBENCH_HOME"  # when set, everything that is not in the project lives below this folder
APP = "mcp-workbench"
SESSIONS = "/run/user"  # per-user runtime folders on Linux


@dataclass(frozen=True, slots=True)
class Paths:
    """Paths of one project and of its private state. Reading a path creates nothing on disk."""

    project: Path  # can be shared with a team through git
    state: Path  # audit, consents, drafts: private to the user, never shared
    cache: Path  # can be deleted at any time
    runtime: Path  # sockets and the lock

    @property
    def servers_file(self) -> Path:
        return self.project / ".mcp.json"

    @property
    def project_settings(self) -> Path:
        return self.project / "workbench.toml"

    @property
    def user_settings(self) -> Path:
        return config_folder() / "settings.toml"

    @property
    def terminal_pin(self) -> Path:
        return config_folder() / "terminal-pin.json"  # hash of the PIN for answers in a terminal

    @property
    def privacy_marks(self) -> Path:
        return config_folder() / "privacy.toml"  # separate from the settings because it contains personal values

    @property
    def project_privacy_marks(self) -> Path:
        """The user's marks for this project, outside of the project, which must not change what is masked."""
        return self.state / "privacy.toml"

    @property
    def skills(self) -> Path:
        return self.project / "skills"

    @property
    def workspace(self) -> Path:
        return self.project / "workspace"

    @property
    def audit(self) -> Path:
        return self.state / "audit.sqlite"

    @property
    def audit_index(self) -> Path:
        return self.cache / "audit-index.sqlite"  # rebuilt from the audit when missing

    @property
    def undo(self) -> Path:
        """File contents from before runs changed them."""
        return self.state / "undo"

    @property
    def vault_values(self) -> Path:
        return self.state / "values"  # sealed values of PII tokens, if the user chose to keep them on disk

    @property
    def history(self) -> Path:
        return self.state / "history.sqlite"

    @property
    def consents(self) -> Path:
        return self.state / "allowed.json"

    @property
    def network(self) -> Path:
        return self.state / "network.json"

    @property
    def permissions(self) -> Path:
        return self.state / "permissions.json"

    @property
    def agents(self) -> Path:
        # the kinds of text that each agent has read, keyed by a hash of the agent's name
        return self.state / "agents.json"

    @property
    def agent_token(self) -> Path:
        return self.state / "agent.token"  # the access token of the HTTP endpoint

    @property
    def review_devices(self) -> Path:
        return self.state / "review-devices.json"  # devices that are paired with the review page

    @property
    def task_key(self) -> Path:
        return self.state / "task.key"  # signs the ids of MCP tasks

    @property
    def waiting_requests(self) -> Path:
        return self.state / "waiting"  # programs that wait for approval, to be shown again after a restart of the core

    @property
    def profiles(self) -> Path:
        return self.state / "profiles.json"  # consents to profiles of projects

    @property
    def definition_pins(self) -> Path:
        return self.state / "pins"

    @property
    def search_lessons(self) -> Path:
        return self.state / "lessons.jsonl"

    @property
    def definition_history(self) -> Path:
        return self.state / "moments"

    @property
    def drafts(self) -> Path:
        return self.state / "drafts"

    @property
    def editor(self) -> Path:
        return self.state / "editor"  # separate from the drafts, where every folder is a skill

    @property
    def window_session(self) -> Path:
        return self.state / "window-session.json"  # form contents, the open tool, the expanded servers

    @property
    def catalogue(self) -> Path:
        return self.cache / "catalogue"

    @property
    def replays(self) -> Path:
        return self.cache / "replays"  # empty workspaces for replayed recordings

    @property
    def workspace_copies(self) -> Path:
        return self.state / "stages"  # workspace copies for programs without approval

    @property
    def held_files(self) -> Path:
        return self.state / "held"  # changes made by such programs, until the user decides

    @property
    def completion_hints(self) -> Path:
        return self.cache / "hints"  # completion data about the library

    @property
    def embeddings(self) -> Path:
        return self.cache / "meanings.sqlite"

    @property
    def generated_packages(self) -> Path:
        return self.cache / "generated"

    @property
    def window(self) -> Path:
        return self.state / "window.ini"

    @property
    def core_log(self) -> Path:
        return self.state / "core.log"

    @property
    def lock(self) -> Path:
        return self.runtime / "core.lock"

    @property
    def user_socket(self) -> Path:
        return self.runtime / "person.sock"

    @property
    def agent_socket(self) -> Path:
        return self.runtime / "agent.sock"

    @property
    def hook_socket(self) -> Path:
        """Where the hook programs of other clients ask."""
        return self.runtime / "hook.sock"


def paths_of(project: Path | None = None) -> Paths:
    """The paths of a project, or of the user's default project in the data folder."""
    root = (project or default_project()).expanduser().resolve()
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:12]
    return Paths(
        project=root,
        state=_folder("XDG_STATE_HOME", ".local/state", "state") / name,
        cache=_folder("XDG_CACHE_HOME", ".cache", "cache") / name,
        runtime=runtime_folder() / name,
    )


def default_project() -> Path:
    """The user's own project, which opens when no folder is given. Version 0.1 called its folder `bench`."""
    data = _folder("XDG_DATA_HOME", ".local/share", "data")
    return data / "bench" if (data / "bench").is_dir() else data / "project"


def images_folder() -> Path:
    """Images built for containers and virtual machines, shared by all projects of the user."""
    return _folder("XDG_DATA_HOME", ".local/share", "data") / "images"


def models_folder() -> Path:
    """Models built for search, shared by all projects of the user."""
    return _folder("XDG_DATA_HOME", ".local/share", "data") / "models"


def config_folder() -> Path:
    return _folder("XDG_CONFIG_HOME", ".config", "config")


def runtime_folder() -> Path:
    """The folder of the sockets, independent of the environment.

    MCP clients start servers without XDG_RUNTIME_DIR; with a path from the environment, an agent and a window would
    start two cores. Socket paths are limited to about 100 bytes, so a long override falls back to the temporary folder.
    """
    override = os.environ.get(OVERRIDE)
    if override:
        wished = Path(override) / "run"
        if len(os.fsencode(wished)) <= 70:
            return wished
        short = hashlib.sha256(os.fsencode(wished)).hexdigest()[:10]
        return Path(tempfile.gettempdir()) / f"{APP}-{os.getuid()}-{short}"
    for folder in (Path(SESSIONS) / str(os.getuid()), os.environ.get("XDG_RUNTIME_DIR")):
        if folder and os.path.isdir(folder) and os.access(folder, os.W_OK):
            return Path(folder) / APP
    return Path(tempfile.gettempdir()) / f"{APP}-{os.getuid()}"


def resources() -> Path:
    """The folder with icons, fonts and themes: next to the package in a checkout, inside the package in a wheel."""
    return _shipped("resources")


def starter_skills() -> Path:
    return _shipped("skills", inside="starter_skills")


def home_folder() -> Path:
    """The home folder, where other applications keep their settings. Tests override it, so that they never read real
    settings.
    """
    override = os.environ.get(OVERRIDE)
    return Path(override) / "person" if override else Path.home()


def apps_folder(platform: str = sys.platform) -> Path:
    """The folder where applications of this platform keep a user's settings."""
    home = home_folder()
    if platform == "darwin":
        return home / "Library" / "Application Support"
    variable, usual = ("APPDATA", "AppData/Roaming") if platform == "win32" else ("XDG_CONFIG_HOME", ".config")
    given = "" if os.environ.get(OVERRIDE) else os.environ.get(variable, "")
    return Path(given) if os.path.isabs(given) else home / usual


def documentation() -> Path:
    """The folder with the documentation of this version."""
    return _shipped("docs")


def _shipped(name: str, inside: str = "") -> Path:
    package = Path(__file__).resolve().parent
    installed = package / (inside or name)
    if (package.parent / "pyproject.toml").is_file() and (package.parent / name).is_dir():
        return package.parent / name
    return installed


def _folder(variable: str, below_home: str, below_override: str) -> Path:
    override = os.environ.get(OVERRIDE)
    if override:
        return Path(override) / below_override
    given = os.environ.get(variable)
    base = Path(given) if given and os.path.isabs(given) else Path.home() / below_home
    return base / APP
