"""Runs the official conformance suite for servers against `serve --http`: `conformance_server.py [SCENARIO …]`.

It needs what `conformance.py` needs, and installs the suite into the user's cache in the same way. It starts a core
with the fixture of `conformance_core.py` on an empty project, and `mcp-workbench serve --http`. The suite cannot send
an access token, so a small proxy in this process adds it and passes everything else unchanged.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from conformance import RUNS, Result, install, judged, lacking, scenarios_of, show

from workbench.events import spawn

HERE = Path(__file__).resolve().parent
AT_ONCE = 2
# Known failures with their reasons. A scenario of this list that passes is reported.
KNOWN: dict[str, str] = {}
NOT_OFFERED = ("tasks-",)  # extensions that the endpoint does not declare


def main(wanted: list[str]) -> int:
    missing = lacking()
    if missing:
        print(missing, file=sys.stderr)
        return 2
    suites = [(version, specification, install(version)) for version, specification in RUNS]
    unexplained = 0
    with tempfile.TemporaryDirectory() as home, _door(Path(home)) as url:
        for version, specification, suite in suites:
            names = scenarios_of(suite, "server", specification)
            unexplained += _table(f"{version}{specification and ', ' + specification}", suite, url, specification,
                                  [name for name in names if not wanted or name in wanted])  # fmt: skip
        suite = suites[-1][2]
        extensions = [name for name in scenarios_of(suite, "server", "") if name.startswith("sep-2640")]
        unexplained += _table(
            "the skills extension", suite, url, "", [n for n in extensions if not wanted or n in wanted]
        )
    return 1 if unexplained else 0


def _table(title: str, suite: list[str], url: str, specification: str, names: list[str]) -> int:
    names = [name for name in names if not name.startswith(NOT_OFFERED)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(partial(_run, suite, url, specification), names))
    return show(title, results, KNOWN)


def _run(suite: list[str], url: str, specification: str, scenario: str) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        command = [*suite, "server", "--url", url, "--scenario", scenario, "--output-dir", folder]
        command += ["--spec-version", specification] if specification else []
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder, check=False)
        return judged(scenario, Path(folder), ended.stdout + ended.stderr)


@contextmanager
def _door(home: Path) -> Iterator[str]:
    """A core with the fixture and its agent endpoint, behind a proxy that adds the access token."""
    project = home / "project"
    project.mkdir()
    world = {**os.environ, "MCP_WORKBENCH_HOME": str(home / "h"), "PYTHONPATH": f"{HERE.parent}{os.pathsep}{HERE}"}
    core = [sys.executable, str(HERE / "conformance_core.py"), "core", "--project", str(project), "--detached"]
    subprocess.run(core, env=world, check=True)  # returns when the core is listening
    command = [sys.executable, "-m", "workbench"]
    serve = [*command, "serve", "--http", "--port", "0", "--json", "--project", str(project)]
    door = subprocess.Popen(serve, env=world, stdout=subprocess.PIPE, text=True)
    try:
        assert door.stdout is not None
        told = json.loads("".join(door.stdout.readline() for _ in range(4)))
        with _proxy(told["url"], told["token"]) as url:
            yield url
    finally:
        door.send_signal(signal.SIGINT)
        door.wait(30)
        subprocess.run([*command, "stop", "--project", str(project)], env=world, check=False)


@contextmanager
def _proxy(url: str, token: str) -> Iterator[str]:
    loop = asyncio.new_event_loop()
    port = int(url.rpartition(":")[2].partition("/")[0])
    server = loop.run_until_complete(asyncio.start_server(partial(_carry, port, token), "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.sockets[0].getsockname()[1]}/mcp"
    finally:
        asyncio.run_coroutine_threadsafe(_end_all(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _end_all() -> None:
    """Close connections that the suite left open."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def _carry(port: int, token: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Proxy one connection: add the token to requests and forward the answers."""
    own = writer.get_extra_info("sockname")[1]
    inner, outer = await asyncio.open_connection("127.0.0.1", port)
    back = spawn("answers", _copy(inner, writer))
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            lines = head.decode("latin-1").split("\r\n")[:-2]
            length = 0
            for at, line in enumerate(lines[1:], 1):
                name, _, value = line.partition(":")
                # Replace the proxy's own name by the endpoint's; keep foreign names.
                if name.lower() in ("host", "origin"):
                    lines[at] = f"{name}:{value.replace(f'localhost:{own}', f'localhost:{port}')}".replace(
                        f"127.0.0.1:{own}", f"127.0.0.1:{port}"
                    )
                if name.lower() == "content-length":
                    length = int(value)
            lines.append(f"Authorization: Bearer {token}")
            outer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + await reader.readexactly(length))
            await outer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        outer.close()
        await asyncio.wait([back], timeout=5)
        writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while chunk := await reader.read(1 << 16):
            writer.write(chunk)
            await writer.drain()
    except ConnectionError:
        return
    finally:
        writer.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
