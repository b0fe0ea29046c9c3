"""Builds the container image from the system's packages, without a registry, and finds out how the engine starts it.

It tries runtimes, cgroup settings and storage drivers until a container starts with all locks in force.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.container.container_maker import ContainerMaker
from workbench.sandbox.container.engine import (
    FILE,
    ContainerEngine,
    EngineSettings,
    ask,
    find_engine,
    last_line,
    read_engine_settings,
    write_engine_settings,
)
from workbench.sandbox.container.image_contents import own_files, reduce_system, source_hash
from workbench.sandbox.container.orphan_cleanup import machine_id
from workbench.sandbox.container.run_arguments import seccomp_profile
from workbench.sandbox.isolation_probe import probe_program
from workbench.sandbox.locked_child import Tell
from workbench.sandbox.program import Ending, Program, ToolFailure
from workbench.sandbox.sandbox import Sandbox

_PACKAGES = "python3-minimal,libpython3-stdlib,tzdata,media-types"
_NAME, _BASE = "mcp-workbench-runner", "mcp-workbench-python"
_STORE = "store"
_LIST_LABEL = "io.containers.seccomp.profile"  # label that podman reads
_PATIENCE = 1800.0  # seconds for downloading packages
_SYSTEMS = {"debian", "ubuntu"}
_MISSING = "Install it (`sudo apt install mmdebstrap`), or build from an image that your engine has: `--from IMAGE`."
# Bytecode that is never compared with the source's modification time: the root is read-only, so Python could not update
# it.
_COMPILE = (
    "import compileall, py_compile, sysconfig; compileall.compile_dir(sysconfig.get_path('stdlib'), quiet=2, "
    "invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)"
)


class ImageBuilder:
    """Builds the container image. The settings found by trying are stored in a small file."""

    def __init__(self, images: Path) -> None:
        self._images = images

    def build(self, tell: Tell, base: str = "", again: bool = False) -> None:
        """Build the image from the image `base` or from the system's packages.

        `again`: even if the image is current.
        """
        if platform.system() != "Linux":
            raise WorkbenchError("Containers for programs need Linux.", "Use Linux, or WSL on Windows.")
        engine = find_engine()
        tell(f"Engine: {engine.program}{', rootless' if engine.rootless else ''}, storage {engine.storage}.")
        _tell_of_remote(engine, tell)
        source = source_hash()
        known = read_engine_settings(self._images)
        if known is not None and _is_current(known, engine, source) and not again and not base:
            tell(f"The image {known.image} is up to date ({describe_settings(known)}). Use `--again` to rebuild it.")
            return
        engine_settings = self._engine_settings(engine, source, tell)
        add_runner(engine_settings, _python_image(engine_settings, base, tell, again=again), tell)
        tell("Testing which settings start a container with all locks:")
        engine_settings = find_working_settings(engine_settings, tell)
        write_engine_settings(self._images, engine_settings)
        if known is not None and not _is_same(known, engine):
            place = known.remote or "this machine"
            tell(f"The image {known.image} of {known.engine} on {place} is no longer used, but was not removed.")
        elif known is not None and known.image != engine_settings.image:
            _remove_image(known, tell)
        tell(f"Ready: {describe_settings(engine_settings)}; the image is {engine_settings.image}.")

    def remove(self, tell: Tell) -> None:
        engine_settings = read_engine_settings(self._images)
        if engine_settings is None:
            tell("The workbench has no container image.")
            return
        try:
            ask(engine_settings.command("info"))
        except WorkbenchError as fault:
            place = engine_settings.remote or "this machine"
            tell(f"{engine_settings.engine} on {place} does not answer, so its images are not removed: {fault.message}")
        for image in (engine_settings.image, base_image(engine_settings)):
            if is_there(engine_settings, image):
                _remove_image(replace(engine_settings, image=image), tell)
        (self._images / FILE).unlink(missing_ok=True)
        store = self._images / _STORE
        if store.exists():
            ask([engine_settings.program, "unshare", "rm", "-rf", str(store)])
            tell(f"Removed the store {store}.")

    def _engine_settings(self, engine: ContainerEngine, source: str, tell: Tell) -> EngineSettings:
        """Find settings for the engine.

        If its default storage copies the image at each start, a separate store is used.
        """
        address, prefix = engine.address, "localhost/" if engine.name == "podman" else ""
        engine_settings = EngineSettings(
            engine.name,
            engine.program,
            address.options,
            image=f"{prefix}{_NAME}:{source}{_remote_suffix(address.is_remote)}",
            source=source,
            rootless=engine.rootless,
            limits=engine.groups,
            service=bool(address.host),
            remote=address.without_user,
            machine=engine.machine,
        )
        if engine.name != "podman" or engine.storage != "vfs" or address.host:
            return engine_settings
        options = ("--root", str(self._images / _STORE), "--storage-driver", "overlay")
        own = replace(engine_settings, options=options)
        try:
            ask(own.command("info"))
        except WorkbenchError as fault:
            tell(f"The vfs storage copies the image at every start, and overlay storage does not work: {fault.message}")
            return engine_settings
        tell(f"The vfs storage copies the image at every start, so a separate overlay store is used: {options[1]}.")
        return own


def add_runner(engine_settings: EngineSettings, base: str, tell: Tell) -> None:
    """Add the runner to an image with Python 3.11 or newer, without downloading or running anything."""
    began = time.monotonic()
    name = f"{_NAME}-{os.getpid()}"
    ask(engine_settings.command("create", "--pull", "never", "--name", name, "--entrypoint", "python3", base))
    try:
        ask(engine_settings.command("cp", "-", f"{name}:/"), _PATIENCE, own_files())
        _commit(engine_settings, name)
    finally:
        ask(engine_settings.command("rm", "-f", "-v", name))
    tell(f"Added the runner to {base} as {engine_settings.image} in {time.monotonic() - began:.1f} s.")


def _commit(engine_settings: EngineSettings, name: str) -> None:
    """Commit the image. podman cannot send a seccomp profile to a remote machine, so there the image contains it."""
    if not (engine_settings.remote and engine_settings.engine == "podman"):
        ask(engine_settings.command("commit", name, engine_settings.image), _PATIENCE)
        return
    words = json.dumps(seccomp_profile(parent=True, machine=engine_settings.machine), separators=(",", ":"))
    template = f'{{{{index .Labels "{_LIST_LABEL}"}}}}'
    for written in (words, json.dumps(words)):  # which form podman reads back unchanged depends on its version
        ask(
            engine_settings.command(
                "commit", "--change", f"LABEL {_LIST_LABEL}={written}", name, engine_settings.image
            ),
            _PATIENCE,
        )
        if ask(engine_settings.command("image", "inspect", "--format", template, engine_settings.image)) == words:
            return
    raise WorkbenchError(
        "podman on that machine does not store the seccomp profile with the image.", "Use docker there."
    )


def _tell_of_remote(engine: ContainerEngine, tell: Tell) -> None:
    """Tell the user that programs will run on a remote machine."""
    if not engine.address.is_remote:
        return
    tell(f"The engine runs on another machine: {engine.address.without_user}. Programs run there. The workspace,")
    tell("generated packages and skills are copied there and back; whoever administers that machine can read them.")
    if engine.address.unprotected:
        tell("The connection is not protected: others can read and change everything. Use ssh:// or a tunnel.")


def _is_same(known: EngineSettings, engine: ContainerEngine) -> bool:
    """Whether the image was built for this engine and machine."""
    address = engine.address
    at = known.options[: len(address.options)] == address.options
    return (known.program, known.service, known.remote) == (
        engine.program,
        bool(address.host),
        address.without_user,
    ) and at


def _is_current(known: EngineSettings, engine: ContainerEngine, source: str) -> bool:
    return known.source == source and _is_same(known, engine) and is_there(known, known.image)


def base_image(engine_settings: EngineSettings) -> str:
    """Name of the image layer with Python. It differs for each system and package list."""
    parts = f"{_PACKAGES} {_debian_suite()} {platform.machine()} 1"
    prefix = "localhost/" if engine_settings.engine == "podman" else ""
    suffix = _remote_suffix(bool(engine_settings.remote))
    return f"{prefix}{_BASE}:{hashlib.sha256(parts.encode()).hexdigest()[:12]}{suffix}"


def _remote_suffix(is_remote: bool) -> str:
    """Suffix of image names that identifies this machine, because several machines may build with one remote engine."""
    return f"-{machine_id()[:12]}" if is_remote else ""


def is_there(engine_settings: EngineSettings, image: str) -> bool:
    """Whether the engine has an image with this name."""
    try:
        ask(engine_settings.command("image", "inspect", "--format", "{{.Id}}", image))
    except WorkbenchError:
        return False
    return True


def _python_image(engine_settings: EngineSettings, wished: str, tell: Tell, *, again: bool) -> str:
    """The image with Python: the given one, an earlier one, or one made from packages."""
    if wished:
        return wished
    if engine_settings.machine != platform.machine():
        words = f"The engine's machine has a different processor type ({engine_settings.machine}) from this one."
        raise WorkbenchError(words, "Build from an image that it has and that contains Python: `--from IMAGE`.")
    base = base_image(engine_settings)
    if not again and is_there(engine_settings, base):
        tell(f"Using the existing image with Python: {base}.")
        return base
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-image-") as folder:
        image = _packages(Path(folder), tell)
        began = time.monotonic()
        ask(engine_settings.command("import", str(image), base), _PATIENCE)
        tell(f"Imported as {base} in {time.monotonic() - began:.1f} s.")
    return base


def _packages(folder: Path, tell: Tell) -> Path:
    """Create a tar file of a system that contains only Python, with whichever tool is installed."""
    began = time.monotonic()
    system = folder / "system.tar"
    if (tool := shutil.which("mmdebstrap")) is not None:
        compiling = f'chroot "$1" /usr/bin/python3 -I -S -c "{_COMPILE}"'
        command = [tool, "--variant=extract", f"--include={_PACKAGES}", f"--customize-hook={compiling}"]
        _run_tool([*command, _debian_suite(), str(system)], "mmdebstrap")
    elif (tool := shutil.which("debootstrap")) is not None and os.getuid() == 0:
        root = folder / "system"
        _run_tool([tool, "--variant=minbase", f"--include={_PACKAGES}", _debian_suite(), str(root)], "debootstrap")
        _run_tool(["chroot", str(root), "/usr/bin/python3", "-I", "-S", "-c", _COMPILE], "chroot")
        with tarfile.open(system, "w") as tar:
            tar.add(root, arcname=".")
    else:
        asroot = " (debootstrap is installed, but works only as root)" if tool else ""
        raise WorkbenchError(f"The package mmdebstrap is missing{asroot}.", _MISSING)
    tell(f"Packages of {_debian_suite()}: {system.stat().st_size / 1e6:.0f} MB in {time.monotonic() - began:.1f} s.")
    image = folder / "image.tar"
    reduce_system(system, image)
    tell(f"Reduced to Python and its library: {image.stat().st_size / 1e6:.0f} MB.")
    return image


def _debian_suite() -> str:
    """This system's release if it uses Debian packages, otherwise Debian's stable release."""
    facts = platform.freedesktop_os_release()
    return facts.get("VERSION_CODENAME", "stable") if facts.get("ID") in _SYSTEMS else "stable"


def _run_tool(command: list[str], name: str) -> None:
    done = subprocess.run(command, stdin=-3, capture_output=True, timeout=_PATIENCE, check=False, cwd="/")
    if done.returncode:
        complaints = [line for line in done.stderr.decode(errors="replace").splitlines() if line.startswith("E:")]
        words = complaints[0] if complaints else last_line(done.stderr)
        hint = "Check that the package mirror can be reached and, unless you are root, that /etc/subuid lists you."
        raise WorkbenchError(f"{name} failed: {words[:300]}", hint)


def _remove_image(engine_settings: EngineSettings, tell: Tell) -> None:
    try:
        ask(engine_settings.command("rmi", "-f", engine_settings.image))
        tell(f"Removed the image {engine_settings.image}.")
    except WorkbenchError as fault:
        tell(f"The image {engine_settings.image} was not removed: {fault.message}")


# gVisor first, because it is a separate kernel; then the engines' default runtimes
_RUNTIMES = ("runsc", "crun", "runc")
_STARTS = 7


def find_working_settings(engine_settings: EngineSettings, tell: Tell, times: int = _STARTS) -> EngineSettings:
    """The first settings that work, with the measured start time. The error lists why each attempt failed."""
    reasons = []
    for candidate in _candidates(engine_settings):
        try:
            starts = asyncio.run(_measure_starts(candidate, times))
        except WorkbenchError as fault:
            reasons.append(fault.message)
            tell(f"  {describe_settings(candidate)}: no, {fault.message}")
            continue
        typical = round(statistics.median(starts) * 1000)
        best = min(starts) * 1000
        tell(f"  {describe_settings(candidate)}: works, ready in {typical} ms (best {best:.0f} ms of {len(starts)})")
        return replace(candidate, starts_ms=typical)
    words = "No container starts on this machine with the locks that programs need."
    raise WorkbenchError(words, "Reasons: " + " ".join(dict.fromkeys(reasons)))


def describe_settings(engine_settings: EngineSettings) -> str:
    """Describe candidate settings in a few words."""
    facts = [engine_settings.engine, engine_settings.runtime or "default runtime"]
    facts.append("limits by cgroups" if engine_settings.limits else "no cgroups")
    facts.append("direct channel" if engine_settings.descriptor else "channel over stdin and stdout")
    return ", ".join(facts)


def _candidates(engine_settings: EngineSettings) -> Iterator[EngineSettings]:
    """Candidate settings, from the strongest and fastest to the least restrictive."""
    for runtime in _runtimes(engine_settings):
        for limits, groups in _groups(engine_settings):
            for manager in (
                ("", "cgroupfs") if engine_settings.engine == "podman" and not engine_settings.service else ("",)
            ):
                yield from _channels(
                    _with_options(replace(engine_settings, limits=limits), runtime, manager, groups=groups)
                )


def _groups(engine_settings: EngineSettings) -> Iterator[tuple[bool, bool]]:
    """Pairs: whether cgroups enforce limits, and whether to request them. podman also works without cgroups."""
    if engine_settings.limits:
        yield True, True
    if engine_settings.engine != "podman" or not engine_settings.limits:
        yield False, True
    if engine_settings.engine == "podman":
        yield False, False


def _channels(engine_settings: EngineSettings) -> Iterator[EngineSettings]:
    """Variants with and without a passed descriptor. A client of a service cannot pass one."""
    if engine_settings.engine == "podman" and not engine_settings.service:
        yield replace(engine_settings, descriptor=True)
    yield replace(engine_settings, descriptor=False)


def _runtimes(engine_settings: EngineSettings) -> list[str]:
    """OCI runtimes to try. podman's service chooses its own; docker knows gVisor only if it is configured."""
    if engine_settings.service and engine_settings.engine == "podman":
        return [""]
    if engine_settings.remote:
        return ["runsc", ""]  # the installed runtimes of this machine say nothing about the service's
    there = [name for name in _RUNTIMES if shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")]
    return [*(name for name in there if name == "runsc"), "", *(name for name in there if name != "runsc")]


def _with_options(engine_settings: EngineSettings, runtime: str, manager: str, *, groups: bool) -> EngineSettings:
    options, run_options = list(engine_settings.options), list(engine_settings.run_options)
    if manager:
        options += ["--cgroup-manager", manager]
    if runtime:
        (options if engine_settings.engine == "podman" else run_options).extend(["--runtime", runtime])
    if not groups:
        run_options += ["--cgroups=disabled"]
    return replace(engine_settings, options=tuple(options), run_options=tuple(run_options), runtime=runtime)


async def _measure_starts(engine_settings: EngineSettings, times: int) -> list[float]:
    """Run a small program several times and return the seconds from request to end.

    The first run tests the isolation.
    """
    maker = ContainerMaker(Path(), engine_settings)
    sandbox = Sandbox(ready=0, engines={"container": maker})
    with tempfile.TemporaryDirectory(prefix="mcp-workbench-trial-") as folder:
        try:
            await sandbox.look_again()
            await _check_locks(sandbox, Path(folder))
            return [await _start(sandbox, Path(folder)) for _ in range(times)]
        finally:
            await sandbox.close()


async def _check_locks(sandbox: Sandbox, folder: Path) -> None:
    canary = folder / "canary"
    canary.write_text("Programs must not be able to read this.")
    ending = await _run(sandbox, probe_program(str(canary), os.getpid()), folder)
    if not ending.ok:
        raise WorkbenchError(
            f"the test program ended with the reason {ending.reason}: {ending.message}".rstrip(".") + "."
        )
    found = json.loads(ending.result)
    there = {
        "read-only root": found["root"],
        "read-only folders": found["folders"],
        "no network": found["network"],
        "no processes": found["fork"],
        "not root": found["user"] != 0 or found["environment"],
        "no files of yours": found["files"],
        "private temp": found["temp"] and found["inodes"],
        "workspace": (folder / "workspace/probe").exists(),
    }
    if missing := [name for name, kept in there.items() if not kept]:
        raise WorkbenchError(f"not in force: {', '.join(missing)}.")


async def _start(sandbox: Sandbox, folder: Path) -> float:
    began = time.monotonic()
    heard: list[float] = []
    await _run(sandbox, "print(1)", folder, heard)
    return (heard[0] if heard else time.monotonic()) - began


async def _run(sandbox: Sandbox, code: str, folder: Path, heard: list[float] | None = None) -> Ending:
    program = Program(code, Limits(seconds=30.0), folder / "workspace", level="container")
    times = heard if heard is not None else []
    return await sandbox.run(program, _nobody, lambda stream, text: times.append(time.monotonic()))


async def _nobody(what: str, wish: JsonObject) -> JsonValue:
    raise ToolFailure("Requests are not answered in a test run.", "no_answer")
