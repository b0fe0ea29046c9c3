"""Reads the command line and runs one command, or returns the project whose window `__main__` opens.

Data goes to stdout, messages to stderr, and the exit code tells scripts what happened.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Mapping

from workbench import __version__
from workbench.cli.command_examples import with_examples
from workbench.cli.common_options import Command, Parser, project_paths
from workbench.cli.exit_codes import FAULT, INTERRUPTED, MEANING
from workbench.cli.terminal_output import narrate_fault
from workbench.cli.window_requirements import check_window, qt_version
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.similar_names import similar_names

# Command → who arranges it, and what it does. A module is loaded for its own command only: the window, and an agent
# that starts `serve`, would wait for all.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "servers": ("servers:arrange_servers", "List the servers of a project and how they are, and allow one to start."),
    "tools": ("servers:arrange_tools", "List the tools of a project, also those of servers that do not run now."),
    "call": ("call:arrange_call", "Call one tool and print what it answers."),
    "doctor": ("doctor:arrange_doctor", "Find out why a server cannot be reached, or what this machine lacks."),
    "read": ("resources_and_prompts:arrange_read", "Read a resource of a server and print it."),
    "prompt": ("resources_and_prompts:arrange_prompt", "Fill a prompt of a server and print its messages."),
    "check": ("saved_call_checks:arrange_check", "Make saved calls and hold their answers to what is expected."),
    "assess": ("assess:arrange_assess", "Say what the policy of a project says of programs, without running them."),
    "run": ("run:arrange_run", "Run a program in the sandbox, with the tools of a project."),
    "runs": ("runs:arrange_runs", "List what waits for your answer, and answer it in a terminal."),
    "calls": ("runs:arrange_calls", "List calls that are held in the middle of a run, and answer them in a terminal."),
    "pin": ("pin:arrange_pin", "Set a PIN that answers from a terminal need."),
    "dry-run": ("dry_run:arrange_dry_run", "List what a program would change or send, without any of it happening."),
    "skills": ("skills:arrange_skills", "List, read, keep, run and test the skills of a project."),
    "files": (
        "files:arrange_files",
        "List and read the workspace's files, compare what a run changed, and take it back.",
    ),
    "connect": ("connect:arrange_connect", "Put this workbench into an agent's settings, or print what to put there."),
    "serve": (
        "serve:arrange_serve",
        "Serve an agent over stdin and stdout; starts the core of the project when none runs.",
    ),
    "status": (
        "core_status:arrange_status",
        "Say what the core of a project is doing. Starts nothing; exit code 4 when none runs.",
    ),
    "stop": ("core_status:arrange_stop", "End the core of a project and everything it started."),
    "sandbox": (
        "sandbox:arrange_sandbox",
        "Say which isolation this machine has, and build what containers and machines need.",
    ),
    "search": (
        "search:arrange_search",
        "Find tools, resources, prompts and skills; and build the model that reads meaning best.",
    ),
    "tokens": ("token_report:arrange_tokens", "Say what programs cost and saved a model, and whether they pay here."),
    "audit": ("audit:arrange_audit", "Check or read the audit of a project."),
}
OLD_COMMANDS = {"rehearse": "dry-run"}  # names of version 0.1, still accepted
USAGES = (
    ("mcp-workbench [FOLDER]", "open the window on a project: a folder, or your own project"),
    ("mcp-workbench servers", "list the servers"),
    ("mcp-workbench servers allow NAME", "let a server start for the first time"),
    ("mcp-workbench tools", "list the tools, or search them"),
    ("mcp-workbench call SERVER TOOL", "call a tool and print its answer"),
    ("mcp-workbench doctor [SERVER]", "find out why a server cannot be reached"),
    ("mcp-workbench read SERVER URI", "read a resource and print it"),
    ("mcp-workbench prompt SERVER NAME", "fill a prompt and print its messages"),
    ("mcp-workbench check [PATH…]", "make saved calls and hold their answers to what is expected"),
    ("mcp-workbench assess FILE…", "say what the policy says of programs, without running them"),
    ("mcp-workbench run FILE", "run a program in the sandbox"),
    ("mcp-workbench runs list|show", "list programs and calls that wait for you"),
    ("mcp-workbench runs allow|deny|edit ID", "answer one in a terminal"),
    ("mcp-workbench calls list|allow|deny", "the same for calls that a running program waits for"),
    ("mcp-workbench pin set|clear", "ask for a PIN before an answer from a terminal"),
    ("mcp-workbench dry-run FILE", "list what a program would do, without any of it happening"),
    ("mcp-workbench skills list", "list the skills"),
    ("mcp-workbench skills show NAME", "read one, its code and its versions"),
    ("mcp-workbench skills keep NAME", "keep a draft that an agent offers"),
    ("mcp-workbench skills run NAME", "run one"),
    ("mcp-workbench skills test [NAME…]", "play the recordings of skills and say what differs"),
    ("mcp-workbench files list|read", "list the workspace's files, print one"),
    ("mcp-workbench files changes|diff|undo", "see what runs changed, and take it back"),
    ("mcp-workbench connect [CLIENT]", "put this workbench into an agent's settings"),
    ("mcp-workbench serve", "serve an agent over stdin and stdout"),
    ("mcp-workbench serve --direct SERVER", "serve it, and show it a server's tools one by one, too"),
    ("mcp-workbench serve --http", "open the HTTP endpoint for agents on this machine"),
    ("mcp-workbench status", "say what the core of a project is doing"),
    ("mcp-workbench stop", "end the core of a project and everything it started"),
    ("mcp-workbench sandbox status", "say which isolation this machine has"),
    ("mcp-workbench sandbox build LEVEL", "build what containers or virtual machines need"),
    ("mcp-workbench sandbox remove LEVEL", "remove what was built"),
    ("mcp-workbench search find WORDS", "find tools, resources, prompts and skills"),
    ("mcp-workbench search status", "say whether the search has its sentence model"),
    ("mcp-workbench search build", "build the model with which the search reads meaning best"),
    ("mcp-workbench search remove", "remove it"),
    ("mcp-workbench tokens", "say what programs cost and saved a model"),
    ("mcp-workbench audit verify", "check that the audit is whole"),
    ("mcp-workbench audit query", "read the audit"),
    ("mcp-workbench audit export", "write entries into a file, with the hashes that chain them"),
    ("mcp-workbench audit report", "make the compliance report of a stretch of time"),
)
EXAMPLES = """examples:
  mcp-workbench ~/projects/shop
  claude mcp add workbench -- mcp-workbench serve --project ~/projects/shop
  mcp-workbench call demo list_orders --arg limit=3 --output json
  mcp-workbench check --project . --junit report.xml
  mcp-workbench status --json
  mcp-workbench audit query --kind run. --limit 20"""


def main(arguments: list[str]) -> int | Paths:
    """The exit code of a command, or the paths of the project a window is wished for."""
    arguments = [OLD_COMMANDS.get(word, word) for word in arguments[:1]] + arguments[1:]
    try:
        code = _run(arguments) if arguments and arguments[0] in COMMANDS else _window(arguments)
        sys.stdout.flush()
        return code
    except WorkbenchError as fault:
        narrate_fault(fault)
        return FAULT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read us has read enough
        return FAULT
    except KeyboardInterrupt:
        return INTERRUPTED


def about() -> str:
    """The foot of `--help`: every command, examples, every exit code."""
    width = max(len(usage) for usage, _ in USAGES)
    commands = "\n".join(f"  {usage.ljust(width)}  {words}" for usage, words in USAGES)
    codes = "\n".join(f"  {code:>3}  {words}" for code, words in MEANING.items())
    end = "A folder that is named like a command is opened as ./status."
    return f"commands:\n{commands}\n\n{EXAMPLES}\n\nexit codes:\n{codes}\n\n{end}"


def _window(arguments: list[str]) -> Paths:
    parser = argparse.ArgumentParser(
        prog="mcp-workbench",
        description="Browse and test MCP tools, review and approve agent-proposed code, curate the skill library.",
        epilog=about(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="the project to open; your own when none is given")
    parser.add_argument("--version", action="version", version=f"mcp-workbench {__version__}")
    folder = parser.parse_args(arguments).folder
    if folder is not None and _is_word(folder):
        raise WorkbenchError(*_no_command(folder))
    paths = project_paths(folder)
    check_window(os.environ, sys.version_info[:2], qt_version())
    return paths


def _is_word(given: str) -> bool:
    """Whether somebody meant a command rather than a folder: it does not look like a path, and nothing is there."""
    return not (os.sep in given or given.startswith(("~", ".")) or os.path.exists(given))


def _no_command(word: str) -> tuple[str, str]:
    close = similar_names(word, COMMANDS, 1)
    guess = f"; did you mean {close[0]}?" if close else "."
    return f"There is no command {word:.60}{guess}", "`mcp-workbench --help` lists all. A folder is named like ./name."


def _run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog=f"mcp-workbench {arguments[0]}",
        description=COMMANDS[arguments[0]][1],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arranger(arguments[0])(parser)
    parser.epilog = with_examples(arguments[0], parser.epilog)
    given = parser.parse_args(arguments[1:])
    run: Command = given.run
    return run(given, project_paths(given.project))


def arranger(command: str) -> Callable[[Parser], None]:
    """Who gives a parser what this command takes."""
    module, _, name = COMMANDS[command][0].partition(":")
    found: Callable[[Parser], None] = getattr(importlib.import_module(f"workbench.cli.{module}"), name)
    return found
