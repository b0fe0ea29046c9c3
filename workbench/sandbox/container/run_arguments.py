"""Arguments of `podman run` and `docker run`, and the seccomp profile for the engine.

The profile applies from the container's first instruction. System calls that only the engine's runtime and the runner
need, before the program's text arrives, are allowed here and refused later by the runner's own filter.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import resource
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.sandbox.child_profile import BENCH, NOBODY, TEMP, ChildProfile
from workbench.sandbox.container.engine import EngineSettings
from workbench.sandbox.file_transfer.transfer_host import OTHERS_MB, WORKSPACE_MB
from workbench.sandbox.locks.seccomp_filter import ABSENT, CONDITIONAL, PLAIN, UNSUPPORTED, numbers
from workbench.sandbox.supervision.workspace_quota import MOST_FILES

LABEL = "mcp-workbench.core"  # label with process ID and start time of the core that owns the container
PYTHON = "python3"  # found through the image's PATH
PACKAGE_PLACE = "/app"  # folder of the runner in the image
ENTRY = "workbench.sandbox.container.entry"  # first module that runs in the container
_START = f"import sys; sys.path.insert(0, {PACKAGE_PLACE!r}); from {ENTRY} import main; main()"
_PRIVATE_MB, _PRIVATE_FILES = 80, 8192  # folder for temporary files, which includes home
_OVERHEAD_MB = _PRIVATE_MB + 80  # memory that cgroups count in addition to the program's own
_COPIED_MB = OTHERS_MB + 16  # an in-memory file system needs more memory than its files
_COPIED_FILES = MOST_FILES + 1000
_PROCESSES = 4096  # if cgroups count processes; a per-user limit would count the processes of all containers
_OPEN_FILES = 256
_QUIET = ("--log-level", "error")


def run_arguments(
    engine_settings: EngineSettings, profile: ChildProfile, name: str, owner: str, system_calls: Path
) -> list[str]:
    """Complete command that starts one child and stays attached to it."""
    command = [
        engine_settings.program,
        *engine_settings.options,
        *_QUIET,
        "run",
        "--name",
        name,
        "--label",
        f"{LABEL}={owner}",
    ]
    command += [
        "--pull",
        "never",
        *engine_settings.run_options,
        *_lock_options(engine_settings, system_calls),
        *_user_options(engine_settings),
    ]
    command += [*_limits(engine_settings, profile), *_folders(engine_settings, profile)]
    command += ["--preserve-fds", "1"] if engine_settings.descriptor else ["-i"]
    if engine_settings.engine == "podman":
        command += ["--no-hosts", "--http-proxy=false", "--read-only-tmpfs=false", "--systemd=false"]
        command += ["--security-opt", "mask=/sys"]
    inner = profile if not engine_settings.limits else replace(profile, pids=_most_processes(engine_settings))
    if engine_settings.remote:
        inner = replace(inner, backend=engine_settings.engine, disk_mb=_copied_mb(profile))
        inner = replace(inner, workspace="", servers="", skills="", marks=())
    words = {
        "profile": inner.as_json(),
        "parent": not engine_settings.descriptor,
        "carried": bool(engine_settings.remote),
    }
    return [*command, "--entrypoint", PYTHON, engine_settings.image, "-I", "-S", "-c", _START, json.dumps(words)]


def user() -> tuple[int, int]:
    """User and group ID of programs, never root's."""
    return (NOBODY, NOBODY) if os.getuid() == 0 else (os.getuid(), os.getgid())


def _lock_options(engine_settings: EngineSettings, system_calls: Path) -> list[str]:
    words = ["--read-only", "--network", "none", "--ipc", "none", "--cap-drop", "ALL", "--hostname", "sandbox"]
    words += ["--security-opt", "no-new-privileges", *_filter(engine_settings, system_calls)]
    words += ["--log-driver", "none", "--stop-timeout", "0", "--env", "HOSTNAME="]
    if engine_settings.remote:
        words += ["--rm"]  # a container that ends without a core must not remain on the engine
    elif os.path.isdir("/sys/fs/selinux"):
        # otherwise the project's folders would need different SELinux labels
        words += ["--security-opt", "label=disable"]
    return words


def _filter(engine_settings: EngineSettings, system_calls: Path) -> list[str]:
    """Seccomp options.

    docker's client sends the file's content. podman's client sends its path, so a remote image contains the profile.
    """
    if engine_settings.remote and engine_settings.engine == "podman":
        return ["--seccomp-policy", "image"]
    return ["--security-opt", f"seccomp={system_calls}"]


def _user_options(engine_settings: EngineSettings) -> list[str]:
    if engine_settings.remote:
        return ["--user", f"{NOBODY}:{NOBODY}"]
    if engine_settings.engine == "podman" and engine_settings.rootless:
        return ["--userns", "keep-id", "--user", "{}:{}".format(*user())]
    if engine_settings.rootless:
        return ["--user", "0:0"]  # root in the container is the unprivileged user outside, and has no capabilities
    return ["--user", "{}:{}".format(*user())]


def _limits(engine_settings: EngineSettings, profile: ChildProfile) -> list[str]:
    words = ["--ulimit", f"nofile={_OPEN_FILES}:{_OPEN_FILES}", "--ulimit", "core=1:1"]
    words += ["--ulimit", "nproc={0}:{0}".format(_most_processes(engine_settings))]
    if engine_settings.limits:
        carried = _copied_mb(profile) + 2 * _COPIED_MB if engine_settings.remote else 0
        memory = f"{profile.memory_mb + _OVERHEAD_MB + carried}m"
        words += ["--memory", memory, "--memory-swap", memory, "--cpus", str(profile.cpus)]
        words += ["--pids-limit", str(profile.pids + 2)]
    return words


def _copied_mb(profile: ChildProfile) -> int:
    """Megabytes of a copied workspace. It is in the remote machine's memory and therefore smaller."""
    return min(profile.disk_mb, WORKSPACE_MB)


def _most_processes(engine_settings: EngineSettings) -> int:
    if engine_settings.remote:
        return _PROCESSES
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    return _PROCESSES if hard == resource.RLIM_INFINITY else min(_PROCESSES, hard)


def _folders(engine_settings: EngineSettings, profile: ChildProfile) -> list[str]:
    """Mounts: the project's folders, and one small private folder for home and temporary files."""
    private = _memory_folder(engine_settings, TEMP, _PRIVATE_MB, _PRIVATE_FILES, "700")
    if engine_settings.remote:
        return [*private, *_copied_folders(engine_settings, profile)]
    words = [*_bind_mount(engine_settings, profile.workspace, "workspace", writable=profile.writable)]
    for name, source in (("servers", profile.servers), ("skills", profile.skills)):
        if source and os.path.isdir(source):
            words += _bind_mount(engine_settings, source, name, writable=False)
    return [*words, *private]


def _copied_folders(engine_settings: EngineSettings, profile: ChildProfile) -> list[str]:
    words = []
    for name in ("servers", "skills"):
        words += _memory_folder(engine_settings, f"{BENCH}/{name}", _COPIED_MB, _COPIED_FILES, "755")
    return [*words, *_memory_folder(engine_settings, f"{BENCH}/workspace", _copied_mb(profile), _COPIED_FILES, "755")]


def _memory_folder(engine_settings: EngineSettings, at: str, megabytes: int, files: int, mode: str) -> list[str]:
    """Mount an in-memory folder on the engine's machine, owned by the program's user."""
    number, group = _owner(engine_settings)
    if engine_settings.engine == "docker":
        options = f"rw,nosuid,nodev,noexec,size={megabytes}m,nr_inodes={files},mode={mode}"
        return ["--tmpfs", f"{at}:{options},uid={number},gid={group}"]
    # podman's --tmpfs cannot limit files, but a tmpfs volume passes kernel options
    blocks = (megabytes << 20) // os.sysconf("SC_PAGE_SIZE")
    options = f"o=nr_blocks={blocks},nr_inodes={files},mode={mode},uid={number},gid={group}"
    parts = ["type=volume", f"dst={at}", "volume-opt=type=tmpfs", "volume-opt=device=tmpfs", f"volume-opt={options}"]
    return ["--mount", _joined(parts)]


def _owner(engine_settings: EngineSettings) -> tuple[int, int]:
    if engine_settings.remote:
        return NOBODY, NOBODY
    return (0, 0) if engine_settings.engine == "docker" and engine_settings.rootless else user()


def _bind_mount(engine_settings: EngineSettings, source: str, name: str, *, writable: bool) -> list[str]:
    parts = ["type=bind", f"src={source}", f"dst={BENCH}/{name}"]
    if engine_settings.engine == "podman":
        parts += ["nosuid", "nodev", "noexec"]
    return ["--mount", _joined([*parts, *(() if writable else ("ro=true",))])]


def _joined(parts: list[str]) -> str:
    """Join with commas as the engines parse it: a part with a comma or a quote is quoted."""
    return ",".join('"{}"'.format(part.replace('"', '""')) if set(part) & set(',"') else part for part in parts)


_ARCHITECTURES = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
_FULL_MASK = 0xFFFFFFFF  # with this mask, a condition compares the whole argument

# The runtime starts the runner, which drops its privileges and sets its limits.
_RUNNER_SETUP = "execve prctl capset seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"
_RUNNER_SETUP += " setrlimit prlimit64"

# If no descriptor can be passed, the runner's parent relays the bytes: one more process, before the filter.
_PARENT_CALLS = "clone clone3 fork vfork"


def seccomp_profile(parent: bool, machine: str = "") -> dict[str, Any]:  # Any: JSON of the OCI runtime specification
    """Seccomp profile in the format of `--security-opt seccomp=FILE`.

    `parent`: the runner has a relaying parent process.
    """
    machine = machine or platform.machine()
    known, free = numbers(machine), {*PLAIN.split(), *_RUNNER_SETUP.split(), *(_PARENT_CALLS.split() if parent else ())}
    absent = [name for name in ABSENT.split() if name not in free]
    rules = [
        _rule(sorted(free), "SCMP_ACT_ALLOW"),  # names that this processor does not have are ignored
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
    if mask == _FULL_MASK:
        return {"index": argument, "value": value, "op": "SCMP_CMP_EQ"}
    return {"index": argument, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}
