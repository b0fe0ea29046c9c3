"""The examples in a program's docstrings, which `doctest.testmod()` runs."""

from __future__ import annotations

import ast
import doctest

UNREADABLE = "("  # no program: stands for examples that nobody can know from the text
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstring_examples(tree: ast.Module) -> tuple[str, ...]:
    """A program for each docstring with examples; UNREADABLE where the text may make docstrings while it runs."""
    found: list[str] = []
    for node in ast.walk(tree):
        if _makes_docstrings(node):
            return (UNREADABLE,)
        if isinstance(node, _DOCUMENTED) and (docstring := ast.get_docstring(node)) and ">>>" in docstring:
            try:
                examples = doctest.DocTestParser().get_examples(docstring)
            except ValueError:
                return (UNREADABLE,)
            found.append("".join(example.source for example in examples))
    return tuple(found)


def _makes_docstrings(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Constant(value=str(name)):
            return name in ("__doc__", "__test__")
        case ast.keyword(arg="doc"):
            return True
        case ast.Call(func=ast.Name(id="property"), args=args):
            return len(args) > 1
    return False
