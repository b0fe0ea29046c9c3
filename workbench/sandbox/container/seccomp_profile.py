"""The allow list of system calls as a profile for container engines.

It is in force from the container's first instruction. What the runtime and the runner need before the program's text
arrives is allowed here and refused by the runner's own filter afterwards.
"""

from __future__ import annotations

import errno
import platform
from typing import Any

from workbench.sandbox.locks.seccomp_filter import ABSENT, CONDITIONAL, PLAIN, UNSUPPORTED, numbers

_ARCHITECTURES = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
_WHOLE = 0xFFFFFFFF  # a condition with this mask compares the whole argument

# The runtime starts the runner, and the runner takes its own rights away and sets its limits.
_BEFORE = "execve prctl capset seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"
_BEFORE += " setrlimit prlimit64"

# Where no descriptor can be handed in, the runner's parent carries the bytes: one more process, before the filter.
_PARENT = "clone clone3 fork vfork"


def seccomp_profile(parent: bool, machine: str = "") -> dict[str, Any]:  # Any: JSON of the OCI runtime specification
    """The profile as `--security-opt seccomp=FILE` takes it; `parent` where the runner gets a parent that carries."""
    machine = machine or platform.machine()
    known, free = numbers(machine), {*PLAIN.split(), *_BEFORE.split(), *(_PARENT.split() if parent else ())}
    absent = [name for name in ABSENT.split() if name not in free]
    rules = [
        _rule(sorted(free), "SCMP_ACT_ALLOW"),  # a name that this processor does not have counts for nothing
        {**_rule(absent, "SCMP_ACT_ERRNO"), "errnoRet": errno.ENOSYS},
        {**_rule(sorted(UNSUPPORTED), "SCMP_ACT_ERRNO"), "errnoRet": errno.ENOTSUP},
    ]
    for name, rows in CONDITIONAL.items():
        if name in known and name not in free:
            rules += [{**_rule([name], "SCMP_ACT_ALLOW"), "args": [_compared(*one) for one in row]} for row in rows]
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": errno.EPERM,
        "architectures": [_ARCHITECTURES[machine]],
        "syscalls": rules,
    }


def _rule(names: list[str], action: str) -> dict[str, Any]:  # Any: as above
    return {"names": names, "action": action}


def _compared(argument: int, mask: int, value: int) -> dict[str, Any]:  # Any: as above
    if mask == _WHOLE:
        return {"index": argument, "value": value, "op": "SCMP_CMP_EQ"}
    return {"index": argument, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}
