"""`serve` as a command: what does not belong together is refused."""

from __future__ import annotations

from workbench.cli.main import main


def test_a_port_without_http_is_a_sentence_and_a_hint(paths, capsys):
    assert main(["serve", "--port", "8000", "--project", str(paths.project)]) == 1
    assert "--port and --new-token need --http." in capsys.readouterr().err


def test_direct_is_for_one_agent_and_not_for_the_door_of_many(paths, capsys):
    assert main(["serve", "--http", "--direct", "demo", "--project", str(paths.project)]) == 1
    said = capsys.readouterr().err
    assert "--direct is for one agent" in said
    assert "agent.direct" in said
