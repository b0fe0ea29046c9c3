"""What a server offered is known again; nothing else is taken from the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.records import ServerConfig
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.resources_and_prompts.resource_cache import CachedResources, ResourceCache

CONFIG = ServerConfig("one", "run")


@pytest.mark.parametrize(
    "content", ["", "[]", '{"format": 1, "resources": 7, "prompts": [1, {}, {"name": ""}]}', '{"format": 9}']
)
def test_a_damaged_or_foreign_file_is_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / f"{fingerprint(CONFIG)}.offers.json").write_text(content)
    assert ResourceCache(tmp_path).recall(CONFIG) == CachedResources()


def test_a_cache_that_cannot_be_written_is_only_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    ResourceCache(tmp_path / "file").keep(CONFIG, CachedResources())
    assert "cannot be cached" in caplog.text
