"""Table of known MCP clients: where their configuration files are, and how their entries differ from ours. Data only.

From each client's documentation in autumn 2026. `docs/clients.md` shows the same table to users.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

from workbench.paths import apps_folder, home_folder

_EDITORS = ("Code", "Code - Insiders", "VSCodium")
_CLINE = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
_USUAL = {"stdio": "", "http": "http", "sse": "sse"}


class ClientApp(Struct, frozen=True):
    """How one client writes a server entry."""

    id: str
    title: str
    path: tuple[str, ...] = ("mcpServers",)  # keys that lead to the servers in the file
    address: str = "url"  # key of a remote server's URL; empty: not supported
    types: Mapping[str, str] = field(default_factory=lambda: _USUAL)  # our transport → value of "type"
    variables: str = ""  # variable syntax: "${NAME}", "${env:NAME}"; empty: not supported
    inputs: bool = False  # supports prompts for secrets: ${input:name}
    switch: bool = False  # supports "disabled"
    seconds: bool = False  # supports "timeout" in seconds
    folder: bool = False  # supports "cwd"
    yaml: bool = False
    toml: bool = False
    milliseconds: bool = False  # supports "timeout" in milliseconds


class ConfigFile(Struct, frozen=True):
    """One configuration file of a client."""

    client: ClientApp
    file: Path
    project: str = ""  # folder that the file applies to; empty: all folders

    @property
    def id(self) -> str:
        return f"{self.client.id}:{self.file}"


CLAUDE_DESKTOP = ClientApp("claude-desktop", "Claude Desktop", address="")
CLAUDE_CODE = ClientApp("claude-code", "Claude Code", types={**_USUAL, "stdio": "stdio"}, variables="${NAME}")
CURSOR = ClientApp("cursor", "Cursor", types={}, variables="${env:NAME}", folder=True)
VS_CODE = ClientApp(
    "vscode",
    "VS Code",
    path=("servers",),
    types={**_USUAL, "stdio": "stdio"},
    variables="${env:NAME}",
    inputs=True,
    folder=True,
)
WINDSURF = ClientApp("windsurf", "Windsurf", address="serverUrl", types={}, variables="${env:NAME}", switch=True)
CLINE = ClientApp(
    "cline",
    "Cline",
    types={"stdio": "", "http": "streamableHttp", "sse": "sse"},
    switch=True,
    seconds=True,
    folder=True,
)
LM_STUDIO = ClientApp("lm-studio", "LM Studio", types={})
GOOSE = ClientApp(
    "goose",
    "goose",
    path=("extensions",),
    address="uri",
    types={"stdio": "stdio", "http": "streamable_http", "sse": "sse"},
    seconds=True,
    yaml=True,
)
CODEX = ClientApp("codex", "Codex", path=("mcp_servers",), types={"stdio": "", "http": ""}, folder=True, toml=True)
GEMINI = ClientApp(
    "gemini", "Gemini CLI", address="httpUrl", types={}, variables="${NAME}", folder=True, milliseconds=True
)


def places(project: Path, platform: str = sys.platform) -> tuple[ConfigFile, ...]:
    """Return every file that may hold servers, whether it exists or not. A client's user-wide file comes before its
    file for this project."""
    home, apps = home_folder(), apps_folder(platform)
    editors = [apps / editor / "User" for editor in _EDITORS]
    editors = [editors[0], *(editor for editor in editors[1:] if editor.is_dir())]
    known = [
        ConfigFile(CLAUDE_DESKTOP, apps / "Claude" / "claude_desktop_config.json"),
        ConfigFile(CLAUDE_CODE, home / ".claude.json"),
        ConfigFile(CURSOR, home / ".cursor" / "mcp.json"),
        ConfigFile(CURSOR, project / ".cursor" / "mcp.json", str(project)),
        *(ConfigFile(VS_CODE, editor / "mcp.json") for editor in editors),
        ConfigFile(VS_CODE, project / ".vscode" / "mcp.json", str(project)),
        ConfigFile(WINDSURF, home / ".codeium" / "windsurf" / "mcp_config.json"),
        *(ConfigFile(CLINE, editor / _CLINE) for editor in editors),
        ConfigFile(CLINE, home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"),
        ConfigFile(LM_STUDIO, home / ".lmstudio" / "mcp.json"),
        ConfigFile(GOOSE, _goose(home, apps, platform)),
        ConfigFile(CODEX, Path(os.environ.get("CODEX_HOME") or home / ".codex") / "config.toml"),
        ConfigFile(CODEX, project / ".codex" / "config.toml", str(project)),
        ConfigFile(GEMINI, home / ".gemini" / "settings.json"),
        ConfigFile(GEMINI, project / ".gemini" / "settings.json", str(project)),
    ]
    return tuple(known)


def _goose(home: Path, apps: Path, platform: str) -> Path:
    """Return goose's configuration folder. goose uses ~/.config on macOS too."""
    if platform == "win32":
        return apps / "Block" / "goose" / "config" / "config.yaml"
    return (home / ".config" if platform == "darwin" else apps) / "goose" / "config.yaml"
