"""The proposed name of a file stays a name, whatever a server calls its resources."""

from __future__ import annotations

import pytest

from workbench.gui.server.save_part import file_name
from workbench.records import Content


@pytest.mark.parametrize(
    ("uri", "mime", "name"),
    [
        ("demo://company/about", "text/markdown", "about.md"),
        ("file:///home/me/notes.txt", "text/plain", "notes.txt"),
        ("demo://x/..%2F..%2Fetc%2Fpasswd", "", "passwd"),
        ("demo://x/..", "text/plain", "resource.txt"),
        ("demo://x/.bashrc", "", "bashrc"),
        ("a/b\\c:d", "", "b_c_d"),
        ("", "image/png", "resource.png"),
        ("demo://" + "x" * 500 + "/" + "y" * 500, "", "y" * 80),
    ],
)
def test_it_leads_nowhere_and_hides_nothing(uri: str, mime: str, name: str) -> None:
    assert file_name(Content("text", mime=mime, uri=uri)) == name
