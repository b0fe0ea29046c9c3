"""A server of the modern era, made with the SDK: `modern.py`. The tool `post` changes `board://news` and tells so."""

from __future__ import annotations

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import Completion

server = MCPServer("modern board", instructions="A board with news.")
news = ["nothing yet"]


@server.resource("board://news", mime_type="text/plain")
def read_news() -> str:
    """All news."""
    return "\n".join(news)


@server.resource("board://news/{number}")
def read_one(number: str) -> str:
    """One of the news."""
    return news[int(number)]


@server.prompt()
def announce(what: str) -> str:
    """Announce something."""
    return f"Announce {what}."


@server.completion()
async def complete(ref: object, argument: object, context: object) -> Completion:
    typed = argument.value
    return Completion(values=[one for one in ("launch", "lunch", "party") if one.startswith(typed)])


@server.tool()
async def post(text: str, context: Context) -> str:
    """Post news."""
    news.append(text)
    await context.log("info", f"posted {text}")
    await context.notify_resource_updated("board://news")
    return "posted"


if __name__ == "__main__":
    server.run()
