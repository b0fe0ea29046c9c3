"""Faults of runs: why a run did not finish, as text for its author and for the user."""

from __future__ import annotations

import logging
import re

from workbench.analysis.used_skills import UNKNOWN
from workbench.records import Fault, Gate, RunState, Verdict
from workbench.runs.program_network import names_network
from workbench.runs.run import ProgramRun, RunEnd
from workbench.sandbox.sandbox import Ending

log = logging.getLogger(__name__)

_HINTS = {
    "timeout": "Do less in one run, or write intermediate results to workspace/ and continue in the next run. Waiting"
    " for tools and for the user does not count.",
    "memory": "Work through the data in pieces instead of holding all of it.",
    "output": "Print a summary, and write the rest to a file in workspace/.",
    "calls": "Filter at the server, or split the work over several runs.",
    "cpu": "Do less in one run.",
    "disk": "Delete files in workspace/ that are no longer needed, or write less.",
    "lost": "Propose it again.",
}

_MEANINGS = (  # Python's message at a limit → hint for the program's author
    (r"\[Errno 27\]", "The setting run.disk_mb limits each file and the whole workspace; write less."),
    (r"\[Errno 28\]", "The home and temporary folders are small and in memory; write large files below workspace/."),
    (r"\[Errno 24\]", "The number of open files is limited; close each file when it is no longer needed."),
    (
        r"'coroutine' object",
        "An await is missing: write await before the call, as in `page = await list_orders(limit=3)`.",
    ),
    (
        r"object is not a mapping|positional arguments? but",
        "Call a tool's function with keywords, as its signature names them, or with one dict of arguments.",
    ),
    (r"can't start new thread", "The number of threads is limited (setting run.pids); use asyncio.gather instead."),
    (
        r"No module named '(?!servers\b|skills\b)",
        "Programs can import the standard library and, in the process sandbox, the installed packages that the user"
        " names in the setting run.packages.",
    ),
)
_SHAPE = "Print a small part of the value first (its type, its keys, one row), then correct the program."
_KINDS = {  # Python exception → hint for the program's author
    **dict.fromkeys(("KeyError", "IndexError", "AttributeError", "TypeError"), _SHAPE),
    "NameError": "Each program starts without variables: define or import the name, or keep variables with session_id.",
    "ToolError": "Read the tool's message. Catch the error of a call that may fail: from client import ToolError.",
}
_SOCKETS = re.compile(r"gaierror|URLError|Connect|Operation not permitted|name resolution|not known", re.IGNORECASE)
_NO_NETWORK = (
    "There is no network here; use the tools instead. A program that names its host (https://api.example.org/…) needs"
    " approval; the user can allow that host for one run."
)


def stopped_end(reason: str) -> RunEnd:
    """Return the end of a run that was stopped."""
    return RunEnd(RunState.STOPPED, "was stopped", Fault(reason or "It was cancelled.", ours=True))


def stopped_before_answer(reason: str) -> RunEnd:
    """Return the end of a run that was stopped after its program had ended, while its answer was prepared."""
    words = f"{reason or 'It was cancelled.'} The run had finished; only its answer was still being prepared."
    hint = "Its effects remain. To get an answer, run it again with a smaller result, for example counts or a few rows."
    return RunEnd(RunState.STOPPED, "was stopped while its answer was prepared", Fault(words, hint))


def returned_fault(verdict: Verdict, outcome: Gate) -> Fault:
    """Return the fault of a program that cannot run as it is, so that the user is not asked about it."""
    lines = "\n".join(f"line {finding.span.line}: {finding.message}" for finding in verdict.findings[:20])
    if any(finding.rule == UNKNOWN for finding in verdict.findings):
        return Fault(verdict.sentence, "Use a kept skill, which list_skills shows, or none.", lines)
    hint = _refused(verdict) if outcome is Gate.REFUSED else "Correct the program and propose it again."
    return Fault(verdict.sentence, hint, lines, ours=True)


def _refused(verdict: Verdict) -> str:
    """Return a hint with an alternative to what the sandbox refuses."""
    written = [
        one.subject.removeprefix("./")
        for one in verdict.findings
        if one.rule in ("file.write", "file.folder") and one.subject
    ]
    if any(path.startswith("skills/") for path in written):
        return (
            "Programs cannot write skills. Offer the skill with save_skill(name, code, description); the user keeps it."
        )
    if written and len(written) == len(verdict.findings):
        outside = [path for path in written if not path.startswith("workspace/")]
        if not outside:
            return "The profile of this run does not allow writing files. Submit the program with a wider profile."
        if not any(path.startswith(("/", "~", "..")) for path in outside):
            return f"Programs can write files only below workspace/, for example workspace/{outside[0]}."
    return "The sandbox has no network, no other programs and no files outside the workspace; use the tools instead."


def fault_of_ending(ending: Ending, state: str = "", hint: str = "") -> Fault:
    """Return the fault of a program that failed or was ended. `state`: the REPL session that ended with it; `hint`:
    an additional hint for its author."""
    name = f"{ending.error_type}: " if ending.error_type else ""
    hints = [_HINTS.get(ending.reason, "") or _meaning(ending)]
    if state:
        hints.append(
            f"The REPL session {state!r} ended with it. Its variables are lost; files in the workspace remain."
        )
    hints.append(hint)
    ours = not name and not ending.traceback  # a limit of the sandbox; the program cannot have written this text
    return Fault(f"{name}{ending.message}", " ".join(filter(None, hints)), ending.traceback, ours=ours)


def _meaning(ending: Ending) -> str:
    words = ending.message if ending.reason == "failed" else ""
    known = next((hint for pattern, hint in _MEANINGS if re.search(pattern, words)), "")
    return known or (_KINDS.get(ending.error_type, "") if ending.reason == "failed" else "")


def network_hint(ending: Ending, verdict: Verdict | None) -> str:
    """Return why sockets do not work, for the author of a program that failed when it used one."""
    words = f"{ending.error_type} {ending.message}"
    if ending.reason == "failed" and _SOCKETS.search(words) and names_network(verdict):
        return _NO_NETWORK
    return ""


def internal_failure(run: ProgramRun, fault: Exception) -> RunEnd:
    """Return the end of a run that failed because of a fault in the workbench, and log the fault."""
    log.error("run %s failed in the workbench", run.record.id, exc_info=fault)
    failed = Fault("The workbench failed with an internal error.", "See its log.", f"{type(fault).__name__}: {fault}")
    return RunEnd(RunState.FAILED, "failed in the workbench", failed)
