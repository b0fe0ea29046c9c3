"""Tries hostile code: `python -m tests.attacks --attack FILE` runs one snippet and prints what it prints.

It gets an empty workspace, no tools, and small limits; its end goes to stderr. `--attacks FILE …` runs whole lists
(JSON or TOML, see `tests/attacks`), with canaries around the sandbox that are looked at afterwards, and tells what got.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
from pathlib import Path

from tests.attacks.attack_field import Field
from tests.attacks.attack_runner import read_attacks, table, try_attacks
from workbench.errors import WorkbenchError
from workbench.paths import images_folder
from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.isolation_levels import LEVELS, engines
from workbench.sandbox.isolation_probe import BACKENDS
from workbench.sandbox.program import Ending, Program, ToolFailure
from workbench.sandbox.sandbox import Sandbox

_LANGUAGES = ("python", "typescript")
_SECONDS = 6.0
_LONGEST = 1 << 20  # bytes of a snippet; in a frame a character may be six


def main() -> int:
    given = _words().parse_args()
    if given.backend in LEVELS:  # named like a backend, because that is what is being tried
        given.backend, given.level = "", given.backend
    try:
        if given.attacks:
            return asyncio.run(_many(given))
        return _one(given)
    except WorkbenchError as fault:
        print(f"{fault.message} {fault.hint}".strip(), file=sys.stderr)
        return 2


def _words() -> argparse.ArgumentParser:
    words = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    what = words.add_mutually_exclusive_group(required=True)
    what.add_argument("--attack", type=Path, metavar="FILE", help="one snippet; - reads standard input")
    what.add_argument("--attacks", type=Path, nargs="+", metavar="FILE", help="lists of attacks, judged")
    backends = (*BACKENDS, *LEVELS[1:])
    words.add_argument("--backend", choices=backends, default="", help="instead of the strongest process backend")
    words.add_argument(
        "--level", choices=LEVELS, default=LEVELS[0], help="the least that isolates it (default process)"
    )
    words.add_argument("--language", choices=_LANGUAGES, default="", help="of the snippet (default by its name: .ts)")
    words.add_argument("--seconds", type=float, default=_SECONDS, help=f"wall clock limit (default {_SECONDS:g})")
    words.add_argument("--memory", type=int, default=384, metavar="MB", help="memory limit (default 384)")
    words.add_argument("--workspace", type=Path, help="use this folder instead of an empty one")
    return words


def _one(given: argparse.Namespace) -> int:
    code = _text(given.attack)
    limits = Limits(seconds=given.seconds, cpu_seconds=given.seconds, memory_mb=given.memory, disk_mb=64)
    ending = asyncio.run(_run(given, code, limits))
    _print("stderr", ending.traceback)
    _print("stderr", f"[{ending.reason}] {ending.message} ({ending.seconds:.2f} s, {ending.memory_mb:.0f} MB)\n")
    return 0 if ending.ok else 1


def _text(file: Path) -> str:
    """The snippet, or a sentence why it is none."""
    try:
        data = sys.stdin.buffer.read(_LONGEST + 1) if str(file) == "-" else _beginning(file)
        if len(data) <= _LONGEST:
            return data.decode()
    except (OSError, ValueError) as fault:
        raise WorkbenchError(f"{file} cannot be read: {fault}.", "It must be a text in UTF-8.") from fault
    raise WorkbenchError(f"{file} is longer than {_LONGEST >> 20} MB.", "Let it read its data from --workspace.")


def _beginning(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_LONGEST + 1)


async def _run(given: argparse.Namespace, code: str, limits: Limits) -> Ending:
    sandbox = await _opened(given.backend)
    try:
        empty = tempfile.TemporaryDirectory(prefix="mcp-workbench-attack-") if given.workspace is None else None
        with empty or contextlib.nullcontext(given.workspace) as folder:
            language = given.language or ("typescript" if given.attack.suffix == ".ts" else "python")
            program = Program(code, limits, Path(folder), level=given.level, language=language)
            return await sandbox.run(program, _nobody, _print)
    finally:
        await sandbox.close()


async def _many(given: argparse.Namespace) -> int:
    attacks = [attack for file in given.attacks for attack in read_attacks(file)]
    sandbox = await _opened(given.backend)
    try:
        with tempfile.TemporaryDirectory(prefix="mcp-workbench-attack-") as folder:
            around = Field(Path(folder))
            try:
                found = await try_attacks(sandbox, attacks, around, given.level)
            finally:
                around.close()
    finally:
        await sandbox.close()
    print(table(found, sandbox.strength.backend if given.level == LEVELS[0] else given.level))
    return 0 if all(one.contained for one in found) else 1


async def _opened(backend: str) -> Sandbox:
    sandbox = Sandbox(backend, ready=0, engines=engines(images_folder()))
    try:
        await sandbox.open()
    except BaseException:
        await sandbox.close()
        raise
    return sandbox


def _print(stream: str, text: str) -> None:
    """Exact into a pipe or file; on a terminal, nothing of it steers that."""
    target = sys.stdout if stream == "stdout" else sys.stderr
    if target.isatty():
        text = "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)
    target.write(text)
    target.flush()


async def _nobody(what: str, wish: JsonObject) -> JsonValue:
    raise ToolFailure("There are no tools here.", "unknown_tool")


if __name__ == "__main__":
    sys.exit(main())
