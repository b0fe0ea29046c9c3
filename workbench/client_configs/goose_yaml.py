"""Reads goose's YAML settings and changes one extension in the text without touching any other line.

The parser gives positions, and the edit works on the text. ruamel.yaml's round trip is no alternative: it rewrites the
complete file and changes indentation, spacing, line ends and `null` of untouched entries. `config_export` parses the
result again and compares it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.errors import WorkbenchError

LARGEST = 256 << 10  # characters; the parser is slow, and a settings file written by hand is small
_MOST = 200_000  # values in one file; repeated aliases count each time
_HINT = "Correct the file in goose; it was not changed."
_PASTE = "Copy the entry into the extensions section by hand."


def parse(text: str, name: str) -> dict[str, Any]:  # Any: the file's own YAML
    """Parse the text of a file. Raises WorkbenchError when it is not a valid YAML mapping."""
    import yaml

    if len(text) > LARGEST:
        raise WorkbenchError(f"{name} cannot be read: it is larger than {LARGEST >> 10} KB.")
    try:
        document = yaml.safe_load(text)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise WorkbenchError(f"{name} cannot be read: {place}{fault.problem or 'it is not YAML'}.", _HINT) from fault
    except RecursionError as fault:
        raise WorkbenchError(f"{name} cannot be read: it is nested too deeply.", _HINT) from fault
    except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as fault:
        # yaml's constructors raise some of these errors
        raise WorkbenchError(f"{name} cannot be read: it is not valid YAML.", _HINT) from fault
    if document is not None and not isinstance(document, dict):
        raise WorkbenchError(f"{name} does not contain a YAML mapping.", _HINT)
    _bound(document or {}, name)
    return document or {}


def _bound(document: Any, name: str) -> None:  # Any: YAML
    """Limit the size of a document. With aliases, a short text can expand to a huge document or one that contains
    itself."""
    left, waiting = _MOST, [document]
    while waiting:
        one = waiting.pop()
        inner = list(one.values()) if isinstance(one, dict) else one if isinstance(one, list | tuple | set) else ()
        left -= len(inner) + 1
        if left < 0:
            raise WorkbenchError(f"{name} cannot be read: its aliases expand to too many values.", _HINT)
        waiting.extend(inner)


def set_entry(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:  # Any: YAML
    """Set one extension in the text."""
    import yaml

    section, name = path
    root = yaml.compose(text, yaml.SafeLoader)
    if root is None or (isinstance(root, yaml.MappingNode) and not root.value):
        return f"{text.rstrip()}\n{section}:\n{entry_text('  ', name, value)}\n".lstrip("\n")
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise WorkbenchError("The file is not in YAML block style.", _PASTE)
    found = _child(root, section)
    if found is None:
        return f"{text.rstrip()}\n{section}:\n{entry_text('  ', name, value)}\n"
    listed = found[1]
    if not isinstance(listed, yaml.MappingNode) or not listed.value:
        return _fill(text, found, name, value)
    if listed.flow_style:
        raise WorkbenchError(f"The section {section} is not in YAML block style.", _PASTE)
    indent = " " * listed.start_mark.column
    if (before := _child(listed, name)) is not None:
        start, end = before[0].start_mark.index, _end(before[1])
        return text[:start] + entry_text(indent, name, value).lstrip(" ") + text[end:]
    start = listed.start_mark.index
    return f"{text[:start]}{entry_text(indent, name, value).lstrip(' ')}\n{indent}{text[start:]}"


def _fill(text: str, found: Any, name: str, value: Mapping[str, Any]) -> str:  # Any: a pair of nodes
    """Insert the first extension into an empty section."""
    key, empty = found
    start, end = empty.start_mark.index, empty.end_mark.index
    if text[start:end].strip() not in ("", "{}", "null", "~"):
        raise WorkbenchError("The section extensions is not a YAML mapping.", _PASTE)
    indent = " " * (key.start_mark.column + 2)
    text = text[:start].rstrip(" ") + text[end:] if text[start:end].strip() else text
    line = text.find("\n", key.end_mark.index)
    line = len(text) if line < 0 else line
    return f"{text[:line]}\n{entry_text(indent, name, value)}{text[line:]}"


def _child(node: Any, name: str) -> Any:  # Any: nodes of a parser without types
    return next((pair for pair in node.value if getattr(pair[0], "value", None) == name), None)


def _end(node: Any) -> int:  # Any: as above
    """Return the index after a node's last character. The parser's end mark may lie after the next comment."""
    if isinstance(node.value, list) and node.value and not node.flow_style:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    whole = node.start_mark.buffer
    end = int(node.end_mark.index)
    return end if whole is None else node.start_mark.index + len(whole[node.start_mark.index : end].rstrip())


def entry_text(indent: str, name: str, value: Any) -> str:  # Any: YAML
    """Format `name: value` as YAML lines."""
    import yaml

    lines = yaml.safe_dump({name: value}, sort_keys=False, allow_unicode=True, width=math.inf, default_flow_style=False)
    return "\n".join(f"{indent}{line}" if line else line for line in lines.rstrip("\n").split("\n"))
