"""The tools that agents see: names, descriptions and schemas, as data, so that docs and tests read the same table.

Every model reads every word of this table in every conversation: all of it together stays below 1,400 tokens.
"""

from __future__ import annotations

import json
from typing import Final

from msgspec import Struct, field

from workbench.records import JsonObject

INSTRUCTIONS = "Write programs, not single calls: search_tools, then execute_code."


def _object(required: list[str], **properties: JsonObject) -> JsonObject:
    """Return an object schema. The endpoint refuses unknown arguments, so the schemas need not forbid them."""
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _output_schema(text: str, **more: JsonObject) -> JsonObject:
    """Return the output schema of a tool. Models are not shown these schemas; clients validate answers with them."""
    properties = {"text": {"type": "string", "description": text}, **more}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _text(description: str) -> JsonObject:
    return {"type": "string", "description": description}


def _number(description: str) -> JsonObject:
    return {"type": "integer", "description": description}


def _texts(description: str) -> JsonObject:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _list(description: str, *names: str, **numbers: JsonObject) -> JsonObject:
    """Return the schema of a list of objects with these texts and numbers."""
    properties = {name: {"type": "string"} for name in names} | numbers
    items = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "array", "items": items, "description": description}


class AgentTool(Struct, frozen=True):
    """One tool that agents see."""

    name: str
    description: str
    schema: JsonObject
    read_only: bool
    output_schema: JsonObject = field(
        default_factory=lambda: _output_schema("The answer.")
    )  # schema of its structured content
    unlisted: tuple[str, ...] = ()  # accepted arguments that the schema does not name


def encode_definition(tool: AgentTool) -> str:
    """Return a tool as a client passes it to its model, without its output schema."""
    shown = {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


_RUN = _output_schema(
    "What the program printed and its result, or what went wrong.",
    run=_text("Id of the run, for get_run."),
    state=_text("done, failed, refused or stopped; waiting means for the user: call get_run."),
)

EXECUTE = AgentTool(
    name="execute_code",
    description="""Run a Python program in a locked sandbox on the user's machine.
1. Find tools with search_tools. 2. Import them: `from servers.demo import list_orders`. 3. Await calls, with \
arguments by name; filter and join in the program. 4. Print a few lines, or set `result`; pictures in it \
(`chart.images[0]`) are shown.
Top-level await and asyncio.gather work. There is no network and no other process; files are below workspace/. Failed \
calls raise ToolError from `client`. The user may have to approve the program: say why.
Data in the program is real; what you read back has tokens, [EMAIL_1.…], in place of personal data; tokens of one \
person's name share a number. A token written as a text of its own equals its value in ==, in, match and look-ups once \
the program has read that value from the server it first came from; elsewhere it stays text. Tools get the value. From \
`client`, equal(a, b), domain_of, year_of, last4, initials and masked take values or tokens.
Example:
from servers.demo import list_orders
page = await list_orders(limit=500)
result = sum(o["amount"] for o in page["orders"])""",
    schema=_object(
        ["code"],
        code=_text("The program."),
        description=_text("Its purpose."),
        timeout={"type": "number", "description": "Own run time in seconds, at most 30."},
        session_id=_text("Keeps variables."),
        language={
            "type": "string",
            "enum": ["python", "typescript"],
            "description": "typescript needs approval; import from ./servers/demo.",
        },
        profile=_text("read_only, write_restricted, execute_full (needs approval)."),
        required_tools=_texts("All tools it may call."),
        force_approval={"type": "boolean", "description": "Ask the user."},
    ),
    read_only=False,
    output_schema=_RUN,
)

SEARCH = AgentTool(
    name="search_tools",
    description="Find tools, or list all.",
    schema=_object(
        [],
        query=_text("Words or a name."),
        detail_level=_text("name, description or full: 6, 20, 200 tokens a tool."),
        server=_text("Only this server."),
        category=_text("Server category."),
        limit=_number("Default 20."),
    ),
    read_only=True,
)

DEFINITION = AgentTool(
    name="get_tool_definition",
    description="Get a tool's full schema.",
    schema=_object(["name"], name=_text("demo.list_orders.")),
    read_only=True,
    unlisted=("category",),
)

LIST_SKILLS = AgentTool(
    name="list_skills",
    description="List the user's skills. Import: `from skills.late_orders import late_orders`.",
    schema=_object([]),
    read_only=True,
    output_schema=_output_schema("One line for each skill.", skills=_list("The skills.", "name", "description")),
)

SEARCH_SKILLS = AgentTool(
    name="search_skills",
    description="Find skills.",
    schema=_object(["query"], query=_text("Words.")),
    read_only=True,
    output_schema=LIST_SKILLS.output_schema,
)

LOAD_SKILL = AgentTool(
    name="load_skill",
    description="Read a skill's text.",
    schema=_object(["name"], name=_text("Skill name.")),
    read_only=True,
)

RUN_SKILL = AgentTool(
    name="run_skill",
    description="Run a saved skill.",
    schema=_object(["name"], name=_text("Skill name."), arguments={"type": "object", "description": "Its arguments."}),
    read_only=False,
    output_schema=_RUN,
)

SAVE_SKILL = AgentTool(
    name="save_skill",
    description="Offer a working program as a skill.",
    schema=_object(
        ["name", "code", "description"],
        name=_text("lower-case-words."),
        code=_text("A program, or an async function of its name."),
        description=_text("When to use it."),
    ),
    read_only=False,
)

SANITIZE = AgentTool(
    name="sanitize_pii",
    description="Replace the personal data in a text with tokens.",
    schema=_object(["text"], text=_text("Any text.")),
    read_only=True,
)

RESTORE = AgentTool(
    name="restore_pii",
    description="Say which tokens of a text are valid, and why others are not. Only tools get the values.",
    schema=_object(["text"], text=_text("Text with tokens.")),
    read_only=True,
)

WRITE_FILE = AgentTool(
    name="write_workspace_file",
    description="Write a workspace text file.",
    schema=_object(["path", "content"], path=_text("reports/a.txt"), content=_text("File text.")),
    read_only=False,
    output_schema=_RUN,
)

_RUN_OR_STATE = _output_schema(
    "The run's answer, or what it waits for.", run=_text("Id of the run."), state=_text("As in execute_code.")
)

READ_FILE = AgentTool(
    name="read_workspace_file",
    description="Read a workspace text file.",
    schema=_object(["path"], path=_text("File path."), first_line=_number("First line to read.")),
    read_only=True,
)

LIST_FILES = AgentTool(
    name="list_workspace_files",
    description="List workspace files.",
    schema=_object([], folder=_text("Folder.")),
    read_only=True,
)

GET_RUN = AgentTool(
    name="get_run",
    description="Get a run's state and answer.",
    schema=_object(["run_id"], run_id=_text("Run id."), offset=_number("Start."), wait=_number("Seconds.")),
    read_only=True,
    output_schema=_RUN_OR_STATE,
)

STATS = AgentTool(
    name="get_execution_stats",
    description="Count runs and tokens.",
    schema=_object([]),
    read_only=True,
    output_schema=_output_schema(
        "The same figures as lines of text.",
        **{
            name: _number(words)
            for name, words in {
                "servers": "Known servers.",
                "tools": "Known tools.",
                "skills": "Kept skills.",
                "runs": "Programs of this agent.",
                "succeeded": "Programs of this agent that finished.",
                "active_tasks": "Programs of all agents that are running.",
                "queued": "Programs that wait for a free slot.",
                "waiting": "Runs that wait for the user's approval.",
                "max_concurrent_tasks": "Maximum number of programs that run at once.",
                "tokens_used": "Tokens that this agent's programs and answers cost.",
                "tokens_saved": "Additional tokens that single calls would have cost.",
            }.items()
        },
    ),
)

RUN_PROGRAMS: Final = frozenset({"execute_code", "run_skill"})  # not offered while the setting run.enabled is off

TOOLS = (
    EXECUTE, SEARCH, DEFINITION, LIST_SKILLS, SEARCH_SKILLS, LOAD_SKILL, RUN_SKILL, SAVE_SKILL, SANITIZE, RESTORE,
    WRITE_FILE, READ_FILE, LIST_FILES, GET_RUN, STATS,
)  # fmt: skip
