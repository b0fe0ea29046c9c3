"""The SDK's own server whose tools ask back as the SDK recommends: it speaks both eras. `resolving.py`."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import Elicit, MCPServer, Resolve, Sample
from mcp.types import CreateMessageResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("resolving")


class Guest(BaseModel):
    """Who comes."""

    name: str


class Meal(BaseModel):
    """What they eat."""

    dish: str


async def ask_guest() -> Elicit[Guest]:
    return Elicit("Who comes?", Guest)


async def ask_meal() -> Elicit[Meal]:
    return Elicit("What shall it be?", Meal)


async def ask_model() -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(text="A greeting, please."))], max_tokens=50)


@server.tool()
async def book(guest: Annotated[Guest, Resolve(ask_guest)]) -> str:
    return f"booked for {guest.name}"


@server.tool()
async def dine(guest: Annotated[Guest, Resolve(ask_guest)], meal: Annotated[Meal, Resolve(ask_meal)]) -> str:
    return f"{meal.dish} for {guest.name}"


@server.tool()
async def greet(words: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
    return words.content.text


if __name__ == "__main__":
    server.run()
