"""Every MCP client whose settings we know: where its files are, and how its entries differ from ours. Data only.

Looked up in each client's documentation in autumn 2026; `docs/clients.md` shows the same table to people.
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


class Client(Struct, frozen=True):
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


class Place(Struct, frozen=True):
    """One file of a client."""

    client: Client
    file: Path
    project: str = ""  # the folder it is for; empty: everywhere

    @property
    def id(self) -> str:
        return f"{self.client.id}:{self.file}"


CLAUDE_DESKTOP = Client("claude-desktop", "Claude Desktop", address="")
CLAUDE_CODE = Client("claude-code", "Claude Code", types={**_USUAL, "stdio": "stdio"}, variables="${NAME}")
CURSOR = Client("cursor", "Cursor", types={}, variables="${env:NAME}", folder=True)
VS_CODE = Client(
    "vscode",
    "VS Code",
    path=("servers",),
    types={**_USUAL, "stdio": "stdio"},
    variables="${env:NAME}",
    inputs=True,
    folder=True,
)
WINDSURF = Client("windsurf", "Windsurf", address="serverUrl", types={}, variables="${env:NAME}", switch=True)
CLINE = Client(
    "cline",
    "Cline",
    types={"stdio": "", "http": "streamableHttp", "sse": "sse"},
    switch=True,
    seconds=True,
    folder=True,
)
LM_STUDIO = Client("lm-studio", "LM Studio", types={})
GOOSE = Client(
    "goose",
    "goose",
    path=("extensions",),
    address="uri",
    types={"stdio": "stdio", "http": "streamable_http", "sse": "sse"},
    seconds=True,
    yaml=True,
)
CODEX = Client("codex", "Codex", path=("mcp_servers",), types={"stdio": "", "http": ""}, folder=True, toml=True)
GEMINI = Client(
    "gemini", "Gemini CLI", address="httpUrl", types={}, variables="${NAME}", folder=True, milliseconds=True
)


def places(bench: Path, platform: str = sys.platform) -> tuple[Place, ...]:
    """Every file that may hold servers, whether it exists or not; those of this bench after a client's own."""
    home, apps = home_folder(), apps_folder(platform)
    editors = [apps / editor / "User" for editor in _EDITORS]
    editors = [editors[0], *(editor for editor in editors[1:] if editor.is_dir())]
    known = [
        Place(CLAUDE_DESKTOP, apps / "Claude" / "claude_desktop_config.json"),
        Place(CLAUDE_CODE, home / ".claude.json"),
        Place(CURSOR, home / ".cursor" / "mcp.json"),
        Place(CURSOR, bench / ".cursor" / "mcp.json", str(bench)),
        *(Place(VS_CODE, editor / "mcp.json") for editor in editors),
        Place(VS_CODE, bench / ".vscode" / "mcp.json", str(bench)),
        Place(WINDSURF, home / ".codeium" / "windsurf" / "mcp_config.json"),
        *(Place(CLINE, editor / _CLINE) for editor in editors),
        Place(CLINE, home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"),
        Place(LM_STUDIO, home / ".lmstudio" / "mcp.json"),
        Place(GOOSE, _goose(home, apps, platform)),
        Place(CODEX, Path(os.environ.get("CODEX_HOME") or home / ".codex") / "config.toml"),
        Place(CODEX, bench / ".codex" / "config.toml", str(bench)),
        Place(GEMINI, home / ".gemini" / "settings.json"),
        Place(GEMINI, bench / ".gemini" / "settings.json", str(bench)),
    ]
    return tuple(known)


def _goose(home: Path, apps: Path, platform: str) -> Path:
    """It keeps to ~/.config on macOS too."""
    if platform == "win32":
        return apps / "Block" / "goose" / "config" / "config.yaml"
    return (home / ".config" if platform == "darwin" else apps) / "goose" / "config.yaml"
