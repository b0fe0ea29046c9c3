"""Entry point: starts the core, a command or the window, and imports only that one."""

from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["core"]:
        from workbench.process import main as core

        return core(given[1:])
    from workbench.cli.main import main as command

    chosen = command(given)
    if isinstance(chosen, int):
        return chosen
    from workbench.api.core_launcher import launch_ahead

    launch_ahead(chosen)
    from workbench.gui.app import main as window

    return window(chosen)


if __name__ == "__main__":
    sys.exit(main())
