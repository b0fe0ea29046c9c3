"""What the sandbox's client offers a program: tools called by name, skills, and files of the workspace."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce

from workbench.policy.effects import note_file
from workbench.policy.invocation import Arguments
from workbench.policy.reader import Reader
from workbench.policy.skill_uses import load_by_name
from workbench.policy.special import Special, every
from workbench.policy.tables.deeds import Deed
from workbench.policy.tables.methods import FOREIGN
from workbench.policy.toolbook import Unlisted, servers_in
from workbench.policy.toolcalls import note_dynamic, use_tool
from workbench.policy.value import NOTHING, Value, each, join, known, shown, tainted, text_of
from workbench.records import EffectKind, Risk, Tool


def _call_tool(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`call_tool("server", "tool", {…})`."""
    answers = []
    for server in each(arguments.get(0, "server")):
        for tool in each(arguments.get(1, "tool", "name")):
            owner, name = known(server), known(tool)
            if owner:
                reader.report.servers.add(owner)
            found = reader.toolbook.find(owner, name) if owner and name else None
            answers.append(_use(reader, node, found, arguments))
    return reduce(join, answers)


def _call_by_id(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    """`call_mcp_tool("mcp__server__tool", {…})`."""
    names = [known(choice) for choice in each(arguments.get(0, "tool_id", "id", "name", "tool"))]
    reader.report.servers.update(server for name in names if name for server in servers_in(name))
    found = [reader.toolbook.find_id(name) if name else None for name in names]
    return reduce(join, [_use(reader, node, tool, arguments) for tool in found])


def _use(reader: Reader, node: ast.Call, found: Tool | Unlisted | None, arguments: Arguments) -> Value:
    if found is None:
        return tainted(note_dynamic(reader, node), arguments.taint)
    return use_tool(reader, node, found, arguments)


def _load_skill(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    load_by_name(reader, node, arguments.get(0, "name"))
    return Value(kind="skill")


def _offer_skill(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
    words = f"Offers a program as the skill {shown(arguments.get(0, 'name'))}; a person decides whether to keep it"
    reader.report.add("skill.offer", Risk.LOW, words, reader.span(node), effect=EffectKind.WILL, reversible=True)
    return NOTHING


def _file(deed: Deed) -> Special:
    """`read_file("a.txt")` and `write_file("a.txt", …)` mean the workspace, however the path begins."""

    def touch(reader: Reader, node: ast.Call, ref: str, arguments: Arguments) -> Value:
        path = arguments.get(0, "path")
        for choice in each(path):
            inner = text_of(choice).removeprefix("/workspace").lstrip("/").removeprefix("workspace/")
            note_file(reader, deed, node, replace(choice, const=f"workspace/{inner}"))
        return Value(kind=FOREIGN if deed is Deed.READ else "", taint=arguments.taint)

    return touch


CLIENT_CALLS: dict[str, Special] = {
    **every("client.call_tool runtime.call_tool", _call_tool),
    **every("client.call_mcp_tool runtime.call_mcp_tool", _call_by_id),
    **every("client.get_client client.Client", lambda reader, node, ref, arguments: Value(refs=("client",))),
    **every("client.load_skill runtime.load_skill", _load_skill),
    **every("client.save_skill runtime.save_skill", _offer_skill),
    **every("client.read_file runtime.read_file", _file(Deed.READ)),
    **every("client.write_file runtime.write_file", _file(Deed.WRITE)),
}
