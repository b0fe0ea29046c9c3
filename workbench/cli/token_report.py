"""`tokens`: what programs cost and saved a model, and whether they pay with these tools."""

from __future__ import annotations

import argparse

from workbench.cli.common_options import Parser, add_common
from workbench.cli.core_requests import ask
from workbench.cli.exit_codes import DONE
from workbench.cli.terminal_output import print_record, visible
from workbench.paths import Paths
from workbench.records import Ledger
from workbench.tokens import advice_sentence, factor_sentence, lost, money, saved, size


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
