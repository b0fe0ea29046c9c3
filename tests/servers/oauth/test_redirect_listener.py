"""The redirect listener accepts one valid response and ignores other requests."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from workbench.servers.oauth.redirect_listener import RedirectListener


async def knock(listener, target, host=None, *, raw=None):
    """Send a request to the listener and return its response."""
    port = int(listener.redirect.split(":")[2].split("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(raw or f"GET {target} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{port}'}\r\n\r\n".encode())
    try:
        return (await reader.read()).decode("utf-8", "replace")
    finally:
        writer.close()
        await writer.wait_closed()


async def test_the_fitting_answer_is_taken_and_the_browser_hears_the_end():
    async with RedirectListener() as listener:
        waiting = asyncio.create_task(listener.wait("ours", 20))
        await asyncio.sleep(0)
        browser = asyncio.create_task(knock(listener, "/callback?code=c&state=ours&iss=https://as"))
        found = await waiting
        assert (found.code, found.state, found.issuer) == ("c", "ours", "https://as")
        assert not browser.done()
        await listener.tell("Fine", "It <worked>.", ok=True)
        heard = await browser
    assert heard.startswith("HTTP/1.1 200 OK\r\n")
    assert "It &lt;worked&gt;." in heard


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        ("/callback?code=c&state=theirs", None, 400),
        ("/callback?code=c", None, 400),
        ("/callback?state=ours", None, 400),
        ("/callback?code=c&code=d&state=ours", None, 400),
        ("/callback?code=c&state=%F0%9F%98%80", None, 400),
        ("/favicon.ico", None, 404),
        ("/callback/?code=c&state=ours", None, 404),
        ("/callback?code=c&state=ours", "evil.example", 404),
    ],
)
async def test_anything_else_is_turned_away_and_the_right_one_still_comes(target, host, status):
    async with RedirectListener() as listener:
        waiting = asyncio.create_task(listener.wait("ours", 20))
        await asyncio.sleep(0)
        assert (await knock(listener, target, host)).startswith(f"HTTP/1.1 {status} ")
        assert not waiting.done()
        assert listener.bring("http://anywhere/else?code=c&state=ours")
        assert (await waiting).code == "c"


@pytest.mark.parametrize(
    "raw", [b"\r\n\r\n", b"POST /callback HTTP/1.1\r\n\r\n", b"\xff\xfe\r\n\r\n", b"GET\r\n\r\n", b"x" * 40_000]
)
async def test_rubbish_harms_nobody(raw):
    async with RedirectListener() as listener:
        with contextlib.suppress(ConnectionError):
            await knock(listener, "", raw=raw)
        assert (await knock(listener, "/nothing")).startswith("HTTP/1.1 404")


async def test_only_the_first_fitting_answer_counts():
    async with RedirectListener() as listener:
        waiting = asyncio.create_task(listener.wait("ours", 20))
        await asyncio.sleep(0)
        assert listener.bring("http://x/?code=c&state=ours")
        assert not listener.bring("http://x/?code=d&state=ours")
        assert (await waiting).code == "c"


async def test_nobody_comes():
    async with RedirectListener() as listener:
        with pytest.raises(TimeoutError):
            await listener.wait("ours", 0.01)


async def test_a_wished_port_is_used_and_a_taken_one_makes_way_unless_it_is_registered():
    async with RedirectListener() as first:
        port = int(first.redirect.split(":")[2].split("/")[0])
        async with RedirectListener(port=port) as second:
            assert second.redirect != first.redirect
        with pytest.raises(OSError):
            async with RedirectListener(f"http://localhost:{port}/callback"):
                pass
    async with RedirectListener(f"http://localhost:{port}/back") as third:
        assert third.redirect == f"http://localhost:{port}/back"
