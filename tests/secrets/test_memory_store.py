"""Memory keeps what it is given, and knows nothing of a name it was never given."""

from __future__ import annotations

from workbench.secrets.project_secrets import MemoryStore


def test_it_keeps_and_forgets():
    held = MemoryStore()
    held.set_secret("a", "1")
    assert (held.get_secret("a"), held.names()) == ("1", ("a",))
    held.delete_secret("a")
    held.delete_secret("a")
    assert (held.get_secret("a"), held.names()) == (None, ())
