"""What the well-known agents call themselves when they connect, as people call them."""

from __future__ import annotations

_TITLES = {
    "claude-code": "Claude Code",
    "claude code": "Claude Code",
    "claude-ai": "Claude Desktop",
    "claude": "Claude",
    "cursor": "Cursor",
    "visual studio code": "VS Code",
    "vscode": "VS Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "goose": "goose",
    "windsurf": "Windsurf",
    "cline": "Cline",
    "lm-studio": "LM Studio",
}


def agent_title(name: str) -> str:
    """The title for a name that an agent gave itself; one that is not known stays as it is."""
    plain = name.strip().lower()
    return next((title for start, title in _TITLES.items() if plain.startswith(start)), name)
