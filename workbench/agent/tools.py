"""The tools an agent sees: names, descriptions and schemas. Data, so that docs and tests read the same table."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.records import JsonObject

INSTRUCTIONS = (
    "Work through programs instead of single calls: search_tools finds tools, execute_code runs a program that "
    "imports them. Only what it prints or sets as `result` comes back."
)


@dataclass(frozen=True, slots=True)
class AgentTool:
    """One tool of the agent's door."""

    name: str
    description: str
    schema: JsonObject
    read_only: bool


def _object(required: list[str], **properties: JsonObject) -> JsonObject:
    """What else is given is refused by the door, so that no schema has to spend words on it."""
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


EXECUTE = AgentTool(
    name="execute_code",
    description="""Run a Python program in a locked sandbox on the user's machine; get its summary back.
1. Find tools with search_tools. 2. Import them: `from servers.demo import list_orders`. 3. Call them with await, \
filter and join, keep big data out of context. 4. Print little, or set `result`; a picture in it \
(`chart.images[0]`) is shown to you.
Rules: top-level await and asyncio.gather work; no network, no other programs; files only below workspace/ and \
they stay; you see personal data as tokens, [EMAIL_1.…]: pass them on unchanged, tools get the values; catch \
ToolError from `client`. A person may have to approve it: say what it is for.
Example:
from servers.demo import list_orders
page = await list_orders(status="pending", limit=500)
result = {"pending": page["total"], "first 500 worth": sum(order["amount"] for order in page["orders"])}""",
    schema=_object(
        ["code", "description"],
        code={"type": "string", "description": "The program."},
        description={"type": "string", "description": "What it is for, one sentence."},
        timeout={"type": "number", "description": "Seconds, within the user's limit."},
        session_id={
            "type": "string",
            "description": "Go on with the variables of your programs under this id; else each starts fresh.",
        },
        language={
            "type": "string",
            "enum": ["python", "typescript"],
            "description": "typescript always waits for a person: "
            '`import { list_orders } from "./servers/demo"`, console.log, result = …, ToolError, '
            "readFile, writeFile, listFiles.",
        },
        profile={
            "type": "string",
            "description": "read_only, write_restricted (usual), execute_full (asks) or the user's own.",
        },
        required_tools={
            "type": "array",
            "items": {"type": "string"},
            "description": "All it may call, as demo.list_orders.",
        },
        force_approval={"type": "boolean", "description": "Ask a person first."},
    ),
    read_only=False,
)

SEARCH = AgentTool(
    name="search_tools",
    description="""Find tools without loading their definitions. Start with detail_level "name" or "description"; \
"full" gives the Python signatures of the few you will call. Without a query it lists all.""",
    schema=_object(
        [],
        query={"type": "string", "description": "Words or a tool's name."},
        detail_level={
            "type": "string",
            "description": "name, description or full: about 6, 20 or 200 tokens a tool.",
        },
        server={"type": "string", "description": "Only this server."},
        category={"type": "string", "description": "Only servers of this category."},
        limit={"type": "integer", "description": "At most this many (20)."},
    ),
    read_only=True,
)

DEFINITION = AgentTool(
    name="get_tool_definition",
    description="""Read all that a server says of a tool, with its schemas. Rarely needed: "full" is shorter.""",
    schema=_object(
        ["name"],
        name={"type": "string", "description": "list_orders, demo.list_orders or mcp__demo__list_orders."},
        category={"type": "string", "description": "Its server or category."},
    ),
    read_only=True,
)

LIST_SKILLS = AgentTool(
    name="list_skills",
    description="List the skills the user keeps, to import: `from skills.late_orders import late_orders`.",
    schema=_object([]),
    read_only=True,
)

SAVE_SKILL = AgentTool(
    name="save_skill",
    description="Offer a program that worked as a skill; the user may keep it.",
    schema=_object(
        ["name", "code", "description"],
        name={"type": "string", "description": "Lower-case words with hyphens."},
        code={"type": "string", "description": "An async function of that name, with underscores, or a program."},
        description={"type": "string", "description": "When to use it."},
    ),
    read_only=False,
)

SANITIZE = AgentTool(
    name="sanitize_pii",
    description="Replace personal data in a text by tokens.",
    schema=_object(["text"], text={"type": "string", "description": "The text."}),
    read_only=True,
)

RESTORE = AgentTool(
    name="restore_pii",
    description="Check tokens. Values are not shown: tool calls restore them.",
    schema=_object(["text"], text={"type": "string", "description": "The text."}),
    read_only=True,
)

TOOLS = (EXECUTE, SEARCH, DEFINITION, LIST_SKILLS, SAVE_SKILL, SANITIZE, RESTORE)
