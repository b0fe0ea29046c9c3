"""The generated packages that a sandbox mounts follow catalog and library: shortly after a change, or before the next
run.
"""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from workbench.events import ToolsChanged
from workbench.runs.generated_packages import GeneratedPackages


async def test_wrappers_appear_with_the_server_and_skills_with_the_library(demo):
    stock = GeneratedPackages(demo.services)
    stock.open()
    await stock.refresh()
    assert (stock.wrapper_folder("python") / "demo" / "list_orders.py").is_file()
    draft = demo.services.library.draft("greet", "Greets.", "async def greet():\n    return 'hi'\n", "", "you")
    demo.services.library.keep("greet", draft.sha, "you")
    demo.bus.listen(stock.hear)
    demo.services.library.draft("other", "Other.", "async def other():\n    return 1\n", "", "you")
    await stock.refresh()
    assert (stock.skill_folder / "greet.py").is_file()
    assert not (stock.skill_folder / "other.py").exists()


async def test_wrappers_are_written_when_the_tools_change_without_a_run(demo, monkeypatch):
    monkeypatch.setattr("workbench.runs.generated_packages.SETTLE_SECONDS", 0.0)
    stock = GeneratedPackages(demo.services)
    stock.open()
    wrapper = stock.wrapper_folder("python") / "demo" / "list_orders.py"
    await stock.refresh()
    wrapper.unlink()
    stock.hear(ToolsChanged("demo"))
    while not wrapper.is_file():
        await asyncio.sleep(0.01)
    await stock.close()
    wrapper.unlink()
    stock.hear(ToolsChanged("demo"))
    await asyncio.sleep(0.05)
    assert not wrapper.exists()


async def test_what_could_not_be_written_is_written_for_the_next_run(demo, monkeypatch):
    stock = GeneratedPackages(demo.services)
    stock.open()

    def full(target):
        raise OSError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(demo.services.library, "write_modules", full)
        with pytest.raises(OSError, match="disk full"):
            await stock.refresh()
    (stock.wrapper_folder("python") / "demo" / "list_orders.py").unlink()
    (stock.wrapper_folder("python") / "demo").rename(stock.wrapper_folder("python") / "gone")
    await stock.refresh()
    assert (stock.wrapper_folder("python") / "demo" / "list_orders.py").is_file()
    assert (stock.skill_folder / "wait_for_message.py").is_file()


async def test_a_stopped_run_does_not_stop_the_writing(demo):
    stock = GeneratedPackages(demo.services)
    stock.open()
    waiting = asyncio.ensure_future(stock.refresh())
    await asyncio.sleep(0)
    waiting.cancel()
    await stock.close()
    assert (stock.wrapper_folder("python") / "demo" / "list_orders.py").is_file()


async def test_a_removed_server_takes_its_wrappers_along(demo):
    from workbench.events import ServerRemoved

    stock = GeneratedPackages(demo.services)
    stock.open()
    await stock.refresh()
    stock.hear(ServerRemoved("demo"))
    await stock.refresh()
    assert not (stock.wrapper_folder("python") / "demo").exists()


async def test_the_functions_that_a_program_called_are_compiled_until_their_server_changes(demo):
    stock = GeneratedPackages(demo.services)
    stock.open()
    demo.bus.listen(stock.hear)
    await stock.refresh()
    stock.compile_called([("demo", "list_orders"), ("network", "example.org")])
    await stock.close()
    compiled = stock.wrapper_folder("python") / "demo" / "__pycache__"
    assert [path.name.partition(".")[0] for path in sorted(compiled.iterdir())] == ["__init__", "list_orders"]
    demo.bus.tell(ToolsChanged("demo"))
    await stock.refresh()
    assert not compiled.exists()
    stock.compile_called([("demo", "list_orders")])
    await stock.close()
    assert compiled.exists()


async def test_nothing_is_compiled_while_files_are_written_and_nothing_is_written_before_that_has_ended(
    demo, monkeypatch
):
    stock, compiling, go_on, order = GeneratedPackages(demo.services), Event(), Event(), []
    stock.open()
    await stock.refresh()

    def slow(root, server, names):
        compiling.set()
        go_on.wait(60)
        order.append("compiled")

    monkeypatch.setattr("workbench.runs.generated_packages.compile_functions", slow)
    monkeypatch.setattr(stock, "_write", lambda *given: order.append("written"))
    stock.compile_called([("demo", "list_orders")])
    assert await asyncio.to_thread(compiling.wait, 60)
    stock.hear(ToolsChanged("demo"))
    writing = asyncio.ensure_future(stock.refresh())
    while not stock._is_writing:
        await asyncio.sleep(0)
    stock.compile_called([("demo", "send_email")])
    go_on.set()
    await writing
    await stock.close()
    assert order == ["compiled", "written"]
