"""After the core has ended, its cleanup process removes the core's containers and repeats until the engine lists
none.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from workbench.sandbox.container import cleanup_process

ENGINE = """#!/bin/sh
echo "$@" >> "$0.asked"
case "$1" in
  rm) rm -f "$0.$4"; exit 0 ;;
  *) test -e "$0.$3" ;;
esac
"""


def engine(folder: Path) -> Path:
    file = folder / "engine"
    file.write_text(ENGINE)
    file.chmod(0o755)
    return file


def test_it_remembers_what_was_made_and_forgets_what_is_gone() -> None:
    assert cleanup_process.follow(["+a\n", "+b\n", "-a\n", "nonsense\n", "+c\n"]) == {"b", "c"}


def test_at_the_end_of_its_input_everything_left_is_removed(tmp_path: Path) -> None:
    program = engine(tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"engine.{name}").touch()
    subprocess.run(
        [sys.executable, "-I", "-S", cleanup_process.__file__, str(program)],
        input=b"+one\n+two\n-two\n",
        timeout=30,
        check=True,
    )
    assert not (tmp_path / "engine.one").exists()
    assert (tmp_path / "engine.two").exists()


def test_without_anything_left_the_engine_is_not_asked(tmp_path: Path) -> None:
    program = engine(tmp_path)
    subprocess.run(
        [sys.executable, "-I", "-S", cleanup_process.__file__, str(program)], input=b"+a\n-a\n", timeout=30, check=True
    )
    assert not (tmp_path / "engine.asked").exists()
