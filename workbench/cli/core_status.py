"""`status`, `stop` and `tokens`: the state of a project's core, and the model tokens that its programs saved."""

from __future__ import annotations

import argparse
import os
import sys
import time

from workbench.cli.common_options import DONE, NOT_RUNNING, Parser, add_common, ask
from workbench.cli.terminal_output import format_time, print_record, visible
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import Ledger, Strength
from workbench.tokens import advice_sentence, factor_sentence, lost, money, saved, size

STOP_SECONDS = 30.0  # how long `stop` waits for the core to end


def arrange_status(parser: Parser) -> None:
    add_common(parser, _status)


def arrange_stop(parser: Parser) -> None:
    add_common(parser, _stop, data=False)


def _status(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.api.core_lock import lock_holder

    if not lock_holder(paths.lock):
        print(f"No core is running for {paths.project}.", file=sys.stderr)
        return NOT_RUNNING
    status = ask(paths, lambda api: api.status(), start=False)
    if given.output == "json":
        print_record(status)
        return DONE
    print(f"project   {status.project}")
    print(f"core      version {status.version}, process {status.pid}, since {format_time(status.started)}")
    print(f"servers   {status.servers_ready} of {status.servers} ready, {status.tools} tools known")
    print(visible(f"agents    {len(status.agents)} {', '.join(agent.name for agent in status.agents)}".rstrip()))
    if status.paused:
        print("          paused: mcp-workbench agents resume")
    if status.http_endpoint:
        print(f"endpoint  {status.http_endpoint}")
    print(f"runs      {status.waiting} waiting for you, {status.running} running, {status.queued} queued")
    if status.waiting:
        print("          mcp-workbench runs list")
    print(f"skills    {status.skills}")
    print(f"sandbox   {status.strength.backend}, {status.strength.level}{_marks(status.strength)}")
    if status.strength.reason:
        print(visible(f"          {status.strength.reason} {status.strength.hint}".rstrip()))
    for level in status.levels[1:]:
        print(visible(f"{level.name:<9} {level.backend if level.available else 'not available'}: {level.sentence}"))
    if status.packages:
        print(f"packages  {', '.join(status.packages)}")
    for notice in status.notices:
        print(visible(f"notice    {notice.message} {notice.hint}"))
    return DONE


def _marks(strength: Strength) -> str:
    found = "  ".join(f"{name} {'✓' if there else '✗'}" for name, there in strength.features.items())
    return visible(f": {found}" if found else "")


def _stop(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.api.core_lock import lock_holder

    if not lock_holder(paths.lock):
        print(f"No core is running for {paths.project}.", file=sys.stderr)
        return DONE
    _ask_to_end(paths, lock_holder(paths.lock))
    deadline = time.monotonic() + STOP_SECONDS
    while pid := lock_holder(paths.lock):
        if time.monotonic() > deadline:
            raise WorkbenchError(f"The core (process {pid}) has not ended.", f"Kill its process: kill -9 {pid}")
        time.sleep(0.05)
    print("The core has ended.", file=sys.stderr)
    return DONE


def _ask_to_end(paths: Paths, pid: int) -> None:
    """Shut down the core through the API, or by a signal if it does not answer or has another version."""
    import signal

    try:
        ask(paths, lambda api: api.shut_down(), start=False)
    except WorkbenchError as fault:
        print(f"{fault.message} Ending the core with a signal.", file=sys.stderr)
        if pid:
            os.kill(pid, signal.SIGTERM)


def arrange_tokens(parser: Parser) -> None:
    add_common(parser, _tokens)


def _tokens(given: argparse.Namespace, paths: Paths) -> int:
    report = ask(paths, lambda api: api.token_report())
    if given.output == "json":
        print_record(report)
        return DONE
    rows = [("all", report.total), *((visible(one.author), one.ledger) for one in report.sessions)]
    heads = f"{'direct':>10} {'definitions':>11} {'programs':>10} {'saved':>10} {'worth':>9} {'kept back':>11}"
    print(f"{'conversation':24} {heads}")
    for name, ledger in rows:
        print(_row(name, ledger, report.cents_per_million))
    print(f"\n{advice_sentence(report.advice)}")
    print(factor_sentence(report.factors, report.advice.counter))
    return DONE


def _row(name: str, ledger: Ledger, cents: int) -> str:
    worth = money(saved(ledger), cents)
    gain = saved(ledger) - lost(ledger)
    numbers = f"{ledger.direct:>10,} {ledger.definitions:>11,} {ledger.actual:>10,} {gain:>10,} {worth:>9}"
    return f"{name[:24]:24} {numbers} {size(ledger.kept_bytes):>11}"
