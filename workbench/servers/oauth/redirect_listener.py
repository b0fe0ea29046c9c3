"""Local HTTP listener for the browser's redirect at the end of a sign-in, and the page that it shows. Listens only
during a sign-in.

Requests are untrusted until their state matches: any web page may send one.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import secrets
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

from msgspec import Struct

from workbench.events import spawn

_LONGEST = 16_384  # bytes of a request's header
_HEAD_SECONDS = 10.0
_CALLERS = 20  # simultaneous connections; more are refused


class RedirectAnswer(Struct, frozen=True):
    """Parameters of the redirect request."""

    code: str = ""
    state: str = ""
    issuer: str = ""
    error: str = ""
    description: str = ""


class RedirectListener:
    """Async context manager that listens for the redirect; `redirect` is the redirect URI."""

    def __init__(self, redirect: str = "", port: int = 0) -> None:
        """`redirect`: a registered redirect URI. `port`: the port to try first; when it is taken, any free port."""
        parts = urlsplit(redirect or "http://127.0.0.1/callback")
        self._host, self._path = parts.hostname or "127.0.0.1", parts.path or "/"
        self._fixed = bool(redirect and parts.port)
        self._port = parts.port if redirect and parts.port else port
        self._state = ""
        self._came: asyncio.Future[RedirectAnswer] = asyncio.get_running_loop().create_future()
        self._browser: asyncio.StreamWriter | None = None  # connection of the accepted redirect, for the result page
        self._callers: set[asyncio.StreamWriter] = set()
        self._attended: set[asyncio.Task[None]] = set()
        self._over = False
        self.strangers = 0  # redirects of other sign-ins

    async def __aenter__(self) -> RedirectListener:
        try:
            self._server = await self._listen(self._port)
        except OSError:
            if self._fixed or not self._port:
                raise
            self._server = await self._listen(0)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        self._server.close()
        for writer in tuple(self._callers):
            writer.close()
        self._came.cancel()
        for task in tuple(self._attended):
            task.cancel()
        if self._attended:
            await asyncio.wait(tuple(self._attended))

    @property
    def redirect(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}{self._path}"

    async def wait(self, state: str, seconds: float) -> RedirectAnswer:
        """Wait for the redirect with this state. Raises TimeoutError."""
        self._state = state
        async with asyncio.timeout(seconds):
            return await asyncio.shield(self._came)

    def bring(self, address: str) -> bool:
        """Accept the URL that the user copied from a browser that cannot reach this machine. Returns whether it
        matches."""
        return self._accept(_return(address))

    async def tell(self, title: str, sentence: str, *, ok: bool) -> None:
        """Show the result of the sign-in in the browser."""
        writer, self._browser = self._browser, None
        if writer is not None:
            await _say(writer, page(200 if ok else 400, title, sentence))

    async def _listen(self, port: int) -> asyncio.Server:
        host = "::1" if self._host == "::1" else "127.0.0.1"
        return await asyncio.start_server(self._greet, host, port, limit=_LONGEST)

    def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Register a connection before its task runs: a task that is cancelled before its first step would not close
        it."""
        if self._over or len(self._callers) >= _CALLERS:
            writer.transport.abort()
            return
        self._callers.add(writer)
        self._attended.add(task := spawn("sign-in caller", self._serve(reader, writer)))
        task.add_done_callback(self._attended.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            kept = await self._answer(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, UnicodeError):
            kept = False
        if not kept:
            self._callers.discard(writer)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer a request. Returns whether the connection stays open until the sign-in ends."""
        async with asyncio.timeout(_HEAD_SECONDS):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
        line, *fields = head.split("\r\n")
        method, target, *_ = (*line.split(" "), "", "")
        if method != "GET" or urlsplit(target).path != self._path or not self._knows(fields):
            await _say(writer, page(404, "Not found", "This address only receives the answer of a sign-in."))
            return False
        if not self._accept(_return(target)):
            self.strangers += 1
            sentence = "This answer belongs to a different sign-in, so it was not used."
            await _say(
                writer, page(400, "Answer not used", sentence, "Go back to MCP Workbench and sign in from there.")
            )
            return False
        self._browser = writer
        return True

    def _knows(self, fields: list[str]) -> bool:
        """Check the Host header against DNS rebinding: a foreign host name may resolve to this machine."""
        hosts = [
            value.strip() for name, _, value in (field.partition(":") for field in fields) if name.lower() == "host"
        ]
        return hosts in ([urlsplit(self.redirect).netloc], [f"localhost:{self._port}"])

    def _accept(self, found: RedirectAnswer) -> bool:
        fits = bool(self._state) and secrets.compare_digest(found.state.encode(), self._state.encode())
        if not fits or self._came.done() or not (found.code or found.error):
            return False
        self._came.set_result(found)
        return True


def _return(address: str) -> RedirectAnswer:
    try:
        given = parse_qs(urlsplit(address.strip()[:_LONGEST]).query, max_num_fields=50)
    except ValueError:
        return RedirectAnswer()
    one = {key: values[0] if len(values) == 1 else "" for key, values in given.items()}
    return RedirectAnswer(
        one.get("code", ""), one.get("state", ""), one.get("iss", ""), one.get("error", ""),
        one.get("error_description", ""),
    )  # fmt: skip


async def _say(writer: asyncio.StreamWriter, data: bytes) -> None:
    with contextlib.suppress(OSError):
        writer.write(data)
        await writer.drain()
        writer.close()
        await writer.wait_closed()


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:15vh auto;padding:0 1em;color:#1c1f26;
background:#f7f7f9}}h1{{font-size:1.3em}}p{{white-space:pre-wrap;overflow-wrap:anywhere}}
@media(prefers-color-scheme:dark){{body{{color:#e8e8ee;background:#16181d}}}}</style></head>
<body><h1>{title}</h1><p>{sentence}</p><p>{rest}</p></body></html>
"""
_HEADERS = (
    "Content-Type: text/html; charset=utf-8",
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy: no-referrer",
    "X-Content-Type-Options: nosniff",
    "Cache-Control: no-store",
    "Connection: close",
)
_QUOTED = 600  # characters of untrusted text


def page(status: int, title: str, sentence: str, rest: str = "You can close this page.") -> bytes:
    """Build the complete HTTP answer; all texts are escaped."""
    shown = {"title": title, "sentence": sentence[:_QUOTED], "rest": rest}
    body = _PAGE.format(**{key: html.escape(_visible(text)) for key, text in shown.items()}).encode()
    reason = {200: "OK", 400: "Bad Request", 404: "Not Found"}.get(status, "Answer")
    head = "\r\n".join((f"HTTP/1.1 {status} {reason}", *_HEADERS, f"Content-Length: {len(body)}", "", ""))
    return head.encode("ascii") + body


def _visible(text: str) -> str:
    """Replace characters that are invisible or change the direction of text."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "�" for letter in text)
