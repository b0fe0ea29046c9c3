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
from workbench.cli.common_options import FAULT, INTERRUPTED, MEANING, Command, Parser, project_paths
from workbench.cli.terminal_output import narrate_fault
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.similar_names import similar_names

# Command → the function that adds its arguments, and its description. Only the module of the command is imported,
# because importing all of them would delay the window and agents that start `serve`.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "servers": (
        "servers:arrange_servers",
        "List the servers of a project, allow one to start, add one.",
    ),
    "tools": ("servers:arrange_tools", "List the tools of a project, including those of stopped servers."),
    "call": ("tool_calls:arrange_call", "Call one tool and print its answer."),
    "doctor": ("diagnosis:arrange_doctor", "Diagnose why a server cannot be reached, or what this machine lacks."),
    "read": ("servers:arrange_read", "Read a resource of a server and print it."),
    "prompt": ("servers:arrange_prompt", "Fill in a prompt of a server and print its messages."),
    "check": ("saved_call_checks:arrange_check", "Make saved calls and compare their answers with what is expected."),
    "assess": ("program_runs:arrange_assess", "Analyze programs without running them."),
    "run": ("program_runs:arrange_run", "Run a program in the sandbox with the tools of a project."),
    "runs": (
        "waiting_requests:arrange_runs",
        "List what waits for approval, and answer in a terminal.",
    ),
    "review": ("review:arrange_review", "Answer everything that waits on one screen, for terminals and SSH."),
    "agents": ("agents:arrange_agents", "List connected agents, and pause or resume all of them."),
    "calls": ("waiting_requests:arrange_calls", "List held calls of running programs, and answer in a terminal."),
    "phone": ("phone:arrange_phone", "Pair phones with the review page, list them, and revoke them."),
    "notify": ("notifications:arrange_notify", "Test the notifications about requests that wait."),
    "pin": ("terminal_answers:arrange_pin", "Set a PIN that approvals in a terminal require."),
    "dry-run": ("program_runs:arrange_dry_run", "List what a program would change or send, without doing it."),
    "skills": ("skills:arrange_skills", "List, read, keep, run and test the skills of a project."),
    "files": (
        "workspace_files:arrange_files",
        "List and read workspace files, and compare or undo changes.",
    ),
    "connect": (
        "connect:arrange_connect",
        "Add this workbench to the settings of an MCP client.",
    ),
    "hook": ("hooks:arrange_hook", "Answer one call of another client's own tool; started by its hooks."),
    "serve": (
        "agent_endpoint:arrange_serve",
        "Serve an agent over stdin and stdout. Starts the core if needed.",
    ),
    "status": ("core_status:arrange_status", "Print the state of a project's core. Exit code 4 if none runs."),
    "stop": ("core_status:arrange_stop", "End the core of a project and everything it started."),
    "sandbox": ("diagnosis:arrange_sandbox", "List the isolation levels of this machine, and build what they need."),
    "search": ("search:arrange_search", "Find tools, resources, prompts and skills, and build the sentence model."),
    "sanitize": (
        "text_masking:arrange_sanitize",
        "Mask personal data and secrets in files and pipes, or put them back.",
    ),
    "interceptor": (
        "text_masking:arrange_interceptor",
        "Offer masking to MCP gateways as interceptors (SEP-2624, a draft).",
    ),
    "tokens": ("core_status:arrange_tokens", "Print how many model tokens programs cost and saved."),
    "privacy": (
        "privacy:arrange_privacy",
        "List and change what is always or never masked, explain masking, and set its strictness.",
    ),
    "audit": ("audit:arrange_audit", "Verify, query and export the audit of a project."),
}
OLD_COMMANDS = {"rehearse": "dry-run"}  # names of version 0.1, still accepted
USAGES = (
    ("mcp-workbench [FOLDER]", "open the window for a project folder, or for your own project"),
    ("mcp-workbench servers", "list the servers"),
    ("mcp-workbench servers allow NAME", "allow a server to start for the first time"),
    ("mcp-workbench tools", "list or search the tools"),
    ("mcp-workbench call SERVER TOOL", "call a tool and print its answer"),
    ("mcp-workbench doctor [SERVER]", "diagnose why a server cannot be reached"),
    ("mcp-workbench read SERVER URI", "read a resource and print it"),
    ("mcp-workbench prompt SERVER NAME", "fill in a prompt and print its messages"),
    ("mcp-workbench check [PATH…]", "make saved calls and compare their answers"),
    ("mcp-workbench assess FILE…", "analyze programs without running them"),
    ("mcp-workbench run FILE", "run a program in the sandbox"),
    ("mcp-workbench review", "answer everything that waits on one screen of the terminal"),
    ("mcp-workbench runs list|show", "list programs and calls that wait for approval"),
    ("mcp-workbench runs allow|deny|edit ID", "allow, deny or edit a waiting program"),
    ("mcp-workbench calls list|allow|deny", "list, allow or deny held calls of running programs"),
    ("mcp-workbench agents list|pause|resume", "list connected agents, pause or resume all of them"),
    ("mcp-workbench phone pair|list|revoke", "pair phones with the review page, list or revoke them"),
    ("mcp-workbench notify test", "send a test message through every channel of notifications"),
    ("mcp-workbench pin set|clear", "require a PIN for approvals in a terminal"),
    ("mcp-workbench dry-run FILE", "list what a program would do, without doing it"),
    ("mcp-workbench skills list", "list the skills"),
    ("mcp-workbench skills show NAME", "print a skill, its code and its versions"),
    ("mcp-workbench skills keep NAME", "keep a draft that an agent proposed"),
    ("mcp-workbench skills run NAME", "run a skill"),
    ("mcp-workbench skills test [NAME…]", "play recordings of skills and report differences"),
    ("mcp-workbench files list|read", "list the files of the workspace, or print one"),
    ("mcp-workbench files changes|diff|undo", "list, compare or undo what runs changed"),
    ("mcp-workbench connect [CLIENT]", "add this workbench to the settings of an MCP client"),
    ("mcp-workbench connect --hooks [CLIENT]", "decide here about calls that CLIENT makes with its own tools"),
    ("mcp-workbench hook CLIENT", "answer one call of a client from stdin; started by its hooks"),
    ("mcp-workbench serve", "serve an agent over stdin and stdout"),
    ("mcp-workbench serve --direct SERVER", "also offer the tools of a server one by one"),
    ("mcp-workbench serve --http", "open the HTTP endpoint for agents on this machine"),
    ("mcp-workbench status", "print the state of a project's core"),
    ("mcp-workbench stop", "end the core of a project and everything it started"),
    ("mcp-workbench sandbox status", "list the isolation levels of this machine"),
    ("mcp-workbench sandbox build LEVEL", "build what containers or virtual machines need"),
    ("mcp-workbench sandbox remove LEVEL", "remove what was built for a level"),
    ("mcp-workbench search find WORDS", "find tools, resources, prompts and skills"),
    ("mcp-workbench search status", "show whether the sentence model is built"),
    ("mcp-workbench search build", "build the sentence model for search by meaning"),
    ("mcp-workbench search remove", "remove the sentence model"),
    ("mcp-workbench sanitize [FILE…]", "mask personal data and secrets in files and pipes"),
    ("mcp-workbench interceptor", "offer masking to MCP gateways (SEP-2624, a draft)"),
    ("mcp-workbench tokens", "print the model tokens that programs cost and saved"),
    ("mcp-workbench privacy marks", "list what is always or never masked"),
    ("mcp-workbench privacy always|never TEXT", "always or never mask a value, everywhere or in this project"),
    ("mcp-workbench privacy why TEXT", "explain why a text or token is masked or not"),
    ("mcp-workbench privacy strictness", "show or set how much is masked, for all servers or for one"),
    ("mcp-workbench audit verify", "check that the audit is complete and unchanged"),
    ("mcp-workbench audit query", "print audit entries"),
    ("mcp-workbench audit export", "write entries with their hashes to a file"),
    ("mcp-workbench audit report", "write the compliance report for a period"),
)
EXAMPLES = """examples:
  mcp-workbench ~/projects/shop
  claude mcp add workbench -- mcp-workbench serve --project ~/projects/shop
  mcp-workbench call demo list_orders --arg limit=3 --output json
  mcp-workbench check --project . --junit report.xml
  mcp-workbench status --json
  mcp-workbench audit query --kind run. --limit 20"""


def main(arguments: list[str]) -> int | Paths:
    """Run a command and return its exit code, or return the paths of the project whose window opens."""
    arguments = [OLD_COMMANDS.get(word, word) for word in arguments[:1]] + arguments[1:]
    try:
        code = _run(arguments) if arguments and arguments[0] in COMMANDS else _window(arguments)
        sys.stdout.flush()
        return code
    except WorkbenchError as fault:
        narrate_fault(fault)
        return FAULT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader closed the pipe
        return FAULT
    except KeyboardInterrupt:
        return INTERRUPTED


def about() -> str:
    """The epilog of `--help`: every command, examples, every exit code."""
    width = max(len(usage) for usage, _ in USAGES)
    commands = "\n".join(f"  {usage.ljust(width)}  {words}" for usage, words in USAGES)
    codes = "\n".join(f"  {code:>3}  {words}" for code, words in MEANING.items())
    end = "To open a folder whose name is a command, write its path, for example ./status."
    return f"commands:\n{commands}\n\n{EXAMPLES}\n\nexit codes:\n{codes}\n\n{end}"


def _window(arguments: list[str]) -> Paths:
    parser = argparse.ArgumentParser(
        prog="mcp-workbench",
        description="Browse and test MCP tools, review and approve agent-proposed code, curate the skill library.",
        epilog=about(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="project folder (default: your own project)")
    parser.add_argument("--version", action="version", version=f"mcp-workbench {__version__}")
    folder = parser.parse_args(arguments).folder
    if folder is not None and _is_word(folder):
        raise WorkbenchError(*_no_command(folder))
    paths = project_paths(folder)
    check_window(os.environ, sys.version_info[:2], qt_version())
    return paths


def _is_word(given: str) -> bool:
    """Whether the argument looks like a command and not like a folder: no path separator, and no such file."""
    return not (os.sep in given or given.startswith(("~", ".")) or os.path.exists(given))


def _no_command(word: str) -> tuple[str, str]:
    close = similar_names(word, COMMANDS, 1)
    guess = f"; did you mean {close[0]}?" if close else "."
    hint = "See `mcp-workbench --help` for all commands. To open a folder, write its path, for example ./name."
    return f"There is no command {word:.60}{guess}", hint


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
    """The function that adds a command's arguments to a parser."""
    module, _, name = COMMANDS[command][0].partition(":")
    found: Callable[[Parser], None] = getattr(importlib.import_module(f"workbench.cli.{module}"), name)
    return found


COMMAND_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "agents": ("agents list", "agents pause", "agents resume"),
    "servers": ("servers --json", "servers --known", "servers --add 'GitHub, at its address'", "servers allow github"),
    "tools": ("tools --server demo", "tools --search 'late orders'"),
    "call": ("call demo list_orders --arg limit=3 --output json", "call files write --json @arguments.json --yes"),
    "doctor": ("doctor", "doctor github --details"),
    "read": ("read demo demo://company/about",),
    "prompt": ("prompt demo review_sales --arg product='Beacon Lamp'",),
    "check": ("check --project . --allow --junit report.xml", "check orders/open.json"),
    "assess": ("assess job.py", "assess *.py --sarif"),
    "run": (
        "run report.py",
        "run job.py --tools demo.list_orders --tools demo.count_orders --json",
        "run - --timeout 5",
        "run clean_up.py --wait",
    ),
    "runs": ("runs list", "runs show r1f2e3d4c5b6 --json", "runs allow r1f2", "runs deny r1f2 --reason 'Not today'"),
    "review": ("review", "review --project ."),
    "calls": ("calls list", "calls allow 1f2e3d4c5b6a-1"),
    "phone": ("phone pair", "phone list --json", "phone revoke 3fa9"),
    "notify": ("notify test",),
    "pin": ("pin set", "pin clear"),
    "dry-run": ("dry-run clean_up.py", "dry-run - --json"),
    "skills": (
        "skills list --search orders --json",
        "skills show pending-orders-summary",
        "skills keep pending-orders-summary",
        "skills run pending-orders-summary --arg minimum_amount=500",
        "skills test",
    ),
    "files": ("files list", "files diff 1f2e3d4c5b6a", "files undo 1f2e3d4c5b6a report.csv --yes"),
    "connect": (
        "connect",
        "connect claude-code",
        "connect codex --write --wait",
        "connect cursor --write --here --project .",
        "connect --prompt",
        "connect --hooks claude-code --write",
        "connect --hooks claude-code --deny 'git push *'",
    ),
    "hook": ("hook claude-code --absent deny",),
    "serve": ("serve", "serve --project ."),
    "status": ("status --json",),
    "stop": ("stop --project .",),
    "sandbox": ("sandbox status", "sandbox build container"),
    "search": (
        "search find pay money back",
        "search find orders --kind tool --limit 5 --json",
        "search build",
    ),
    "sanitize": (
        "sanitize notes.txt",
        "sanitize orders.json --map orders.map.json",
        "sanitize answer.txt --restore orders.map.json",
        "sanitize --check --kinds SECRET",
    ),
    "interceptor": ("interceptor", "interceptor --mode audit --kinds SECRET,CARD"),
    "tokens": ("tokens --json",),
    "privacy": ("privacy marks", "privacy never support@example.org --here", "privacy strictness recall --server crm"),
    "audit": ("audit verify", "audit query --kind run. --limit 20 --json", "audit report"),
}


def with_examples(command: str, foot: str | None) -> str:
    """The epilog of a command's help with its examples appended."""
    lines = "\n".join(f"  mcp-workbench {example}" for example in COMMAND_EXAMPLES.get(command, ()))
    return "\n\n".join(filter(None, (foot, lines and f"examples:\n{lines}")))


def check_window(environ: Mapping[str, str], python: tuple[int, int], qt: str) -> None:
    """Check what would make Qt abort the process: no display, or a Qt version that does not work with this Python."""
    if sys.platform == "linux" and not any(environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")):
        raise WorkbenchError(
            "There is no display for the window.",
            "Run it in a desktop session. `mcp-workbench serve` and the other commands need no display.",
        )
    if not qt:
        raise WorkbenchError(
            "PySide6 is not installed.", 'Install it with: pip install "PySide6-Essentials>=6.10,<6.12"'
        )
    if python < (3, 12) and _numbers(qt) >= (6, 12):
        raise WorkbenchError(
            f"PySide6 {qt} crashes on Python {python[0]}.{python[1]}.",
            'Install a version that works: pip install "PySide6-Essentials>=6.10,<6.12"',
        )


def qt_version() -> str:
    """The version of the installed Qt, or an empty text."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("PySide6-Essentials")
    except PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
