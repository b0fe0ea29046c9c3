"""The generated packages that a sandbox mounts follow catalog and library: shortly after a change, or before the next
run.
"""

from __future__ import annotations

import asyncio
import dataclasses
from threading import Event

import pytest
from msgspec.structs import replace

from workbench.events import ToolsChanged
from workbench.runs.generated_packages import GeneratedPackages


@pytest.fixture
def packages(demo, tmp_path):
    """In a folder of their own, because the core's own packages follow the same events."""
    paths = dataclasses.replace(demo.services.paths, cache=tmp_path / "other cache")
    packages = GeneratedPackages(replace(demo.services, paths=paths))
    packages.open()
    return packages


async def test_wrappers_appear_with_the_server_and_skills_with_the_library(demo, packages):
    await packages.refresh()
    assert (packages.wrapper_folder("python") / "demo" / "list_orders.py").is_file()
    draft = demo.services.library.draft("greet", "Greets.", "async def greet():\n    return 'hi'\n", "", "you")
    demo.services.library.keep("greet", draft.sha, "you")
    demo.bus.listen(packages.hear)
    demo.services.library.draft("other", "Other.", "async def other():\n    return 1\n", "", "you")
    await packages.refresh()
    assert (packages.skill_folder / "greet.py").is_file()
    assert not (packages.skill_folder / "other.py").exists()


async def test_wrappers_are_written_when_the_tools_change_without_a_run(demo, packages, monkeypatch):
    monkeypatch.setattr("workbench.runs.generated_packages.SETTLE_SECONDS", 0.0)
    wrapper = packages.wrapper_folder("python") / "demo" / "list_orders.py"
    await packages.refresh()
    wrapper.unlink()
    packages.hear(ToolsChanged("demo"))
    while not wrapper.is_file():
        await asyncio.sleep(0.01)
    await packages.close()
    wrapper.unlink()
    packages.hear(ToolsChanged("demo"))
    await asyncio.sleep(0.05)
    assert not wrapper.exists()


async def test_what_could_not_be_written_is_written_for_the_next_run(demo, packages, monkeypatch):

    def full(target):
        raise OSError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(demo.services.library, "write_modules", full)
        with pytest.raises(OSError, match="disk full"):
            await packages.refresh()
    (packages.wrapper_folder("python") / "demo" / "list_orders.py").unlink()
    (packages.wrapper_folder("python") / "demo").rename(packages.wrapper_folder("python") / "gone")
    await packages.refresh()
    assert (packages.wrapper_folder("python") / "demo" / "list_orders.py").is_file()
    assert (packages.skill_folder / "wait_for_message.py").is_file()


async def test_a_stopped_run_does_not_stop_the_writing(demo, packages):
    waiting = asyncio.ensure_future(packages.refresh())
    await asyncio.sleep(0)
    waiting.cancel()
    await packages.close()
    assert (packages.wrapper_folder("python") / "demo" / "list_orders.py").is_file()


async def test_a_removed_server_takes_its_wrappers_along(demo, packages):
    from workbench.events import ServerRemoved

    await packages.refresh()
    packages.hear(ServerRemoved("demo"))
    await packages.refresh()
    assert not (packages.wrapper_folder("python") / "demo").exists()


async def test_the_functions_that_a_program_called_are_compiled_until_their_server_changes(demo, packages):
    demo.bus.listen(packages.hear)
    await packages.refresh()
    packages.compile_called([("demo", "list_orders"), ("network", "example.org")])
    await packages.close()
    compiled = packages.wrapper_folder("python") / "demo" / "__pycache__"
    assert [path.name.partition(".")[0] for path in sorted(compiled.iterdir())] == ["__init__", "list_orders"]
    demo.bus.tell(ToolsChanged("demo"))
    await packages.refresh()
    assert not compiled.exists()
    packages.compile_called([("demo", "list_orders")])
    await packages.close()
    assert compiled.exists()


async def test_nothing_is_compiled_while_files_are_written_and_nothing_is_written_before_that_has_ended(
    demo, packages, monkeypatch
):
    compiling, go_on, order = Event(), Event(), []
    await packages.refresh()

    def slow(root, server, names):
        compiling.set()
        go_on.wait(60)
        order.append("compiled")

    monkeypatch.setattr("workbench.runs.generated_packages.compile_functions", slow)
    monkeypatch.setattr(packages, "_write", lambda *given: order.append("written"))
    packages.compile_called([("demo", "list_orders")])
    assert await asyncio.to_thread(compiling.wait, 60)
    packages.hear(ToolsChanged("demo"))
    writing = asyncio.ensure_future(packages.refresh())
    while not packages._is_writing:
        await asyncio.sleep(0)
    packages.compile_called([("demo", "send_email")])
    go_on.set()
    await writing
    await packages.close()
    assert order == ["compiled", "written"]
