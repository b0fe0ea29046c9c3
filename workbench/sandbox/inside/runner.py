"""Entry point in the sandbox: receives a program's text over the channel, runs it, and sends output and result.

It provides no protection: the program shares this process and may change all of it. Uses only the standard library.
"""

from __future__ import annotations

import asyncio
import builtins
import codecs
import contextlib
import datetime
import gc
import importlib.util
import io
import json
import linecache
import math
import os
import re
import resource
import signal
import socket
import struct
import sys
import threading
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from workbench.sandbox.inside import program_transform, proxied_sockets
from workbench.sandbox.inside.frame_channel import FrameChannel
from workbench.sandbox.inside.json_output import json_text
from workbench.sandbox.inside.token_literals import TABLE, TokenTable, has_tokens
from workbench.sandbox.inside.traceback_report import format_failure

BENCH = "/bench"  # folder with the program's folders, unless `arrange_process` receives a different one
PACKAGES = "/packages"
CHANNEL = 3  # descriptor of the channel to the core
_THREAD_STACK = 1 << 20  # bytes; thread stacks count as memory
_LONGEST_RESULT = 24_000_000  # bytes
_BULKY = 1 << 16  # characters from which a result is sent as a bulk frame
_MODULES = ("mcp_content", "client", "tool_discovery")
_WARM_UP_PROGRAM = "import json\nprint('x')\njson.loads('[1]')\n"
_place = BENCH
_tokens = TokenTable()


def load_modules(folder: Path) -> None:
    """Import the modules for programs ahead of time. Their origin appears to be the project folder."""
    for name in _MODULES:
        found = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        assert found is not None
        assert found.loader is not None
        module = importlib.util.module_from_spec(found)
        sys.modules[name] = module
        found.loader.exec_module(module)
        module.__file__ = f"{BENCH}/{name}.py"


def arrange_process(
    channel: int,
    output: int,
    status: int,
    environment: dict[str, str],
    project: str = BENCH,
    kept: tuple[int, ...] = (),
) -> None:
    """Arrange descriptors 0 to 4 and those in `kept`, close all others, and set environment and search path."""
    global _place
    _place = project
    nothing = os.open("/dev/null", os.O_RDONLY)
    wanted = (nothing, output, output, channel, nothing if status < 0 else status, *kept)
    for target, source in enumerate([os.dup2(source, 200 + at) for at, source in enumerate(wanted)]):
        os.dup2(source, target)
    os.closerange(len(wanted), 65536)
    os.environ.clear()
    os.environ.update(environment)
    threading.stack_size(_THREAD_STACK)
    library = [place for place in sys.path if place.startswith(sys.base_prefix) and "-packages" not in place]
    sys.path[:] = [project, *library, *[PACKAGES] * os.path.isdir(PACKAGES)]
    sys.argv[:] = [program_transform.NAME]


def report_broken(channel: int, fault: BaseException, detail: str) -> None:
    """Report on the channel that the sandbox could not be built. No data of a program has been read yet."""
    frame = json.dumps({"kind": "broken", "message": str(fault) or type(fault).__name__, "detail": detail}).encode()
    os.write(channel, struct.pack(">I", len(frame)) + frame)


def import_ahead(modules: Sequence[str]) -> None:
    """Preload modules. A module that fails here fails again in the program, where its author sees the error."""
    if modules and PACKAGES not in sys.path:
        sys.path.append(PACKAGES)
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception:  # remove partially imported modules
            top = name.split(".")[0]
            for made in [made for made in sys.modules if made.split(".")[0] == top]:
                del sys.modules[made]


def run_programs(facts: dict[str, Any], ahead: bool = False, preload: Sequence[str] = ()) -> NoReturn:  # Any: JSON
    """Report that the locks are in force, wait for a program, run it, and send its end."""
    _forget_ourselves()
    signal.signal(signal.SIGUSR1, _report_line)
    signal.signal(signal.SIGXCPU, _report_line)
    import_ahead(preload)
    if ahead:
        warm_up()
        gc.freeze()
    line, names = _connect(socket.socket(fileno=CHANNEL))
    streams = _streams(line)
    line.say(kind="ready", **facts)
    start = line.start()
    while True:
        end = _run_one(start, names, line, streams)
        if "run" not in start:
            _send_end(end, line)
            os._exit(0)
        line.end_program()
        _send_end(end, line)
        start, streams = line.start(), _streams(line)
        line.say(kind="begun", run=start["run"])


def _report_line(number: int, frame: types.FrameType | None) -> None:
    """Signal handler: write the program's current line to descriptor 1, bypassing Python's streams."""
    while frame is not None and not frame.f_code.co_filename.startswith("<program"):
        frame = frame.f_back
    if frame is None:  # the program waits in the event loop
        with contextlib.suppress(RuntimeError):
            stacks = [task.get_stack(limit=1) for task in asyncio.all_tasks()]
            own = [at[0] for at in stacks if at and at[0].f_code.co_filename.startswith("<program")]
            frame = own[0] if own else None
    if frame is not None:
        os.write(1, b"\x00at line %d\x00" % frame.f_lineno)


def _connect(channel: socket.socket) -> tuple[FrameChannel, dict[str, Any]]:  # Any: a program's names
    """Connect the modules for programs with the channel. Returns the channel and the program's initial names."""
    client = sys.modules["client"]
    content = sys.modules["mcp_content"]
    line = FrameChannel(channel, lambda error: client.ToolError(**error), content.shaped)
    content._in_workspace = _in_workspace  # type: ignore[attr-defined]  # a module created at run time
    client.get_client()._line = line
    sys.modules["tool_discovery"]._line = line  # type: ignore[attr-defined]  # a module created at run time
    return line, _first_names(line)


def warm_up() -> None:
    """Run a small program on an unconnected channel, so that all code is loaded and in this process's own memory.

    Its remains are replaced by `run_programs`. It creates no task, because tasks are numbered.
    """
    ours, nobodys = socket.socketpair()
    text = json.dumps({"kind": "start", "code": _WARM_UP_PROGRAM}).encode()
    nobodys.sendall(struct.pack(">I", len(text)) + text)
    line, names = _connect(ours)
    _send_end(_run_one(line.start(), names, line, _streams(line)), line)
    loop = asyncio.SelectorEventLoop()
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    ours.close()
    nobodys.close()
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    del sys.modules["__main__"], linecache.cache[program_transform.NAME]


def _run_one(
    start: dict[str, Any],  # Any: JSON
    names: dict[str, Any],  # Any: a program's names
    line: FrameChannel,
    streams: tuple[io.TextIOWrapper, io.TextIOWrapper],
) -> dict[str, Any]:  # Any: JSON
    """Run one program with its own streams. Programs of a REPL session are numbered and share their names."""
    sys.stdout, sys.stderr = streams
    number = start.get("run", 1)
    if number > 1:
        importlib.invalidate_caches()  # servers and skills may have been added
    if start.get("network"):
        proxied_sockets.install(line)
    end = run(str(start["code"]), names, program_transform.NAME if number == 1 else f"<program {number}>")
    for stream in (sys.stdout, sys.stderr):
        _flush(stream)
    return end


def _send_end(end: dict[str, Any], line: FrameChannel) -> None:  # Any: JSON
    end["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result = end.get("result", "")
    if len(result) > _BULKY:
        line.say_long(result, kind="end", **{**end, "result": ""})
    else:
        line.say(kind="end", **end)


def run(code: str, names: dict[str, Any], called: str) -> dict[str, Any]:  # Any: a program's names; JSON
    """Run a program and return its end frame for the core, also if it fails."""
    linecache.cache[called] = (len(code), None, code.splitlines(keepends=True), called)
    try:
        value = _execute(code, names, called)
        if isinstance(value, sys.modules["tool_discovery"].SearchResult):
            value = str(value)
        result = "" if value is program_transform.NOTHING else json_text(value)
        if len(result) > _LONGEST_RESULT // 4 and len(result.encode("utf-8", "replace")) > _LONGEST_RESULT:
            raise ValueError("The result is too long to return. Write it to the workspace and return its path.")
        return {"ok": True, "result": result}
    except SystemExit as leaving:
        return _end_of_exit(leaving)
    except BaseException as fault:
        return {"ok": False, **format_failure(fault)}


def _execute(code: str, names: dict[str, Any], called: str) -> object:  # Any: a program's names
    """Execute a program. An event loop runs only for a top-level await, so that a program's own `asyncio.run` works."""
    before = program_transform.begin(names, code)
    prepared = program_transform.prepare(code, called, _tokens)
    if has_tokens(code):
        names[TABLE] = _tokens
    if _tokens.needs_values:
        _learn_tokens(names)
    value = prepared.start(names)
    if asyncio.iscoroutine(value):
        value = asyncio.run(value)
    value = prepared.answer(value, names, before)
    if asyncio.iscoroutine(value):  # the last line is `main()` without await
        value = asyncio.run(value)
    return value


def _learn_tokens(names: dict[str, Any]) -> None:  # Any: a program's names
    """Find the values of the program's tokens, as far as it holds them, and note those of later answers."""
    line = sys.modules["client"].get_client()._line
    line.learn_tokens = _tokens.learn
    with contextlib.suppress(Exception):  # a player of recorded answers knows no tokens
        _tokens.learn_ahead(line.ask_now("tokens"), names, Path(_place, "workspace"))


def _end_of_exit(leaving: SystemExit) -> dict[str, Any]:  # Any: JSON
    if leaving.code in (None, 0):
        return {"ok": True, "result": ""}
    message = f"The program exited with code {leaving.code}." if isinstance(leaving.code, int) else str(leaving.code)
    return {"ok": False, "error_type": "SystemExit", "message": message, "traceback": ""}


def _first_names(line: FrameChannel) -> dict[str, Any]:  # Any: a program's names
    """Create a `__main__` module for the program, with the names that agents' programs expect."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    client, discovery = sys.modules["client"], sys.modules["tool_discovery"]
    module.__dict__.update(
        {"asyncio": asyncio, "datetime": datetime, "json": json, "math": math, "re": re},
        ToolError=client.ToolError,
        Image=client.Image,
        call_tool=client.call_tool,
        call_mcp_tool=client.call_mcp_tool,
        search_tools=discovery.search_tools,
        get_tool_definition=discovery.get_tool_definition,
        load_skill=lambda name: load_skill(name, line),
        save_skill=client.save_skill,
        read_file=read_file,
        write_file=write_file,
        list_files=list_files,
    )
    for name in ("exit", "quit"):
        setattr(builtins, name, sys.exit)
    return module.__dict__


class LoadedSkill(str):
    """A skill's text, for `exec(load_skill(name))`. Its functions are also available as attributes."""

    _module: types.ModuleType

    def __getattribute__(self, name: str) -> Any:  # Any: names that the skill defines
        own = str.__getattribute__(self, "_module").__dict__ if not name.startswith("_") else {}
        return own[name] if name in own else str.__getattribute__(self, name)


def load_skill(name: str, line: FrameChannel) -> LoadedSkill:
    """A kept skill, from its file or, if it has none, from the core."""
    module = "skills." + re.sub(r"\W", "_", name)
    spec = importlib.util.find_spec(module) if importlib.util.find_spec("skills") else None
    if spec is not None and spec.origin:
        made, code = importlib.import_module(module), Path(spec.origin).read_text(encoding="utf-8")
    else:
        code, made = str(line.ask_now("skill", name=name)), types.ModuleType(module)
        exec(compile(code, f"<skill {name}>", "exec"), made.__dict__)  # noqa: S102  # running code is this file's purpose
        sys.modules[module] = made
    loaded = LoadedSkill(code)
    loaded._module = made
    return loaded


def read_file(path: str) -> str:
    """Text of a file in the workspace."""
    return _in_workspace(path).read_text(encoding="utf-8")


def write_file(path: str, content: str) -> str:
    """Write a file in the workspace and create missing folders. Returns its path in the workspace."""
    target = _in_workspace(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content, encoding="utf-8")
    return str(target.relative_to(f"{_place}/workspace"))


def list_files(path: str = "") -> list[str]:
    """All files below a folder of the workspace, sorted."""
    root = Path(_place, "workspace")
    return sorted(str(found.relative_to(root)) for found in _in_workspace(path).rglob("*") if found.is_file())


def _in_workspace(path: str) -> Path:
    inner = path.removeprefix("/workspace").removeprefix(f"{_place}/workspace").lstrip("/")
    return Path(_place, "workspace", inner.removeprefix("workspace/") if inner != "workspace" else "")


class _OutputStream(io.RawIOBase):
    """Stream whose bytes are sent as frames, so that output and calls keep their order."""

    def __init__(self, line: FrameChannel, name: str) -> None:
        self._line = line
        self._name = name
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1 if self._name == "stdout" else 2

    def write(self, data: Any, /) -> int:  # Any: any buffer
        text = self._decoder.decode(bytes(data))
        for at in range(0, len(text), 1 << 20):
            try:
                self._line.say(kind="output", stream=self._name, text=text[at : at + (1 << 20)])
            except OSError:  # the program closed the channel: write to the plain descriptor
                os.write(self.fileno(), text[at : at + (1 << 20)].encode())
        return len(data)


def _streams(line: FrameChannel) -> tuple[io.TextIOWrapper, io.TextIOWrapper]:
    return _stream(line, "stdout"), _stream(line, "stderr")


def _stream(line: FrameChannel, name: str) -> io.TextIOWrapper:
    buffered = io.BufferedWriter(_OutputStream(line, name), 8192)
    return io.TextIOWrapper(buffered, encoding="utf-8", errors="replace", line_buffering=True)


def _flush(stream: Any) -> None:  # Any: the program may have replaced the stream
    try:
        stream.flush()
    except Exception:
        return  # output in a stream that the program broke is lost


def _forget_ourselves() -> None:
    """Remove this package from `sys.modules`, so that a program's `import` finds the project."""
    for name in [name for name in sys.modules if name.split(".")[0] == "workbench"]:
        del sys.modules[name]
