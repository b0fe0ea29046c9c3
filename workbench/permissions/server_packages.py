"""Finds the published package that a server's entry starts, or the host that it connects to.

Reviewed annotations apply to packages of public registries. An entry counts only if nothing in it or in its folder can
put another program in the package's place: a local copy, another registry, variables that load code, or a folder where
others can write.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from workbench.files import read_plain
from workbench.records import ServerConfig

_NPM = re.compile(r"((?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*)(?:@[A-Za-z0-9.^~+-]+)?")
_PYPI = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[A-Za-z0-9,._-]*\])?(?:(?:==|@|~=|>=)[A-Za-z0-9.+!-]+)?")
_NODE_RUNNERS = {"npx": (), "bunx": (), "pnpx": (), "npm": ("exec",), "pnpm": ("dlx",), "yarn": ("dlx",)}
_PYTHON_RUNNERS = {"uvx": (), "uv": ("tool", "run"), "pipx": ("run",)}
_PLAIN_FLAGS = frozenset({"-y", "--yes", "-q", "--quiet", "--silent", "--prefer-offline", "--no-cache", "--"})
_LARGEST = 1 << 20  # bytes of a package.json
_SPECS = ("--from", "--spec")  # followed by the package; the next argument is the command
_PYTHON = re.compile(r"(?:python|pypy)(?:3(?:\.\d+)?)?|py")
_PYTHON_FLAGS = frozenset({"-u", "-P", "-I", "-E", "-s", "-B"})
_FOLDER_FILES = (".npmrc", "bunfig.toml", ".yarnrc", ".yarnrc.yml")  # may name another registry
_VARIABLES = re.compile(
    r"""npm_.*|pnpm_.*|corepack_.*|node_.*|path|uv_.*|pip_.*|pipx_.*|python.*|ld_.*|dyld_.*|bun_.*|yarn_.*|virtual_env
    |home|userprofile|appdata|localappdata|xdg_.*|env|bash_.*|shell|comspec|openssl_.*|ssl_.*|gconv_path|glibc_.*""",
    re.I | re.VERBOSE,
)
_VERSION = re.compile(r"(?:(?:c?python|pypy)@?)?\d+(?:\.\d+)*")  # of Python; anything else may be a path
_CODE_SUFFIXES = (".py", ".so", ".pyd", ".zip")
_ADMINISTRATORS = {0, 80} if sys.platform == "darwin" else {0}  # groups whose members are root anyway


def package_of(config: ServerConfig, project: Path) -> str:
    """Return `npm:<name>`, `pypi:<name>` or `host:<name>`; empty if the entry does not say for certain what it runs.
    Looks at a few file names: may block briefly."""
    if config.remote:
        address = urlsplit(config.url)
        return f"host:{address.hostname}" if address.scheme == "https" and address.hostname else ""
    if any(_VARIABLES.fullmatch(name) for name in config.env) or "$" in config.command + config.cwd:
        return ""
    command, folder = config.command, project / Path(config.cwd).expanduser()
    if os.sep not in command:
        name, place = command.lower().removesuffix(".exe").removesuffix(".cmd"), shutil.which(command)
        if place is not None and not _is_protected(os.path.abspath(place), project):
            return ""  # a program of the project or of others, by the search path
        if name in _NODE_RUNNERS:
            if name == "npm" and "--" not in config.args[:3]:
                return ""  # npm reads its options behind the package too: `--package`, `--call`, `--registry`
            return _node_package(_after(config.args, _NODE_RUNNERS[name]), folder)
        if name in _PYTHON_RUNNERS:
            return _python_package(_after(config.args, _PYTHON_RUNNERS[name]))
        if _PYTHON.fullmatch(name):
            return _module_package(config.args, folder)
        if name == "node":
            return _installed(config.args[0] if config.args else "", project)  # an option in front may load code
        found = place or ""
        return _installed(found, project) or (f"pypi:{_normal(name)}" if _is_protected(found, project) else "")
    if _PYTHON.fullmatch(Path(command).name) and _is_protected(command, project):
        return _module_package(config.args, folder)
    in_bin = Path(command).parent.name == "bin" and _is_protected(command, project)
    return _installed(command, project) or (f"pypi:{_normal(Path(command).name)}" if in_bin else "")


def _after(args: tuple[str, ...], words: tuple[str, ...]) -> tuple[str, ...] | None:
    return args[len(words) :] if args[: len(words)] == words else None


def _node_package(args: tuple[str, ...] | None, folder: Path) -> str:
    for arg in args or ():
        if arg in _PLAIN_FLAGS:
            continue
        found = _NPM.fullmatch(arg)
        if found is None or arg.startswith("-"):
            return ""
        return "" if _is_replaced(found[1], folder) else f"npm:{found[1]}"
    return ""


def _is_replaced(name: str, folder: Path) -> bool:
    """Whether a folder, or one above it where npm looks too, has its own copy of a package, a program or package of
    this name, or names another registry."""
    start = Path(os.path.realpath(folder))
    for one in (start, *start.parents):
        modules = one / "node_modules"
        files = [] if one == Path.home() else [one / file for file in _FOLDER_FILES]  # the user's own settings
        if any(map(os.path.lexists, (modules / name, modules / ".bin" / name, *files))):
            return True
        try:
            described = read_plain(one / "package.json", largest=_LARGEST)
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return True
        if name.rpartition("/")[2] in described:
            return True
    return False


def _python_package(args: tuple[str, ...] | None) -> str:
    rest = iter(args or ())
    for arg in rest:
        if arg in _PLAIN_FLAGS:
            continue
        if arg in ("--python", "-p"):
            if not _VERSION.fullmatch(next(rest, "")):
                return ""
            continue
        found = _PYPI.fullmatch(next(rest, "") if arg in _SPECS else arg)
        if found is None or (arg in _SPECS and _normal(next(rest, "")) != _normal(found[1])):
            return ""  # `--from mcp-server-git python x.py` runs another program in the package's environment
        return f"pypi:{_normal(found[1])}"
    return ""


def _module_package(args: tuple[str, ...], folder: Path) -> str:
    for place, arg in enumerate(args):
        if arg in _PYTHON_FLAGS:
            continue
        if arg != "-m" or len(args) <= place + 1 or not re.fullmatch(r"[A-Za-z0-9_]+", args[place + 1]):
            return ""
        module = args[place + 1]
        isolated = not {"-P", "-I"}.isdisjoint(args[:place])
        return "" if not isolated and _has_modules(folder) else f"pypi:{_normal(module)}"
    return ""


def _has_modules(folder: Path) -> bool:
    """Whether Python would import modules from this folder, also in place of libraries of the started one."""
    try:
        with os.scandir(folder) as entries:
            return any(
                one.name.endswith(_CODE_SUFFIXES) or (one.is_dir() and one.name.isidentifier()) for one in entries
            )
    except OSError:
        return False


def _installed(path: str, project: Path) -> str:
    """Return the npm package that a file is installed in; empty if it is none, or in the project."""
    if not _is_protected(path, project):
        return ""
    parts = Path(os.path.realpath(path)).parts
    if "node_modules" not in parts:
        return ""
    inner = parts[len(parts) - 1 - parts[::-1].index("node_modules") + 1 :]
    name = "/".join(inner[:2]) if inner and inner[0].startswith("@") else inner[0] if inner else ""
    return f"npm:{name}" if _NPM.fullmatch(name) else ""


def temporary_folders() -> tuple[str, ...]:
    """Return the folders where every program may put files."""
    return (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm")


def _is_protected(path: str, project: Path) -> bool:
    """Whether only the user and root can replace this file: neither it nor a folder above belongs to others or can be
    written by them, and it is in no temporary folder and not in the project."""
    if not _outside(path, project):
        return False
    real = os.path.realpath(path)
    temporary = {one for folder in temporary_folders() for one in (folder, os.path.realpath(folder))}
    if any(os.path.commonpath([one, folder]) == folder for one in (path, real) for folder in temporary):
        return False
    places = (Path(path), *Path(path).parents, Path(real), *Path(real).parents)
    try:
        return os.name != "posix" or all(_is_owned(one.lstat()) for one in dict.fromkeys(places))
    except OSError:
        return False


def _is_owned(found: os.stat_result) -> bool:
    """Whether only the user and root can write this file or folder, or replace what they own in it."""
    if found.st_uid not in (0, os.getuid()):
        return False
    if stat.S_ISLNK(found.st_mode) or (found.st_mode & stat.S_ISVTX and stat.S_ISDIR(found.st_mode)):
        return True  # of a link only the folder counts; in a sticky folder nobody replaces what belongs to others
    if found.st_mode & stat.S_IWOTH:
        return False
    return not found.st_mode & stat.S_IWGRP or found.st_gid in _ADMINISTRATORS or _is_own_group(found.st_gid)


def _is_own_group(group: int) -> bool:
    """Whether a group has no member but the user."""
    import grp  # only on POSIX systems
    import pwd

    try:
        entry, user = grp.getgrgid(group), pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return entry.gr_name == user.pw_name and set(entry.gr_mem) <= {user.pw_name}


def _outside(path: str, project: Path) -> bool:
    if not os.path.isabs(path):
        return False
    root = os.path.realpath(project)
    return os.path.commonpath([os.path.realpath(path), root]) != root and os.path.commonpath([path, root]) != root


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
