"""The tools that the official conformance suite expects from a server. They are not part of the workbench.

Each tool is a function of the request; `TOOLS` has names and schemas.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import struct
import warnings
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import mcp.types as T
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

warnings.filterwarnings("ignore", category=MCPDeprecationWarning)

BUS = InMemorySubscriptionBus()
KEY = secrets.token_bytes(32)
PAUSE = 0.05
Answer = T.CallToolResult | T.InputRequiredResult
Handler = Callable[[Any, T.CallToolRequestParams], Awaitable[Answer]]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png() -> str:
    """A PNG with one red pixel."""
    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    parts = (_chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")), _chunk(b"IEND", b""))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def _wav() -> str:
    """A WAV file with a hundredth of a second of silence."""
    data = bytes(80)
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8,
                       b"data", len(data))  # fmt: skip
    return base64.b64encode(head + data).decode()


PNG, WAV = _png(), _wav()


def said(text: str, **more: Any) -> T.CallToolResult:
    return T.CallToolResult(content=[T.TextContent(text=text)], **more)


def embedded(uri: str, kind: str, text: str) -> T.EmbeddedResource:
    return T.EmbeddedResource(resource=T.TextResourceContents(uri=uri, mime_type=kind, text=text))


# ── plain answers ────────────────────────────────────────────────────────────────────────────────
async def simple_text(context: Any, params: T.CallToolRequestParams) -> Answer:
    return said("This is a simple text response for testing.")


async def image(context: Any, params: T.CallToolRequestParams) -> Answer:
    return T.CallToolResult(content=[T.ImageContent(data=PNG, mime_type="image/png")])


async def audio(context: Any, params: T.CallToolRequestParams) -> Answer:
    return T.CallToolResult(content=[T.AudioContent(data=WAV, mime_type="audio/wav")])


async def resource(context: Any, params: T.CallToolRequestParams) -> Answer:
    block = embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    return T.CallToolResult(content=[block])


async def mixed(context: Any, params: T.CallToolRequestParams) -> Answer:
    data = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    blocks = [T.TextContent(text="Multiple content types test:"), T.ImageContent(data=PNG, mime_type="image/png"), data]
    return T.CallToolResult(content=blocks)


async def error(context: Any, params: T.CallToolRequestParams) -> Answer:
    return said("This tool intentionally returns an error for testing", is_error=True)


async def echo(context: Any, params: T.CallToolRequestParams) -> Answer:
    return said(json.dumps(params.arguments or {}))


# ── messages during a call ───────────────────────────────────────────────────────────────────────
async def logging(context: Any, params: T.CallToolRequestParams) -> Answer:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", words, "conformance", context.request_id)
        await asyncio.sleep(PAUSE)
    return said("Three messages were logged.")


async def progress(context: Any, params: T.CallToolRequestParams) -> Answer:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100, f"{done} of 100")
        await asyncio.sleep(PAUSE)
    return said("Three steps were reported.")


async def reconnection(context: Any, params: T.CallToolRequestParams) -> Answer:
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await asyncio.sleep(PAUSE)
    return said("This came after the stream was closed.")


async def tools_changed(context: Any, params: T.CallToolRequestParams) -> Answer:
    await BUS.publish(ToolsListChanged())
    return said("Told.")


async def prompts_changed(context: Any, params: T.CallToolRequestParams) -> Answer:
    await BUS.publish(PromptsListChanged())
    return said("Told.")


async def missing_capability(context: Any, params: T.CallToolRequestParams) -> Answer:
    _need(context, "sampling")
    return said("The client can sample.")


def _need(context: Any, name: str) -> None:
    capabilities = context.session.client_capabilities
    if capabilities is None or getattr(capabilities, name) is None:
        data = {"requiredCapabilities": {name: {}}}
        raise MCPError(T.MISSING_REQUIRED_CLIENT_CAPABILITY, f"The client does not offer {name}.", data)


# ── requests to the client, until 2025-11-25 ─────────────────────────────────────────────────────
async def sampling(context: Any, params: T.CallToolRequestParams) -> Answer:
    asked = T.SamplingMessage(role="user", content=T.TextContent(text=str((params.arguments or {}).get("prompt", ""))))
    answer = await context.session.create_message([asked], max_tokens=100, related_request_id=context.request_id)
    return said(f"LLM response: {getattr(answer.content, 'text', '')}")


def _elicits(schema: dict[str, Any], words: str) -> Handler:
    async def elicitation(context: Any, params: T.CallToolRequestParams) -> Answer:
        message = str((params.arguments or {}).get("message", words))
        answer = await context.session.elicit_form(message, schema, context.request_id)
        return said(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")

    return elicitation


def _fields(*required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})


WHO = _fields("username", "email", username={"type": "string", "description": "User's response"},
              email={"type": "string", "description": "User's email address"})  # fmt: skip
DEFAULTS = _fields(
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)


def _titled(*words: str) -> list[dict[str, str]]:
    return [{"const": f"value{number}", "title": f"{word} Option"} for number, word in enumerate(words, 1)]


OPTIONS = ["option1", "option2", "option3"]
ENUMS = _fields(
    untitledSingle={"type": "string", "enum": OPTIONS},
    titledSingle={"type": "string", "oneOf": _titled("First", "Second", "Third")},
    legacyEnum={"type": "string", "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"]},
    untitledMulti={"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    titledMulti={"type": "array", "items": {"anyOf": _titled("First", "Second", "Third")}},
)  # fmt: skip


# ── requests to the client, since 2026-07-28 ─────────────────────────────────────────────────────
def form(message: str, name: str, kind: str = "string") -> T.ElicitRequest:
    schema = _fields(name, **{name: {"type": kind}})
    return T.ElicitRequest(params=T.ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(words: str, tokens: int) -> T.CreateMessageRequest:
    message = T.SamplingMessage(role="user", content=T.TextContent(text=words))
    return T.CreateMessageRequest(params=T.CreateMessageRequestParams(messages=[message], max_tokens=tokens))


def sealed(state: str) -> str:
    return f"{state}.{hmac.new(KEY, state.encode(), hashlib.sha256).hexdigest()}"


def unsealed(token: str | None) -> str:
    state, _, mark = (token or "").rpartition(".")
    if not hmac.compare_digest(sealed(state).rpartition(".")[2], mark):
        raise MCPError(T.INVALID_PARAMS, "The request state was changed.")
    return state


def content(params: T.InputResponseRequestParams, key: str) -> dict[str, Any] | None:
    answer = (params.input_responses or {}).get(key)
    return dict(answer.content or {}) if isinstance(answer, T.ElicitResult) else None


async def input_elicitation(context: Any, params: T.CallToolRequestParams) -> Answer:
    given = content(params, "user_name")
    if not given or not isinstance(given.get("name"), str):
        return T.InputRequiredResult(input_requests={"user_name": form("What is your name?", "name")})
    return said(f"Hello, {given['name']}!")


async def input_sampling(context: Any, params: T.CallToolRequestParams) -> Answer:
    answer = (params.input_responses or {}).get("capital_question")
    if not isinstance(answer, T.CreateMessageResult):
        question = sample("What is the capital of France?", 100)
        return T.InputRequiredResult(input_requests={"capital_question": question})
    return said(str(getattr(answer.content, "text", "")))


async def input_roots(context: Any, params: T.CallToolRequestParams) -> Answer:
    answer = (params.input_responses or {}).get("client_roots")
    if not isinstance(answer, T.ListRootsResult):
        return T.InputRequiredResult(input_requests={"client_roots": T.ListRootsRequest()})
    return said(f"Roots: {', '.join(str(root.uri) for root in answer.roots)}")


async def input_state(context: Any, params: T.CallToolRequestParams) -> Answer:
    if content(params, "confirm") is None:
        question = {"confirm": form("Please confirm", "ok", "boolean")}
        return T.InputRequiredResult(input_requests=question, request_state=sealed("asked"))
    return said(f"state-ok: {unsealed(params.request_state)}")


async def input_many(context: Any, params: T.CallToolRequestParams) -> Answer:
    questions: dict[str, Any] = {
        "user_name": form("What is your name?", "name"),
        "greeting": sample("Generate a greeting", 50),
        "client_roots": T.ListRootsRequest(),
    }
    if not set(questions) <= set(params.input_responses or {}):
        return T.InputRequiredResult(input_requests=questions, request_state=sealed("many"))
    return said(f"All were answered: {unsealed(params.request_state)}")


async def input_rounds(context: Any, params: T.CallToolRequestParams) -> Answer:
    state = unsealed(params.request_state) if params.request_state else ""
    if state == "round-2" and (color := content(params, "step2")) is not None:
        return said(f"Both steps are done: {json.dumps(color)}")
    if state == "round-1" and content(params, "step1") is not None:
        question = {"step2": form("Step 2: What is your favorite color?", "color")}
        return T.InputRequiredResult(input_requests=question, request_state=sealed("round-2"))
    question = {"step1": form("Step 1: What is your name?", "name")}
    return T.InputRequiredResult(input_requests=question, request_state=sealed("round-1"))


async def input_capabilities(context: Any, params: T.CallToolRequestParams) -> Answer:
    if params.input_responses:
        return said("Answered.")
    able = context.session.client_capabilities
    questions: dict[str, Any] = {}
    if able is not None and able.sampling is not None:
        questions["sampled"] = sample("Say something", 50)
    if able is not None and able.elicitation is not None:
        questions["asked"] = form("What is your name?", "name")
    return T.InputRequiredResult(input_requests=questions) if questions else said("The client can answer nothing.")


SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_HEADED = _fields(region={"type": "string", "x-mcp-header": "Region", "description": "Mirrored in a header."})
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
_PROMPTED = _fields("prompt", prompt={"type": "string"})
_ASKED = _fields("message", message={"type": "string"})

TOOLS: dict[str, tuple[Handler, dict[str, Any]]] = {
    "test_simple_text": (simple_text, _NOTHING),
    "test_image_content": (image, _NOTHING),
    "test_audio_content": (audio, _NOTHING),
    "test_embedded_resource": (resource, _NOTHING),
    "test_multiple_content_types": (mixed, _NOTHING),
    "test_error_handling": (error, _NOTHING),
    "json_schema_2020_12_tool": (echo, SCHEMA),
    "test_x_mcp_header": (echo, _HEADED),
    "test_tool_with_logging": (logging, _NOTHING),
    "test_logging_tool": (logging, _NOTHING),
    "test_tool_with_progress": (progress, _NOTHING),
    "test_reconnection": (reconnection, _NOTHING),
    "test_trigger_tool_change": (tools_changed, _NOTHING),
    "test_trigger_prompt_change": (prompts_changed, _NOTHING),
    "test_missing_capability": (missing_capability, _NOTHING),
    "test_sampling": (sampling, _PROMPTED),
    "test_elicitation": (_elicits(WHO, "Who are you?"), _ASKED),
    "test_elicitation_sep1034_defaults": (_elicits(DEFAULTS, "Please fill this in."), _NOTHING),
    "test_elicitation_sep1330_enums": (_elicits(ENUMS, "Please choose."), _NOTHING),
    "test_streaming_elicitation": (input_elicitation, _NOTHING),
    "test_input_required_result_elicitation": (input_elicitation, _NOTHING),
    "test_input_required_result_sampling": (input_sampling, _NOTHING),
    "test_input_required_result_list_roots": (input_roots, _NOTHING),
    "test_input_required_result_request_state": (input_state, _NOTHING),
    "test_input_required_result_tampered_state": (input_state, _NOTHING),
    "test_input_required_result_multiple_inputs": (input_many, _NOTHING),
    "test_input_required_result_multi_round": (input_rounds, _NOTHING),
    "test_input_required_result_capabilities": (input_capabilities, _NOTHING),
}
