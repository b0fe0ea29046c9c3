"""A core of its own that runs an endless program in a virtual machine, for the test that kills the core."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from workbench.records import Limits
from workbench.sandbox.program import Program
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.vm.vm_maker import VmMaker


async def main() -> None:
    sandbox = Sandbox("native", ready=0, engines={"vm": VmMaker(Path(sys.argv[1]))})
    await sandbox.open()
    limits = Limits(seconds=100.0, cpu_seconds=100.0, memory_mb=384, disk_mb=16)
    program = Program("print('running')\nwhile True: pass", limits, Path(sys.argv[2]), level="vm")
    await sandbox.run(program, _nobody, lambda stream, text: print(text, end="", flush=True))


async def _nobody(what: str, wish: object) -> None:
    raise AssertionError("nobody asks")


if __name__ == "__main__":
    asyncio.run(main())
