"""Hostile programs in every process backend, with an eye on the host: what they say counts less than what they did.

The snippets are the `.toml` files beside this one, a category each; `differs` names, per backend, what is weaker there
and why. MCP_WORKBENCH_ATTACKS names another list to run as well, in JSON or TOML.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.attacks.attack_field import Field
from tests.attacks.attack_runner import Attack, read_attacks, table, try_attacks
from workbench.sandbox.sandbox import Sandbox

OWN = sorted(Path(__file__).parent.glob("*.toml"))
MORE = [Path(name) for name in os.environ.get("MCP_WORKBENCH_ATTACKS", "").split(os.pathsep) if name]
ATTACKS = [attack for file in (*OWN, *MORE) for attack in read_attacks(file)]
BACKENDS = ("native", "bubblewrap", "reduced")
HANGS = 60.0  # seconds; a descriptor that is open for longer was left behind
# In bubblewrap the same filter, limits and channel hold, and each start takes long: the command tries these there, too.
THE_SAME_IN_BUBBLEWRAP = {"broker", "kernel", "network", "priv"}


@pytest.fixture
def field(tmp_path: Path) -> Iterator[Field]:
    around = Field(tmp_path / "field")
    yield around
    around.close()


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.slow] * (name != "native")) for name in BACKENDS])
async def sandbox(request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    if request.param == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers of the system calls in these attacks are those of x86-64")
    sandbox = Sandbox(request.param, ready=0)
    strength = await sandbox.open()
    if strength.level == "none":
        await sandbox.close()
        pytest.skip(f"{strength.reason} {strength.hint}")
    yield sandbox
    await sandbox.close()


def open_descriptors() -> dict[int, str]:
    """What each open descriptor of this process refers to."""
    found = {}
    for number in map(int, os.listdir("/proc/self/fd")):
        with contextlib.suppress(FileNotFoundError):  # the one that lists the folder
            found[number] = os.readlink(f"/proc/self/fd/{number}")
    return found


async def test_every_attack_ends_as_it_must_and_the_host_is_as_before(sandbox: Sandbox, field: Field) -> None:
    backend = sandbox.strength.backend
    descriptors = open_descriptors()
    found = await try_attacks(sandbox, _for(backend), field)
    assert [one for one in found if not one.contained] == [], table(found, backend)
    await sandbox.settle()
    until = asyncio.get_running_loop().time() + HANGS
    while len(now := open_descriptors()) > len(descriptors):  # the news of a child's end comes a little after it
        assert asyncio.get_running_loop().time() < until, set(now.values()) - set(descriptors.values())
        await asyncio.sleep(0.02)


def test_there_are_many_and_each_says_what_keeps_it() -> None:
    own = [attack for file in OWN for attack in read_attacks(file)]
    assert len(own) >= 100
    assert len({attack.id for attack in own}) == len(own)
    assert {attack.category for attack in own} == {
        *("fs-read", "fs-write", "network", "proc", "priv", "kernel", "info", "resource", "broker", "python")
    }
    assert [attack.id for attack in own if not attack.why] == []
    for attack in own:
        for backend, words in attack.differs.items():
            assert backend in BACKENDS
            assert words.partition(": ")[2], f"{attack.id} does not say why {backend} is weaker"


def _for(backend: str) -> list[Attack]:
    if backend != "bubblewrap":
        return ATTACKS
    return [attack for attack in ATTACKS if attack.category not in THE_SAME_IN_BUBBLEWRAP]
