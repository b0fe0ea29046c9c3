"""`serve` as a command: what does not belong together is refused."""

from __future__ import annotations

from workbench.cli.main import main


def test_a_port_without_http_is_a_sentence_and_a_hint(paths, capsys):
    assert main(["serve", "--port", "8000", "--bench", str(paths.bench)]) == 1
    assert "--port and --new-token belong to --http." in capsys.readouterr().err
