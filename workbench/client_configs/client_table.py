"""Table of the MCP clients whose files are known: where the files are, and how entries differ from ours. Data only.

From each client's documentation in autumn 2026; `docs/clients.md` shows the same table to users.
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
    """How one client writes a server."""

    id: str
    title: str
    path: tuple[str, ...] = ("mcpServers",)  # where in the file its servers are
    address: str = "url"  # the key of a remote server's address; empty: it knows none
    types: Mapping[str, str] = field(default_factory=lambda: _USUAL)  # our transport → its word in "type"
    variables: str = ""  # how it writes a variable: "${NAME}", "${env:NAME}"; empty: it fills in none
    inputs: bool = False  # it asks for secrets: ${input:name}
    switch: bool = False  # it knows "disabled"
    seconds: bool = False  # it knows "timeout", in seconds
    folder: bool = False  # it knows "cwd"
    yaml: bool = False
    toml: bool = False
    milliseconds: bool = False  # it knows "timeout", in thousandths of a second


class ConfigFile(Struct, frozen=True):
    """One file of a client."""

    client: ClientApp
    file: Path
    project: str = ""  # the folder it is for; empty: everywhere

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
    """Every file that may hold servers, whether it exists or not; those of this project after a client's own."""
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
    """It keeps to ~/.config on macOS too."""
    if platform == "win32":
        return apps / "Block" / "goose" / "config" / "config.yaml"
    return (home / ".config" if platform == "darwin" else apps) / "goose" / "config.yaml"
