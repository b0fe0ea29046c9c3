"""Text for users and models uses the terms of the glossary: settings, commands, actions, window texts, agent tools,
errors and documentation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

# Pattern that must not occur → the term to use instead.
INSTEAD = {
    r"bench(?:es)?": "project",
    r"rehears\w+": "dry run",
    r"doors?": "endpoint, client or window",
    r"foretold|foretell\w*": "predicted",
    r"unforeseen": "unexpected, not predicted",
    r"deeds?": "effect, action",
    r"kept states?": "REPL session",
    r"tapes?|decks?": "recording, player",
    r"the house": "the core",
    r"lockbox": "vault",
    r"(?:a|the|your|its|no) yes\b(?! or no)|says? yes": "approval, allow, deny",
    r"(?:a person|your|a person's) word": "approval, rule",
    r"a paused call|pauses? of a call": "held call",
    r"(?<!\w)seals? of (?:the|an?) (?:run|approval)": "approval fingerprint",
    r"conveyor|road of (?:a|the) run": "run pipeline, timeline",
}
NOT = re.compile(rf"(?<![\w./-])(?:{'|'.join(f'(?:{one})' for one in INSTEAD)})(?![\w/])", re.IGNORECASE)
PAGES = ("README.md", "ARCHITECTURE.md", "SECURITY.md", "docs", "resources/agent_prompt.md")
# Word lists of the analysis and the detectors, invented data of the demo server, programs for the sandbox, SQL.
NOT_SENTENCES = re.compile(
    r"workbench/(?:demo|privacy|analysis/tables|search|sandbox/inside|sandbox/isolation)|tool_verbs"
)


def old_words(text: str) -> list[str]:
    return [found.group(0) for found in NOT.finditer(text)]


def sentences(file: Path) -> Iterator[tuple[int, str]]:
    """String constants of a module that are likely to be shown: with spaces, without docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in quiet:
            continue
        if " " in node.value and "SELECT" not in node.value:
            yield node.lineno, node.value


def test_the_words_are_found() -> None:
    assert old_words("Rehearse it on this bench.") == ["Rehearse", "bench"]
    assert old_words("The mcp-workbench opens ~/.local/share/mcp-workbench/bench, outdoors.") == []


def test_sentences_in_the_code(root: Path) -> None:
    wrong = [
        f"{file.relative_to(root)}:{line}: {', '.join(words)}"
        for file in sorted((root / "workbench").rglob("*.py"))
        if not NOT_SENTENCES.search(file.relative_to(root).as_posix())
        for line, text in sentences(file)
        if (words := old_words(text))
    ]
    assert wrong == []


@pytest.mark.parametrize("name", PAGES)
def test_pages(root: Path, name: str) -> None:
    place = root / name
    files = sorted(place.glob("*.md")) if place.is_dir() else [place]
    wrong = [
        f"{file.relative_to(root)}:{number}: {', '.join(words)}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        # Names in backquotes may be old: tables of renamed kinds and settings.
        if (words := old_words(re.sub(r"`[^`]*`", "", line)))
    ]
    assert wrong == []


def test_names_of_settings_commands_options_tools_and_actions() -> None:
    import argparse

    from workbench.agent.tool_definitions import TOOLS
    from workbench.cli.main import COMMANDS, about, arranger
    from workbench.gui.shell.actions import ACTIONS
    from workbench.settings import DEFINITIONS

    texts = [about(), *DEFINITIONS, *(one.description for one in DEFINITIONS.values())]
    texts += [f"{tool.name} {tool.description} {tool.schema}" for tool in TOOLS]
    texts += [f"{action.id} {action.text} {action.help}" for action in ACTIONS]
    for command in COMMANDS:
        parser = argparse.ArgumentParser(prog=command)
        arranger(command)(parser)
        texts.append(parser.format_help())
    names = [re.sub(r"[._-]", " ", text).replace("mcp workbench", "") for text in texts]
    assert [(words, text[:80]) for text in names if (words := old_words(text))] == []
