"""Every setting, action, event and API method is documented, and the generated documents are current."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

LINK = re.compile(r"\]\((?!https?://|mailto:|#)([^)#]+)(?:#[^)]*)?\)")
OURS = ("README.md", "ARCHITECTURE.md", "AGENTS.md", "SECURITY.md", "CHANGELOG.md")


def test_the_lists_in_docs_are_current(command: Callable[..., str]) -> None:
    command(sys.executable, "tools/write_docs.py", "--check")


def test_every_setting_is_listed(root: Path) -> None:
    from workbench.settings import DEFINITIONS

    text = (root / "docs/settings.md").read_text(encoding="utf-8")
    assert [name for name in DEFINITIONS if f"`{name}`" not in text] == []


def test_every_event_is_listed(root: Path) -> None:
    import typing

    from workbench.events import Event

    text = (root / "docs/events.md").read_text(encoding="utf-8")
    assert [event.__name__ for event in typing.get_args(Event) if f"`{event.__name__}`" not in text] == []


def test_every_action_and_key_is_listed(root: Path) -> None:
    from workbench.gui.shell.actions import ACTIONS

    text = (root / "docs/actions.md").read_text(encoding="utf-8")
    assert [action.id for action in ACTIONS if action.help not in text or action.keys not in text] == []


def test_every_tool_of_the_agents_door_is_listed(root: Path) -> None:
    from workbench.agent.tool_definitions import TOOLS

    text = (root / "docs/agent-tools.md").read_text(encoding="utf-8")
    assert [tool.name for tool in TOOLS if f"## {tool.name}\n" not in text] == []


@pytest.mark.parametrize("name", OURS)
def test_every_link_between_the_documents_leads_somewhere(root: Path, name: str) -> None:
    text = (root / name).read_text(encoding="utf-8")
    assert [link for link in LINK.findall(text) if not (root / link).exists()] == []


def test_ci_gives_the_command_that_readme_gives(root: Path) -> None:
    text = (root / "README.md").read_text(encoding="utf-8")
    assert "./test\n" in text
    assert "`./test --all`" in text
    assert (root / ".ci/run").read_text(encoding="utf-8").rstrip().endswith("exec ./test --all")


def test_every_folder_of_the_checkout_says_what_it_is_for(root: Path, tracked: tuple[Path, ...]) -> None:
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    inside = (path.relative_to(root).parts for path in tracked)
    folders = {parts[0] for parts in inside if len(parts) > 1}
    assert sorted(folder for folder in folders if f"| `{folder}/` |" not in text) == []


def test_the_changelog_has_the_current_version(root: Path) -> None:
    from workbench import __version__

    assert f"## {__version__}" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_room_stands_in_the_architecture(root: Path) -> None:
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {
        path.stem for path in (root / "workbench").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert [room for room in sorted(rooms - {"__init__"}) if not re.search(rf"\b{room}\b", text)] == []


def test_every_benchmark_is_listed(root: Path) -> None:
    text = (root / "benchmarks/README.md").read_text(encoding="utf-8")
    assert [path.name for path in (root / "benchmarks").glob("*.py") if path.name not in text] == []


def test_the_floors_in_the_architecture_are_the_ones_that_are_checked(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert [layer for layer in layers if f"`{layer}`".replace("|", "\\|") not in text] == []


FILE = re.compile(r"`([\w./-]+\.py)`")


def test_the_documents_name_files_that_exist(root: Path, tracked: tuple[Path, ...]) -> None:
    """Names are paths from the root of the checkout or from `workbench/`, or unique parts of such paths."""
    paths = {f"/{path.relative_to(root).as_posix()}" for path in tracked}
    own_files = {"count_orders.py", "report.py", "job.py", "batch_with_retry.py"}  # files of users, in examples
    documents = (*(root / name for name in OURS), *(root / "docs").glob("*.md"))
    missing = [
        f"{document.name}: {name}"
        for document in documents
        for name in FILE.findall(document.read_text(encoding="utf-8"))
        if name not in own_files and not any(path.endswith(f"/{name}") for path in paths)
    ]
    assert missing == []
