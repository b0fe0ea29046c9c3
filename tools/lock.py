"""Writes constraints/run.txt and constraints/test.txt from pyproject.toml: exact versions with hashes, for Linux.

    python tools/lock.py            keeps pinned versions that the bounds still allow
    python tools/lock.py --upgrade  uses the newest versions that the bounds allow

Needs `uv` (pip install uv). No index address is written, because it would bind every user of the file to one network.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UV = [
    *("uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11"),
    *("--generate-hashes", "--no-annotate", "--no-header", "--no-emit-index-url", "--no-emit-find-links"),
]


def main(options: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    run = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    test = [*run, *(wanted for extra in extras.values() for wanted in extra)]
    pinned = ROOT / "constraints"
    _compile(run, pinned / "run.txt", options)
    _compile(test, pinned / "test.txt", [*options, "--constraint", str(pinned / "run.txt")])


def _compile(requirements: list[str], target: Path, options: list[str]) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".in") as wanted:
        wanted.write("\n".join(requirements) + "\n")
        wanted.flush()
        subprocess.run([*UV, wanted.name, "--output-file", str(target), *options], cwd=ROOT, check=True)
    target.write_text(_HEAD + target.read_text(encoding="utf-8"), encoding="utf-8")


_HEAD = "# Written by tools/lock.py from pyproject.toml; change that and run it again.\n"

if __name__ == "__main__":
    main(sys.argv[1:])
