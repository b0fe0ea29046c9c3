"""The tiny program that looks around in a sandbox on trial and reports what it met there: the same for every kind."""

from __future__ import annotations

_LOOK = """
import os, socket
def refused(attempt):
    try:
        attempt()
    except OSError:
        return True
    return False
temp = os.environ["TMPDIR"]
result = {{
    "root": refused(lambda: open("/probe", "w")) and refused(lambda: open("/bench/probe", "w")),
    "folders": all(refused(lambda: open(f"/bench/{{name}}/probe", "w")) for name in ("servers", "skills")),
    "network": refused(socket.socket),
    "fork": refused(os.fork),
    "user": os.getuid(),
    "environment": refused(lambda: open("/proc/1/environ")),
    "files": refused(lambda: open({canary!r})),
    "others": refused(lambda: os.kill({process}, 0)),
    "inodes": os.statvfs(temp).f_files <= 1 << 14,
    "temp": not refused(lambda: open(temp + "/probe", "w").write("x")),
}}
open("workspace/probe", "w").write("x")
"""


def look_around(canary: str, process: int) -> str:
    """The program; the file `canary` and this `process` are out here, and it leaves `probe` in its workspace."""
    return _LOOK.format(canary=canary, process=process)
