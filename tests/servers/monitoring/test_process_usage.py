"""What a process group uses, read from the kernel's own books."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

from workbench.servers.monitoring.server_statistics import ProcessUsage, usage


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no /proc here")
def test_a_group_is_counted_with_its_children() -> None:
    code = """if 1:
        import subprocess
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        print(child.pid, flush=True)
        child.wait()"""
    parent = subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        found = usage(parent.pid)
        assert found.processes == 2
        assert found.memory_mb >= psutil.Process(parent.pid).memory_info().rss / 1e6 * 0.5
    finally:
        child.kill()
        parent.wait(60)
        if parent.stdout is not None:
            parent.stdout.close()
    assert usage(parent.pid) == ProcessUsage()


def test_no_group_uses_nothing() -> None:
    assert usage(0) == ProcessUsage()
