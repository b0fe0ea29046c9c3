"""Compares the cost of code mode in the workbench and in other systems: `code_mode.py [ROUNDS]`.

All contenders use the same MCP server, with 6 tools and with 1,006. The workbench is reached through `mcp-workbench
serve`. The others are JSON-RPC by hand (the floor) and the mcp SDK's client, both without code mode, FastMCP's
CodeMode, and UTCP's if Node.js can build it, which takes some minutes once. Missing contenders are installed into the
user's cache, never into this project. Each round asks all contenders the same, one after the other, so that a busy
machine slows all of them equally.
"""

from __future__ import annotations

import compileall
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
PEERS, SERVER = HERE / "code_mode_peers", HERE / "waiting_server.py"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mcp-workbench-code-mode"
FASTMCP = ("fastmcp==4.1.2", "pydantic-monty==1.4.0")
UTCP = ("@utcp/code-mode@1.2.12", "@utcp/mcp@1", "@utcp/sdk@1")
MARK = "CODE_MODE_PEER"  # environment variable of a contender and of its child processes
QUESTIONS = ("trivial", "calls", "parallel", "search")
WARM_UP = 2  # uncounted rounds
COLD = 5  # number of cold starts
SECONDS = 10.0  # seconds for a contender to exit
SLOW = 3000.0  # milliseconds; a slower contender is asked once only


@dataclass
class Contender:
    """A contender and its results: milliseconds by question and number of tools."""

    title: str
    command: Sequence[str]
    took: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)  # question → why there is no result
    pss: float = 0.0
    cold: list[float] = field(default_factory=list)

    def figure(self, question: str, tools: int = 1006) -> float | None:
        found = self.took.get((question, tools), [])
        return median(found[WARM_UP:] or found) if found else None


class Peer:
    """The process of a contender."""

    def __init__(self, contender: Contender, tools: int) -> None:
        self.contender = contender
        world = {**os.environ, MARK: contender.title}
        self._child = subprocess.Popen(
            [*contender.command, str(SERVER), str(tools)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=world,
        )  # fmt: skip
        self.ready = self._take() == "ready"

    def ask(self, question: str) -> object:
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(f"{question}\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            return "it has gone"
        return self._take()

    def _take(self) -> object:
        """The next line of output that is a JSON answer."""
        assert self._child.stdout is not None
        for line in self._child.stdout:
            try:
                return json.loads(line)
            except ValueError:
                continue  # other output
        return "it has gone"

    def end(self) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()
        try:
            self._child.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()


def main(rounds: int) -> int:
    compileall.compile_dir(HERE.parent / "workbench", quiet=1)  # pip has compiled the other packages
    contenders = _contenders()
    for tools in (6, 1006):
        peers = [peer for one in contenders if (peer := Peer(one, tools)).ready or _gone(one)]
        for number in range(rounds + WARM_UP):
            for question in QUESTIONS:
                for peer in peers:
                    _note(peer, question, tools)
            print(f"\r{tools} tools, round {number + 1}", end="", file=sys.stderr, flush=True)
        for peer in peers:
            peer.contender.pss = _pss(peer.contender.title)
            peer.end()
    print("\r\x1b[K", end="", file=sys.stderr)
    _measure_cold(contenders)
    _print(contenders)
    _judge(contenders)
    return 0


def _gone(contender: Contender) -> bool:
    contender.why["all"] = "it does not start here"
    return False


def _note(peer: Peer, question: str, tools: int) -> None:
    before = peer.contender.took.get((question, tools), [])
    if before and before[-1] > SLOW:
        return
    told = peer.ask(question)
    if isinstance(told, float | int):
        peer.contender.took.setdefault((question, tools), []).append(float(told))
    elif isinstance(told, str):
        peer.contender.why[question] = told


def _contenders() -> list[Contender]:
    python = sys.executable
    found = [
        Contender("raw JSON-RPC (floor)", (python, str(PEERS / "floor.py"))),
        Contender("mcp SDK client, direct", (python, str(PEERS / "sdk.py"))),
        Contender("MCP Workbench", (python, str(PEERS / "ours.py"))),
    ]
    for title, install in (("FastMCP CodeMode 4.1.2", _fastmcp), ("UTCP code-mode 1.2.12", _utcp)):
        try:
            found.append(Contender(title, install()))
        except (OSError, subprocess.SubprocessError) as fault:
            words = getattr(fault, "stderr", "") or str(fault)
            print(f"{title} is left out: {words.strip().splitlines()[-1][:200] if words.strip() else fault}")
    return found


def _fastmcp() -> Sequence[str]:
    """The command of FastMCP, in a virtual environment of this benchmark."""
    python = CACHE / "venv/bin/python"
    if not python.exists():
        _do(sys.executable, "-m", "venv", str(CACHE / "venv"))
    if subprocess.run([python, "-c", "import fastmcp, pydantic_monty"], check=False, capture_output=True).returncode:
        _do(str(python), "-m", "pip", "install", "-q", *FASTMCP)
    return str(python), str(PEERS / "fast.py")


def _utcp() -> Sequence[str]:
    """The command of UTCP. Its sandbox is built from source, which needs a compiler and Node.js's headers; a failure is
    remembered.
    """
    folder = CACHE / "utcp"
    failed = folder / "failed"
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise FileNotFoundError("Node.js and npm are not there")
    folder.mkdir(parents=True, exist_ok=True)
    look = ("node", "-e", "require('isolated-vm'); require.resolve('@utcp/mcp')")
    if subprocess.run(look, cwd=folder, check=False, capture_output=True).returncode:
        if failed.exists():
            raise FileNotFoundError(f"its sandbox could not be built here; remove {failed} to try again")
        try:
            _install_utcp(folder)
        except subprocess.SubprocessError:
            failed.touch()
            raise
    shutil.copy(PEERS / "utcp.mjs", folder / "utcp.mjs")
    return "node", str(folder / "utcp.mjs")


def _install_utcp(folder: Path) -> None:
    """Install UTCP. The newest version of its sandbox needs Node.js 22; the previous version has the same API."""
    told = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True).stdout
    sandbox = "isolated-vm@6" if int(told[1:].partition(".")[0]) >= 22 else "isolated-vm@5.0.4"
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    _do("npm", "install", "--no-audit", "--no-fund", "--legacy-peer-deps", *UTCP, sandbox, at=folder)


def _do(*command: str, at: Path | None = None) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, cwd=at, timeout=900)


def _measure_cold(contenders: Sequence[Contender]) -> None:
    """Measure cold starts up to the first result, alternately. The workbench reports its own time, because its core is
    not a child process.
    """
    ours = next(one for one in contenders if one.title == "MCP Workbench")
    keeper = Peer(ours, 6)
    for _ in range(COLD):
        told = keeper.ask("cold")
        ours.cold += [told] if isinstance(told, float) else []
        for one in contenders:
            if one is ours or one.figure("trivial", 6) is None:
                continue
            began = time.perf_counter()
            peer = Peer(one, 6)
            if isinstance(peer.ask("trivial"), float):
                one.cold.append((time.perf_counter() - began) * 1000)
            peer.end()
    keeper.end()


def _pss(title: str) -> float:
    """Memory (PSS) in megabytes of all processes of a contender, without the server and the simulated agent."""
    processes = {int(path.name): path for path in Path("/proc").iterdir() if path.name.isdigit()}
    marked = {pid for pid, path in processes.items() if f"{MARK}={title}".encode() in _read(path / "environ")}
    parents = {pid: int((re.findall(rb"PPid:\s+(\d+)", _read(path / "status")) or [b"0"])[0])
               for pid, path in processes.items()}  # fmt: skip
    while more := {pid for pid, parent in parents.items() if parent in marked} - marked:
        marked |= more
    total = 0
    for pid in marked:
        script = b" ".join(_read(processes[pid] / "cmdline").split(b"\0")[:2])
        if script.endswith((b"waiting_server.py", b"ours.py")):
            continue
        if found := re.search(rb"Pss:\s+(\d+)", _read(processes[pid] / "smaps_rollup")):
            total += int(found[1])
    return total / 1024


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # the process has ended


def _print(contenders: Sequence[Contender]) -> None:
    heads = ("trivial", "100 calls, 6", "100 calls, 1,006", "10 x 100 ms", "search, 1,006", "cold", "PSS")
    print(f"{'p50 in ms':26}" + "".join(f"{head:>18}" for head in heads))
    for one in contenders:
        figures = (
            one.figure("trivial", 6), one.figure("calls", 6), one.figure("calls"), one.figure("parallel"),
            one.figure("search"), median(one.cold) if one.cold else None,
        )  # fmt: skip
        pss = f"{one.pss:.0f} MB" if one.figure("trivial", 6) is not None and one.pss else "-"
        print(f"{one.title:26}" + "".join(f"{_shown(figure):>18}" for figure in figures) + f"{pss:>18}")
    for one in contenders:
        for question, words in one.why.items():
            print(f"{one.title}, {question}: {words}")


def _shown(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,.1f}"


def _judge(contenders: Sequence[Contender]) -> None:
    """Compare our results with the goals. A missed goal is printed with its reason."""
    named: Mapping[str, Contender] = {one.title: one for one in contenders}
    ours, client = named["MCP Workbench"], named["mcp SDK client, direct"]
    few, many, direct = ours.figure("calls", 6), ours.figure("calls"), client.figure("calls", 6)
    goals = (
        ("trivial, warm", ours.figure("trivial", 6), 2.3,
         "each run is a fresh isolated CPython, judged before and written down after, over two pipes and a socket"),
        ("100 calls beside the SDK client", few / direct if few and direct else None, 1.3,
         "each call is checked, masked and written down; the program's start is part of it"),
        ("100 calls, 1,006 tools beside 6", many / few if many and few else None, 1.1, "it should be flat"),
        ("10 calls of 100 ms at once", ours.figure("parallel"), 115.0, "the program's own start is part of it"),
        ("search among 1,006", ours.figure("search"), 2.0, "meaning is read too, and the answer crosses the door"),
        ("cold", median(ours.cold) if ours.cold else None, 400.0, "a core is started: its rooms, audit and sandbox, "
         "and then the mcp SDK is imported for the agent"),
        ("PSS in MB", ours.pss or None, 85.0, "core, launcher, ready sandboxes and guards, the SDK and word vectors"),
    )  # fmt: skip
    print("\nMCP Workbench beside its goals:")
    for name, figure, goal, reason in goals:
        met = figure is not None and figure <= goal
        print(f"  {name:34}{_shown(figure):>10}  goal {goal:g}" + ("" if met else f"  NOT MET: {reason}"))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 15))
