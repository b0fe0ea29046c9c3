"""The table of programs holds together."""

from __future__ import annotations

from workbench.analysis.tables.commands import COMMANDS, CommandClass


def test_interpreters_run_further_code_and_nothing_that_destroys_is_harmless() -> None:
    for name in ("sh", "bash", "python", "node", "perl", "awk", "xargs", "env"):
        assert COMMANDS[name].kind is CommandClass.CODE
    for name in ("rm", "dd", "curl", "ssh", "sudo", "chmod"):
        assert COMMANDS[name].kind is CommandClass.ASK


def test_options_are_written_as_options() -> None:
    for command in COMMANDS.values():
        assert all(option.startswith("-") for option in command.asking | command.running | command.wordy)
        assert not any(word.startswith("-") for word in command.subcommands)
