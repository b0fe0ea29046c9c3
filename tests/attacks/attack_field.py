"""What hostile code must not reach: planted around a sandbox before an attack, and looked at from outside after it."""

from __future__ import annotations

import os
import secrets
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from workbench.sandbox.process import scratch_folders

_LONG_AGO = 1_000_000_000  # when the canaries were last touched; a kernel that notes reading notes it after this
_MEANT = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)  # what may lie in a workspace
_SET_ID = 0o6000
_LONGEST = 3_800  # bytes of a path to which a name can still be added


class Field:
    """Canary files in a temporary, a home and a project folder, a process, listeners, and an eye on each of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.canary = self.folder / "canary"
        self.workspace = self.folder / "project/workspace"
        self.secret = "CANARY-" + secrets.token_hex(6)
        self._listeners: list[socket.socket] = []
        self._plant_process()
        self._plant_listeners()
        self._plant_files()
        self._seen = self._files()

    @property
    def targets(self) -> dict[str, str | int]:
        """Everything an attack needs to know to aim at it."""
        return {
            "canary": str(self.canary),
            "home": str(self.folder / "home"),
            "project": str(self.folder / "project"),
            "victim": self._victim.pid,
            "core": os.getpid(),
            "port": self.port,
            "abstract": self.abstract,
            "user": os.getuid(),
            "hostname": socket.gethostname(),
        }

    def harm(self, launcher: int) -> tuple[str, ...]:
        """What an attack did out here; each is a hole."""
        files = self._files()
        found = [
            f"{path} was touched" for path in sorted({*files, *self._seen}) if files.get(path) != self._seen.get(path)
        ]
        self._seen = files
        found += [
            f"a connection arrived at {listener.getsockname()!r}" for listener in self._listeners if _heard(listener)
        ]
        found += [f"{path} is a trap in the workspace" for path in self._traps()]
        found += [f"process {process} is left" for process in self.children(launcher)]
        if self._victim.poll() is not None:
            found.append("the victim died")
        if str(self.folder) in Path("/proc/self/mountinfo").read_text():
            found.append("a mount is left")
        return tuple(found)

    @staticmethod
    def children(process: int) -> list[str]:
        """Its living and dying children."""
        try:
            return Path(f"/proc/{process}/task/{process}/children").read_text().split()
        except OSError:
            return []

    def clear(self) -> None:
        """An empty workspace for the next attack."""
        scratch_folders.remove(str(self.workspace))
        self.workspace.mkdir()

    def close(self) -> None:
        self._victim.kill()
        self._victim.wait()
        for listener in self._listeners:
            listener.close()

    def _plant_files(self) -> None:
        self.workspace.mkdir(parents=True)
        texts = {
            "canary/secret.txt": self.secret,
            "canary/victim.pid": str(self._victim.pid),
            "canary/hostname.txt": socket.gethostname(),
            "home/.ssh/id_key": self.secret,
            "home/.aws/credentials": self.secret,
            "project/.mcp.json": self.secret,
            "project/workbench.toml": "",
            "project/settings/approvals.json": self.secret,
        }
        for name, text in texts.items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            place.chmod(0o666)  # only the sandbox shall be what keeps it
            os.utime(place, (_LONG_AGO, _LONG_AGO))

    def _plant_process(self) -> None:
        words = f"import time\nkept = {self.secret!r}\ntime.sleep(3600)"
        command = [sys.executable, "-I", "-S", "-c", words]
        self._victim = subprocess.Popen(command, env={"CANARY_TOKEN": self.secret}, stdin=subprocess.DEVNULL)

    def _plant_listeners(self) -> None:
        self.canary.mkdir(parents=True)
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port: int = tcp.getsockname()[1]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", self.port))
        self.abstract = f"mcp-workbench-field-{os.getpid()}-{secrets.token_hex(4)}"
        abstract, path = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        abstract.bind(f"\0{self.abstract}")
        path.bind(str(self.canary / "listen.sock"))
        (self.canary / "listen.sock").chmod(0o777)
        for listener in (abstract, path):
            listener.listen()
        self._listeners = [tcp, udp, abstract, path]
        for listener in self._listeners:
            listener.setblocking(False)

    def _files(self) -> dict[str, tuple[int, ...]]:
        """Everything but the workspace; looked at, never opened."""
        found = {}
        for place in _below(self.folder, but=self.workspace):
            state = place.lstat()
            times = (state.st_mtime_ns, state.st_ctime_ns, state.st_atime_ns) if stat.S_ISREG(state.st_mode) else ()
            found[str(place)] = (state.st_mode, state.st_uid, state.st_nlink, *times)
        return found | {str(self.workspace): ()}

    def _traps(self) -> Iterator[Path]:
        for place in _below(self.workspace):
            mode = place.lstat().st_mode
            if stat.S_IFMT(mode) not in _MEANT or (stat.S_ISREG(mode) and mode & _SET_ID):
                yield place


def _below(folder: Path, but: Path | None = None) -> Iterator[Path]:
    """Everything in a folder; as deep as a path can name it."""
    for at, folders, files in os.walk(folder):
        if len(os.fsencode(at)) > _LONGEST:
            folders.clear()
            continue
        yield from (Path(at, name) for name in (*folders, *files))
        folders[:] = [name for name in folders if Path(at, name) != but]


def _heard(listener: socket.socket) -> bool:
    try:
        if listener.type == socket.SOCK_DGRAM:
            listener.recv(100)
        else:
            listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True
