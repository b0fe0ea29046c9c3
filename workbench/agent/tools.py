"""The tools an agent sees: names, descriptions and schemas. Data, so that docs and tests read the same table."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.records import JsonObject

INSTRUCTIONS = (
    "Work through programs instead of single calls: search_tools finds tools, execute_code runs a Python program that "
    "imports them as functions. Only what it prints or sets as `result` comes back."
)


@dataclass(frozen=True, slots=True)
class AgentTool:
    """One tool of the agent's door."""

    name: str
    description: str
    schema: JsonObject
    read_only: bool


def _object(required: list[str], **properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


EXECUTE = AgentTool(
    name="execute_code",
    description="""Run a Python program in a locked sandbox on the user's machine and get its summary back.
1. Find tools with search_tools. 2. Import them: `from servers.demo import list_orders`. 3. Call them with await, \
filter and join in Python, keep big data out of context. 4. Print little, or set `result`; a picture \
(`chart.images[0]`) set as `result` is shown to you.
Rules: top-level await and asyncio.gather work; no network, no other programs; files only below workspace/ and they \
stay between runs; personal data appears as tokens, [EMAIL_1.…]: pass them on unchanged; catch ToolError from \
`client`. A person may have to approve the program first, so say what it is for.
Example:
from servers.demo import list_orders
page = await list_orders(status="pending", limit=500)
result = {"pending": page["total"], "first 500 worth": sum(order["amount"] for order in page["orders"])}""",
    schema=_object(
        ["code", "description"],
        code={"type": "string", "description": "The program."},
        description={"type": "string", "description": "What it is for, in one sentence."},
        timeout={"type": "number", "description": "Seconds; the user's limit holds too."},
        session_id={
            "type": "string",
            "description": "Go on with the variables of your programs under the same id; else each starts fresh.",
        },
        language={
            "type": "string",
            "enum": ["python", "typescript"],
            "description": "Python if left out; typescript always waits for a person: "
            '`import { list_orders } from "./servers/demo"`, top-level await, console.log, result = …, ToolError; '
            "readFile, writeFile and listFiles for workspace/.",
        },
        profile={
            "type": "string",
            "description": "read_only, write_restricted (usual), execute_full (asks), or the user's own.",
        },
        required_tools={
            "type": "array",
            "items": {"type": "string"},
            "description": "The tools it may call: demo.list_orders.",
        },
        force_approval={"type": "boolean", "description": "Ask a person first."},
    ),
    read_only=False,
)

SEARCH = AgentTool(
    name="search_tools",
    description="""Find tools without loading their definitions. Start with detail_level "name" or "description"; \
use "full" for the few you will call: it gives the Python signature with notes. Without a query it lists all.""",
    schema=_object(
        [],
        query={"type": "string", "description": "Words or a sentence; an exact tool name comes first."},
        detail_level={
            "type": "string",
            "enum": ["name", "description", "full", "name_only", "with_description", "summary"],
            "description": "About 6, 20 or 200 tokens a tool.",
        },
        server={"type": "string", "description": "Only tools of this server."},
        category={"type": "string", "description": "Only this category of servers."},
        limit={"type": "integer", "minimum": 1, "maximum": 500, "description": "At most this many (20)."},
    ),
    read_only=True,
)

DEFINITION = AgentTool(
    name="get_tool_definition",
    description="""Read all that a server says of one tool: description, input and output schema. Rarely needed: \
search_tools with "full" is shorter.""",
    schema=_object(
        ["name"],
        name={"type": "string", "description": "As found: list_orders, demo.list_orders or mcp__demo__list_orders."},
        category={"type": "string", "description": "Its server or category, where several have the name."},
    ),
    read_only=True,
)

LIST_SKILLS = AgentTool(
    name="list_skills",
    description="List the skills the user keeps, programs to import: `from skills.late_orders import late_orders`.",
    schema=_object([]),
    read_only=True,
)

SAVE_SKILL = AgentTool(
    name="save_skill",
    description="Offer a program that worked as a skill; the user decides whether to keep it.",
    schema=_object(
        ["name", "code", "description"],
        name={"type": "string", "description": "Lower-case words with hyphens."},
        code={"type": "string", "description": "An async function of that name with underscores, or a program."},
        description={"type": "string", "description": "When to use it."},
    ),
    read_only=False,
)

TOOLS = (EXECUTE, SEARCH, DEFINITION, LIST_SKILLS, SAVE_SKILL)
