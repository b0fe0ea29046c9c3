"""The body of a fresh SKILL.md: what a reader needs to use the skill, taken from its code."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from workbench.analysis.parsed_program import ParsedProgram
from workbench.identifiers import skill_module_name
from workbench.skills.importable_module import usage


def body(name: str, description: str, code: str, tools: Sequence[str]) -> str:
    """Title, usage, features and an example."""
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
    """The first line of what the function or the program says of itself."""
    for node in (*program.body, program) if program is not None else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            doc = ast.get_docstring(node) if getattr(node, "name", function) == function else None
            if doc:
                return doc.strip().splitlines()[0]
    return ""
