"""Sends a message to the command and the webhook that the user's own settings name."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import os
import shlex
import urllib.request
from contextlib import suppress
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from workbench.errors import WorkbenchError
from workbench.notifications.notification_text import NotificationText
from workbench.records import JsonObject
from workbench.servers.configuration.launch_command import Secret, expand

log = logging.getLogger(__name__)

SECONDS = 10.0  # for the command, and for one request
RETRY_SECONDS = 3.0
_PRIORITY = {"low": "3", "medium": "3", "high": "4", "critical": "5"}  # of ntfy: 3 is its default, 5 the highest
_LATER = frozenset({408, 429, 500, 502, 503, 504})  # statuses after which a second try makes sense


def plain_fields(message: NotificationText, project: str) -> JsonObject:
    """The message as JSON, for the command and for webhooks of the format `json`."""
    return {
        "title": message.title,
        "message": message.body,
        "count": message.count,
        "risk": message.risk,
        "project": project,
        "answer": "mcp-workbench review",
    }


async def run_command(command: str, message: NotificationText, project: str) -> str:
    """Run the command with the message as JSON on its standard input. Returns why it failed, or an empty text."""
    try:
        words = shlex.split(command)
    except ValueError as fault:
        return f"notify.command cannot be read: {fault}."
    if not words:
        return "notify.command names no program."
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=os.path.expanduser("~"),
            start_new_session=True,
        )
    except (OSError, ValueError) as fault:
        return f"The command of notify.command cannot be started: {getattr(fault, 'strerror', '') or fault}."
    try:
        async with asyncio.timeout(SECONDS):
            await process.communicate(json.dumps(plain_fields(message, project)).encode())
    except TimeoutError:
        return f"The command of notify.command did not end within {SECONDS:.0f} seconds and was ended."
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            await process.wait()
    return f"The command of notify.command ended with code {process.returncode}." if process.returncode else ""


async def post(url: str, form: str, message: NotificationText, project: str, secret: Secret) -> str:
    """Send the message to the webhook, twice if the first try fails. Returns why it failed, or an empty text.

    The address may contain a secret, so it is never part of a message or the log.
    """
    try:
        request = await asyncio.to_thread(_request, url, form, message, project, secret)
    except WorkbenchError as fault:
        return f"{fault.message} {fault.hint}".strip()
    problem, again = await asyncio.to_thread(_send, request)
    if again:
        await asyncio.sleep(RETRY_SECONDS)
        problem, _ = await asyncio.to_thread(_send, request)
    return problem


def _request(url: str, form: str, message: NotificationText, project: str, secret: Secret) -> urllib.request.Request:
    address = expand(url, os.environ, secret)
    if not may_be_used(address):
        raise WorkbenchError(
            "The address of notify.url cannot be used.",
            "Use an address that begins with https://, or one of this machine.",
        )
    headers: dict[str, str] = {"User-Agent": "mcp-workbench", "Content-Type": "application/json"}
    if form == "ntfy":
        priority = _PRIORITY.get(message.risk, "3")
        headers |= {"Title": "MCP Workbench", "Priority": priority, "Content-Type": "text/plain; charset=utf-8"}
        data = f"{message.title}. {message.body}".encode()
    elif form == "slack":
        text = f"{message.title}. {message.body}"
        for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):  # nothing becomes a link or a mention
            text = text.replace(sign, entity)
        data = json.dumps({"text": text}).encode()
    else:
        data = json.dumps(plain_fields(message, project)).encode()
    return urllib.request.Request(address, data, headers, method="POST")


def may_be_used(address: str) -> bool:
    """Whether an address is encrypted or of this machine."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        if parts.scheme == "https":
            return bool(host)
        return parts.scheme == "http" and (host == "localhost" or ipaddress.ip_address(host).is_loopback)
    except ValueError:
        return False


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which could lead the message to an unencrypted address."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


def _send(request: urllib.request.Request) -> tuple[str, bool]:
    """Send once. Returns why it failed, and whether a second try makes sense."""
    host = urlsplit(request.full_url).hostname
    handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
    if request.type == "http":
        handlers.append(urllib.request.ProxyHandler({}))  # an address of this machine needs no proxy
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=SECONDS):
            return "", False
    except HTTPError as fault:
        with fault:
            return f"{host} answered with status {fault.code}.", fault.code in _LATER
    except URLError as fault:
        return f"{host} cannot be reached: {_reason(fault.reason)}.", True
    except (OSError, HTTPException, ValueError) as fault:
        return f"{host} cannot be reached: {_reason(fault)}.", True


def _reason(fault: object) -> str:
    if isinstance(fault, TimeoutError):
        return f"no answer within {SECONDS:.0f} seconds"
    return getattr(fault, "strerror", "") or type(fault).__name__
