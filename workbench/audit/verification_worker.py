"""A process that walks one stretch of the chain: `python -m workbench.audit.verification_worker FILE FIRST LAST`.

It says on each line how many entries it has looked at, and on the last one what it found. A process of its own, because
hashing holds Python's interpreter lock, and the core's loop serves everybody meanwhile.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

from msgspec import to_builtins

from workbench.audit.audit_database import DAMAGE, open_to_read
from workbench.audit.chain_verification import Stretch, damaged, walk
from workbench.records import ChainReport


def main(path: Path, stretch: Stretch) -> None:
    """Prints; answers nothing."""
    try:
        with closing(open_to_read(path)) as store:
            report = walk(store, stretch, lambda done: print(done, flush=True))
    except DAMAGE as fault:
        report = damaged(ChainReport(False, stretch.first - 1, ""), fault)
    print(json.dumps(to_builtins(report)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Stretch(int(sys.argv[2]), int(sys.argv[3])))
