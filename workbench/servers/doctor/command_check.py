"""Checks whether the command of a stdio server can be started, without starting it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records import Check, CheckState, ServerConfig
from workbench.servers.configuration.launch_command import LaunchCommand, Secret, no_secret, prepare
from workbench.servers.doctor.check_results import bad, doubt, good, skipped
from workbench.servers.server_faults import INSTALLERS

Prepare = Callable[[ServerConfig], LaunchCommand]
_HEAD = 256  # bytes of a program file that identify its type


def check_command(config: ServerConfig, launch_of: Prepare) -> tuple[tuple[Check, ...], LaunchCommand | None]:
    """Run the checks; also returns the launch when it could be built."""
    try:
        launch = launch_of(config)
    except WorkbenchError as fault:
        return (
            bad("Configuration", fault.message, fault.hint),
            skipped("Executable", "The configuration is invalid."),
        ), None
    checks = (good("Configuration", f"The server starts in {launch.cwd}."), _find(launch))
    return checks, launch if checks[-1].state is not CheckState.BAD else None


def launcher(project: Path, secret: Secret = no_secret) -> Prepare:
    """Return the function that builds launches of this project; it may block while a keyring is read."""
    return lambda config: prepare(config, project, None, secret)


def _find(launch: LaunchCommand) -> Check:
    name, path = launch.command, launch.env.get("PATH", os.defpath)
    found = _locate(launch)
    if found is None:
        return _describe_missing(name, path, launch)
    if not os.access(found, os.X_OK):
        return bad("Executable", f"{found} is not executable.", f"Make it executable: chmod +x {found}")
    return _look_inside(Path(found), path)


def _locate(launch: LaunchCommand) -> str | None:
    """Find the command as the operating system does: a path is relative to the server's folder, a name is searched in
    PATH."""
    if os.sep in launch.command:
        place = Path(launch.cwd) / launch.command
        return str(place) if place.is_file() else None
    return shutil.which(launch.command, path=launch.env.get("PATH", os.defpath)) or _unexecutable(launch)


def _unexecutable(launch: LaunchCommand) -> str | None:
    for folder in launch.env.get("PATH", os.defpath).split(os.pathsep):
        if (place := Path(folder or ".") / launch.command).is_file():
            return str(place)
    return None


def _describe_missing(name: str, path: str, launch: LaunchCommand) -> Check:
    if os.sep in name:
        place = Path(launch.cwd) / name
        what = "is a folder, not a program" if place.is_dir() else "does not exist"
        return bad("Executable", f"{place} {what}.", "Correct the command, or the folder that it is relative to (cwd).")
    elsewhere = _common_places(name)
    fix = INSTALLERS.get(name, "Install it, or write its full path as the command.")
    if elsewhere:
        fix = f"Write {elsewhere}/{name} as the command: its folder is not in the server's PATH."
    return bad("Executable", f"The command {name} was not found.", fix, f"PATH: {path}")


def _common_places(name: str) -> str:
    """Search common program folders. A desktop session often has a shorter PATH than a terminal."""
    home = Path.home()
    folders = [home / ".local/bin", home / ".cargo/bin", home / ".bun/bin", home / ".deno/bin", Path("/usr/local/bin")]
    folders += sorted((home / ".nvm/versions/node").glob("*/bin"), reverse=True)
    return next((str(folder) for folder in folders if os.access(folder / name, os.X_OK)), "")


def _look_inside(program: Path, path: str) -> Check:
    """Check the program file, and the interpreter of a script."""
    try:
        with program.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as fault:
        return doubt("Executable", f"{program} cannot be read: {fault.strerror}.")
    if head.startswith(b"#!"):
        words = head[2:].split(b"\n")[0].decode("utf-8", "replace").strip().split()
        return _interpreter(program, words, path)
    if head[:4] not in (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe") and not head.startswith(b"MZ"):
        fix = "If it is a script, add a first line such as #!/usr/bin/env python3."
        return bad("Executable", f"{program} is not a program.", fix)
    return good("Executable", f"{program} can be executed.")


def _interpreter(program: Path, words: list[str], path: str) -> Check:
    if not words:
        return bad(
            "Executable",
            f"{program} names no interpreter in its first line.",
            "Write one, such as #!/usr/bin/env python3.",
        )
    if words[0].endswith("\r") or words[-1].endswith("\r"):
        return bad("Executable", f"{program} has Windows line endings.", "Convert it, for example with dos2unix.")
    plain = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if Path(words[0]).name == "env" and plain:
        found = shutil.which(plain[0], path=path)
        name = plain[0]
    else:
        found, name = (words[0] if Path(words[0]).is_file() else None), words[0]
    if found is None:
        fix = INSTALLERS.get(Path(name).name, "Install it, or correct the script's first line.")
        return bad("Executable", f"{program} needs {name}, which was not found.", fix)
    return good("Executable", f"{program} can be executed; {found} runs it.")
