"""Writes generated files: the lists in docs/ (settings, events, actions, agent tools) and the typed stub of the API.

    python tools/write_docs.py          writes them
    python tools/write_docs.py --check  lists outdated files and writes nothing

A test runs the check.
"""

from __future__ import annotations

import inspect
import json
import sys
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # works without an installed package
sys.path.insert(0, str(ROOT / "tools"))
HEAD = "<!-- Written by tools/write_docs.py; change the code and run it again. -->\n"


SETTINGS_INTRODUCTION = """\
Settings are read from two files: your own `settings.toml` in `~/.config/mcp-workbench`, and `workbench.toml` in the
project, which a team shares. Your own file has priority.

```toml
[window]
theme = "dark"

[run]
seconds = 60
```

* The last column says which files can set a setting. Settings that protect you are read from your own file only.
* *limited*: a project can lower the limit, or raise it to at most `run.project_limit_factor` times its default. A
  notice says which limits were cut. Your own value is used as you wrote it.
* A value that cannot be used is ignored; the default stays, and the window shows a notice.
* Changes take effect at once, unless the description says otherwise: those of the page *Settings* in the window
  (Ctrl+,), and those of a file within some seconds after you save it.
* Hosts that programs may reach (`network.allow`, `network.deny`) are described in [network.md](network.md). They take
  effect at once.
* Settings of other systems (`sandbox_mode`, `mcpCodeExecution`) are described in
  [configuration.md](configuration.md)."""


def settings() -> str:
    """Every setting with its table, type, default and description."""
    from workbench.settings import DEFINITIONS, OLD_NAMES

    rows = [
        (
            f"`{name}`",
            setting.type,
            f"`{_toml(setting.default)}`",
            setting.description + (f" A change takes effect {setting.takes_effect}." if setting.takes_effect else ""),
            "user" if setting.user_only else "user, project (limited)" if setting.limit else "user, project",
        )
        for name, setting in DEFINITIONS.items()
    ]
    old = [(f"`{before}`", f"`{name}`") for before, name in OLD_NAMES.items()]
    return _page(
        "Settings",
        SETTINGS_INTRODUCTION,
        _table(("setting", "type", "default", "description", "set by"), rows)
        + "\n## Old names\n\nThese names of version 0.1 still work. When you change a setting in the window, they are "
        "replaced in your `settings.toml`.\n\n" + _table(("old name", "new name"), old),
    )


def events() -> str:
    """Every event with its description and fields."""
    from workbench import events as told

    rows = []
    for event in typing.get_args(told.Event):
        carried = ", ".join(f"`{name}: {kind}`" for name, kind in event.__annotations__.items())
        rows.append((f"`{event.__name__}`", _one_line(event.__doc__), carried))
    return _page(
        "Events",
        "What may happen in the core. Every client gets every event, in order; over the socket they arrive in batches, "
        "every 50 ms. The records are in `workbench/records`.",
        _table(("event", "when", "carries"), rows),
    )


def actions() -> str:
    """Every action of the window with its shortcut and description, by menu."""
    from workbench.gui.shell.actions import MENUS

    parts = []
    for menu in MENUS:
        rows = [(a.text.rstrip("…"), f"`{a.keys}`" if a.keys else "", a.help) for a in menu.actions()]
        parts.append(f"## {menu.title}\n\n" + _table(("action", "key", "what it does"), rows))
    return _page(
        "Actions",
        "Everything the window can do. All of it is in the menus and in the palette (`Ctrl+K`).",
        "\n".join(parts),
    )


def agent_tools() -> str:
    """Every agent tool with its description and schema."""
    from workbench.agent.tool_definitions import INSTRUCTIONS, TOOLS

    parts = []
    for tool in TOOLS:
        schema = json.dumps(tool.schema, indent=2)
        reads = "It only reads." if tool.read_only else "It may change something."
        answers = json.dumps(tool.output_schema, indent=2)
        parts.append(
            f"## {tool.name}\n\n```text\n{tool.description}\n```\n\n{reads}\n\n```json\n{schema}\n```\n\n"
            f"Its answer, beside the text for the model (`structuredContent`):\n\n```json\n{answers}\n```\n"
        )
    return _page(
        "The agent's tools",
        "An agent that is connected with `mcp-workbench serve` or through the HTTP endpoint sees these tools, those "
        "of servers that `serve --direct SERVER` or the setting `agent.direct` names (as `server__tool`, each call a "
        "program of one line; it is told when they change), and "
        "kept skills as resources (`skills/list`, `skills/get`, `skill://NAME/SKILL.md`), and nothing else. "
        f"It is told:\n\n> {INSTRUCTIONS}\n\n"
        "All names, descriptions and argument schemas together, as they go over the wire, cost a model less than 1,400 "
        "tokens; the schemas of answers are for clients and are not counted.",
        "\n".join(parts),
    )


def api_stub() -> str:
    """The typed stub of the API."""
    from api_stub import stub

    return stub()


PAGES: dict[str, Callable[[], str]] = {
    "workbench/api/client_stub.py": api_stub,
    "docs/settings.md": settings,
    "docs/events.md": events,
    "docs/actions.md": actions,
    "docs/agent-tools.md": agent_tools,
}


def main(options: list[str]) -> int:
    stale = [name for name, write in PAGES.items() if _current(name) != write()]
    if "--check" in options:
        print(*(f"{name} is not current; run tools/write_docs.py" for name in stale), sep="\n")
        return 1 if stale else 0
    for name in stale:
        (ROOT / name).write_text(PAGES[name](), encoding="utf-8")
        print(name)
    return 0


def _current(name: str) -> str:
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _page(title: str, words: str, body: str) -> str:
    return f"# {title}\n\n{HEAD}\n{words}\n\n{body.rstrip()}\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _toml(value: Any) -> str:
    """Format a default value as TOML. Any: a string, a number or a boolean."""
    return json.dumps(value)


def _one_line(text: str | None) -> str:
    return " ".join(inspect.cleandoc(text or "").split())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
