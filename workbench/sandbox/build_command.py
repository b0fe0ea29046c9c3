"""Shows, builds and removes the images of isolation levels.

Runs in a process of its own (`python -m workbench.sandbox.build_command status|build|remove`), because a core never
builds images.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path

from msgspec import to_builtins

from workbench.errors import WorkbenchError
from workbench.paths import images_folder
from workbench.records import Level
from workbench.sandbox.container.image_builder import ImageBuilder
from workbench.sandbox.isolation_levels import engines
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.vm.image_builder import VmImageBuilder


def builders(images: Path) -> dict[str, ImageBuilder | VmImageBuilder]:
    """Image builder of each level."""
    return {"container": ImageBuilder(images), "vm": VmImageBuilder(images / "vm")}


_FAULT = 1


def main() -> int:
    given = _arguments().parse_args()
    try:
        if given.do == "status":
            return _status(given.json)
        builder = _builder(given.level)
        began = time.monotonic()
        if given.do == "build":
            builder.build(_print_line, given.base, given.again)
        else:
            builder.remove(_print_line)
        _print_line(f"Done in {time.monotonic() - began:.1f} s.")
    except WorkbenchError as fault:
        print(fault.message, file=sys.stderr)
        if fault.hint:
            print(fault.hint, file=sys.stderr)
        return _FAULT
    except KeyboardInterrupt:
        return 130
    return 0


def _builder(level: str) -> ImageBuilder | VmImageBuilder:
    known = builders(images_folder())
    if level not in known:
        raise WorkbenchError(
            f"There is no image for the level {level!r}.", f"Choose one of: {', '.join(known) or 'none'}."
        )
    return known[level]


def _arguments() -> argparse.ArgumentParser:
    words = argparse.ArgumentParser(prog="mcp-workbench sandbox", description=__doc__)
    deeds = words.add_subparsers(dest="do", required=True)
    deeds.add_parser("status").add_argument("--json", action="store_true")
    build, remove = deeds.add_parser("build"), deeds.add_parser("remove")
    for deed in (build, remove):
        deed.add_argument("level")
    build.add_argument("--from", dest="base", default="")
    build.add_argument("--again", action="store_true")
    return words


def _status(as_json: bool) -> int:
    levels = asyncio.run(_levels())
    if as_json:
        print(json.dumps([to_builtins(level) for level in levels], ensure_ascii=False, indent=2))
        return 0
    for level in levels:
        print(
            f"{level.name:<10} {'yes' if level.available else 'no ':<4} {level.backend:<11} {level.sentence}".rstrip()
        )
        if level.hint:
            print(f"{'':<27} {level.hint}")
    return 0


async def _levels() -> tuple[Level, ...]:
    sandbox = Sandbox(ready=0, engines=engines(images_folder()))
    try:
        await sandbox.open()
        return await sandbox.look_again()
    finally:
        await sandbox.close()


def _print_line(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main())
