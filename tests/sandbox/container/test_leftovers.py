"""A label tells whose a container is: of a core that lives, or of nobody."""

from __future__ import annotations

import os

from workbench.sandbox.container.leftovers import _lives, owner


def test_this_process_lives_and_another_one_with_its_number_is_another() -> None:
    assert owner().startswith(f"{os.getpid()}.")
    assert _lives(owner())
    assert not _lives(f"{os.getpid()}.1")
    assert not _lives("")
    assert not _lives("somebody else's")
