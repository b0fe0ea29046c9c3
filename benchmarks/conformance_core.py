"""A core whose agents get what the conformance suite calls: `conformance_core.py core --project DIR [--detached]`.

Agent endpoint, HTTP, sessions and egress filter are the workbench's own. `arrange`, which does nothing in the
workbench, adds the suite's tools, prompts and resources directly to the endpoint, so that only the endpoint is tested.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import mcp.types as T
from conformance_tools import BUS, PNG, TOOLS, content, embedded, form
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError

import workbench.process as process
from workbench.agent.agent_connection import AgentConnection
from workbench.core import Core
from workbench.paths import Paths

STATIC = {
    "test://static-text": ("Static text", "text/plain"),
    "test://static-binary": ("Static binary", "image/png"),
    "test://watched-resource": ("Watched", "text/plain"),
}
TEMPLATE = "test://template/"
PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


class Suite:
    """The suite's tools, prompts and resources for one agent."""

    def __init__(self, door: AgentConnection) -> None:
        server = door.server
        self._own = {
            name: server.get_request_handler(name).handler
            for name in ("tools/list", "tools/call", "resources/list", "resources/read")
        }
        add = server.add_request_handler
        add("tools/list", T.PaginatedRequestParams, self.tools)
        add("tools/call", T.CallToolRequestParams, self.call)
        add("resources/list", T.PaginatedRequestParams, self.resources)
        add("resources/read", T.ReadResourceRequestParams, self.read)
        add("resources/templates/list", T.PaginatedRequestParams, self.templates)
        add("resources/subscribe", T.SubscribeRequestParams, self.subscribe)
        add("resources/unsubscribe", T.UnsubscribeRequestParams, self.subscribe)
        add("prompts/list", T.PaginatedRequestParams, self.prompts)
        add("prompts/get", T.GetPromptRequestParams, self.prompt)
        add("completion/complete", T.CompleteRequestParams, self.complete)
        add("subscriptions/listen", T.SubscriptionsListenRequestParams, ListenHandler(BUS))

    async def tools(self, context: Any, params: Any) -> T.ListToolsResult:
        own = await self._own["tools/list"](context, params)
        ours = [T.Tool(name=name, description=f"Of the suite: {name}.", input_schema=schema)
                for name, (_, schema) in TOOLS.items()]  # fmt: skip
        return T.ListToolsResult(tools=[*own.tools, *ours])

    async def call(self, context: Any, params: T.CallToolRequestParams) -> Any:
        if params.name in TOOLS:
            return await TOOLS[params.name][0](context, params)
        return await self._own["tools/call"](context, params)

    async def resources(self, context: Any, params: Any) -> T.ListResourcesResult:
        own = await self._own["resources/list"](context, params)
        ours = [T.Resource(uri=uri, name=name, mime_type=kind) for uri, (name, kind) in STATIC.items()]
        return T.ListResourcesResult(resources=[*own.resources, *ours], next_cursor=own.next_cursor)

    async def read(self, context: Any, params: T.ReadResourceRequestParams) -> T.ReadResourceResult:
        uri = str(params.uri)
        if uri == "test://static-binary":
            blob = T.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
            return T.ReadResourceResult(contents=[blob])
        if uri in STATIC:
            words = "This is the content of the static text resource."
            return T.ReadResourceResult(contents=[T.TextResourceContents(uri=uri, mime_type="text/plain", text=words)])
        if uri.startswith(TEMPLATE):
            number = uri.removeprefix(TEMPLATE).partition("/")[0]
            words = f'{{"id":"{number}","templateTest":true,"data":"Data for ID: {number}"}}'
            text = T.TextResourceContents(uri=uri, mime_type="application/json", text=words)
            return T.ReadResourceResult(contents=[text])
        return await self._own["resources/read"](context, params)

    async def templates(self, context: Any, params: Any) -> T.ListResourceTemplatesResult:
        one = T.ResourceTemplate(uri_template=f"{TEMPLATE}{{id}}/data", name="Template", mime_type="application/json")
        return T.ListResourceTemplatesResult(resource_templates=[one])

    async def subscribe(self, context: Any, params: Any) -> T.EmptyResult:
        return T.EmptyResult()

    async def prompts(self, context: Any, params: Any) -> T.ListPromptsResult:
        return T.ListPromptsResult(
            prompts=[
                T.Prompt(name=name, description=f"Of the suite: {name}.",
                         arguments=[T.PromptArgument(name=one, required=True) for one in arguments])
                for name, arguments in PROMPTS.items()
            ]
        )  # fmt: skip

    async def prompt(self, context: Any, params: T.GetPromptRequestParams) -> Any:
        given = params.arguments or {}
        match params.name:
            case "test_simple_prompt":
                return _prompt(T.TextContent(text="This is a simple prompt for testing."))
            case "test_prompt_with_arguments":
                words = f"Prompt with arguments: arg1='{given.get('arg1', '')}', arg2='{given.get('arg2', '')}'"
                return _prompt(T.TextContent(text=words))
            case "test_prompt_with_embedded_resource":
                block = embedded(given.get("resourceUri", ""), "text/plain", "Embedded resource content for testing.")
                return _prompt(block, T.TextContent(text="Please process the embedded resource above."))
            case "test_prompt_with_image":
                picture = T.ImageContent(data=PNG, mime_type="image/png")
                return _prompt(picture, T.TextContent(text="Please analyze the image above."))
            case "test_input_required_result_prompt":
                if (answer := content(params, "user_context")) is None:
                    question = form("What context should the prompt use?", "context")
                    return T.InputRequiredResult(input_requests={"user_context": question})
                return _prompt(T.TextContent(text=f"Context: {answer.get('context', '')}"))
        raise MCPError(T.INVALID_PARAMS, f"There is no prompt {params.name!r:.80}.")

    async def complete(self, context: Any, params: T.CompleteRequestParams) -> T.CompleteResult:
        words = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
        return T.CompleteResult(completion=T.Completion(values=words, total=len(words), has_more=False))


def _prompt(*blocks: Any) -> T.GetPromptResult:
    return T.GetPromptResult(messages=[T.PromptMessage(role="user", content=block) for block in blocks])


def _core(paths: Paths, on_shut_down: Callable[[], None], *, agent_comes: bool) -> Core:
    return Core(paths, on_shut_down, arrange=lambda door: Suite(door) and None)


if __name__ == "__main__":
    process.new_core = _core
    sys.exit(process.main(sys.argv[2:]))
