"""What a new skill begins with: one async function that runs as it stands, and says how to go on."""

from __future__ import annotations

import textwrap

from workbench.identifiers import skill_module_name

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
    """The code of a new skill; its words stand where readers of the code look for them."""
    words = textwrap.shorten(description, 90, placeholder="…").replace("\\", "/").replace('"', "'")
    return _TEMPLATE.format(words=words, function=skill_module_name(name))
