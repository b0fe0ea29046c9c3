"""Records logs of real programs for `privacy_others.py`: `privacy_others_logs.py FOLDER`.

Each command of `privacy_others_logs.tsv` runs once in an empty folder; what it prints is kept without repeated lines,
up to 4 MB. A program that is not installed leaves an error message. Logs differ between machines, so figures are
comparable only for the same recording.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 4_000_000  # characters of one log
SECONDS = 240
COMMANDS = Path(__file__).resolve().with_suffix(".tsv")
_ENVIRONMENT = {
    "TZ": "UTC",
    "PROGRAM": r'#include <stdio.h>\n#include <math.h>\nint main(){printf("%%f",sin(1));return 0;}',
    "STATEMENTS": "; ".join(
        f"create table t{n} (id serial primary key, at timestamptz default now(), note text); insert into t{n} (note) "
        f"select md5(i::text) from generate_series(1, 500) i; select count(*), max(note) from t{n} where id > {n}; "
        f"analyze verbose t{n}; vacuum verbose t{n}; select nothing from t{n}"
        for n in range(150)
    ),
}


def record(folder: Path) -> None:
    """Run every command and keep what it prints."""
    folder.mkdir(parents=True, exist_ok=True)
    for line in COMMANDS.read_text(encoding="utf-8").splitlines():
        name, command = line.split("\t")
        target = folder / f"{name}.log"
        if not target.exists():
            target.write_text(_output(command), encoding="utf-8")
        print(f"{name}: {target.stat().st_size / 1e6:.2f} MB", flush=True)


def _output(command: str) -> str:
    home = tempfile.mkdtemp()
    try:
        found = subprocess.run(
            ["bash", "-c", f"({command}) 2>&1 | head -c {3 * MOST}"],
            cwd=home, capture_output=True, timeout=SECONDS, check=False, env={**os.environ, **_ENVIRONMENT},
        ).stdout  # fmt: skip
    except subprocess.TimeoutExpired as fault:
        found = fault.stdout or b""
    finally:
        shutil.rmtree(home, ignore_errors=True)
    lines = dict.fromkeys(found.decode("utf-8", "replace").splitlines())
    return "\n".join(lines)[:MOST]


if __name__ == "__main__":
    record(Path(sys.argv[1]))
