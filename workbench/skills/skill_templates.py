"""Generates the body of a new SKILL.md from the skill's code, and the code of a new skill."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence

from workbench.analysis.parsed_program import ParsedProgram
from workbench.identifiers import skill_module_name
from workbench.skills.skill_code import usage


def body(name: str, description: str, code: str, tools: Sequence[str]) -> str:
    """The body of a SKILL.md: title, usage, features and an example."""
    function = skill_module_name(name)
    program = ParsedProgram(code)
    call = usage(program, function)
    facts = [f"- `{function}.py` holds the code; it runs inside the workbench's sandbox."]
    facts += [f"- Calls the tool `{tool}`." for tool in tools]
    if doc := _docstring(program.tree, function):
        facts.append(f"- {doc}")
    title = name.replace("-", " ").capitalize()
    return "\n".join(
        [
            f"# {title}",
            "",
            *([description, ""] if description else []),
            "## Usage",
            "",
            "```python",
            call,
            "```",
            "",
            "## Features",
            "",
            *facts,
            "",
            "## Examples",
            "",
            "```python",
            f"{call}\nprint(result)",
            "```",
        ]
    )


def _docstring(program: ast.Module | None, function: str) -> str:
    """The first line of the docstring of the function or of the program."""
    for node in (*program.body, program) if program is not None else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            doc = ast.get_docstring(node) if getattr(node, "name", function) == function else None
            if doc:
                return doc.strip().splitlines()[0]
    return ""


_TEMPLATE = '''\
"""{words}"""

from typing import Any


async def {function}(limit: int = 10) -> dict[str, Any]:
    """{words}"""
    # Tools are functions of their server: from servers.demo import list_orders
    #                                      page = await list_orders(limit=limit)
    found = list(range(limit))
    return {{"found": len(found), "first": found[:3]}}
'''


def beginning(name: str, description: str) -> str:
    """The code of a new skill, with the description as its docstrings."""
    words = textwrap.shorten(description, 90, placeholder="…").replace("\\", "/").replace('"', "'")
    return _TEMPLATE.format(words=words, function=skill_module_name(name))
