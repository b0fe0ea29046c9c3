"""Records the recordings of the starter skills again, by real runs in the real sandbox against the demo server.

    .venv/bin/python tools/record_starters.py [SKILL …]

Needed after a change of a starter's code or of a tool of the demo server. The recordings are reviewed like code.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workbench.core import Core  # noqa: E402
from workbench.events import Event, RunChanged  # noqa: E402
from workbench.paths import OVERRIDE, paths_of, starter_skills  # noqa: E402
from workbench.records import Decision, RunState  # noqa: E402
from workbench.skills.skill_folder import CASSETTES  # noqa: E402

PROGRAMS: Final = {
    ("batch-with-retry", "one-order-is-not-there"): """\
from servers.demo import get_order, list_orders
from skills.batch_with_retry import batch_with_retry

page = await list_orders(limit=2)
wanted = [{"order_id": order["id"]} for order in page["orders"]]
result = await batch_with_retry(get_order, [*wanted, {"order_id": "none"}], tries=2, pause=0.01, at_once=1)
""",
    ("compare-tables", "two-pages-of-orders"): """\
from servers.demo import list_orders
from skills.compare_tables import compare_tables

page = await list_orders(limit=12)
later = [order | {"status": "shipped"} for order in page["orders"][2:]]
result = await compare_tables(page["orders"][:10], later)
""",
    ("dedupe-records", "names-spelled-in-two-ways"): """\
from skills.dedupe_records import dedupe_records

records = [{"n": "Müller, Eva", "city": ""}, {"n": "muller eva", "city": "Bonn"}, {"n": "Ada"}, {"n": ""}]
result = await dedupe_records(records, by=["n"])
""",
    ("explore-schema", "what-tickets-hold"): """\
from servers.demo import list_tickets
from skills.explore_schema import explore_schema

page = await list_tickets(limit=20)
result = await explore_schema(page["tickets"], examples=2)
""",
    ("filter-high-risk", "urgent-tickets"): """\
from servers.demo import list_tickets
from skills.filter_high_risk import filter_high_risk

page = await list_tickets(limit=40)
result = await filter_high_risk(page["tickets"], field="priority", show=3)
""",
    ("gather-sources", "one-source-fails"): """\
from servers.demo import get_order, list_customers, list_orders
from skills.gather_sources import gather_sources

sources = {"orders": list_orders(limit=1), "customers": list_customers(limit=1), "odd": get_order(order_id="none")}
found = await gather_sources(sources, seconds=5)
result = found | {"seconds": sorted(found["seconds"])}
""",
    ("mcp-progressive-discovery", "tools-for-orders"): """\
from skills.mcp_progressive_discovery import mcp_progressive_discovery

result = await mcp_progressive_discovery(query="list orders", server="demo")
""",
    ("pending-orders-summary", "large-orders-of-fifty"): """\
from skills.pending_orders_summary import pending_orders_summary

result = await pending_orders_summary(minimum_amount=500, show=3, most=50)
""",
    ("save-table-as-csv", "orders-and-a-formula"): """\
from servers.demo import list_orders
from skills.save_table_as_csv import save_table_as_csv

page = await list_orders(limit=3)
saved = await save_table_as_csv([*page["orders"], {"id": "=1+1"}], "orders.csv", columns=["id", "status", "amount"])
result = saved | {"text": read_file("orders.csv")}
""",
    ("summarise-lines", "a-log-with-errors"): """\
from skills.summarise_lines import summarise_lines

write_file("app.log", "took 12 ms\\ntook 7 ms\\nERROR: no answer from 10\\ntook 31 ms\\nERROR: no answer from 11\\n")
result = await summarise_lines("app.log", show=3)
""",
    ("wait-for-message", "it-is-there-already"): """\
from skills.wait_for_message import wait_for_message

result = await wait_for_message(words="canary is healthy", seconds=2)
""",
}


async def main(names: set[str]) -> None:
    core = Core(paths_of(Path(os.environ[OVERRIDE]) / "project"))
    await core.open()
    try:
        await core.catalog.connect("demo")
        core.bus.listen(partial(_allow, core))
        for (skill, name), program in PROGRAMS.items():
            if not names or skill in names:
                await _record(core, skill, name, program)
    finally:
        await core.close()


async def _record(core: Core, skill: str, name: str, program: str) -> None:
    run = await core.run_manager.wait_until_finished(core.run_manager.submit(program, core.services.sessions.person).id)
    if run.state is not RunState.DONE:
        raise SystemExit(f"{skill}: {run.fault}")
    made = await core.api.record_cassette(run.id, skill, name, {})
    target = starter_skills() / skill / CASSETTES
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    shutil.copy(core.services.library.folder(skill) / CASSETTES / f"{made.name}.json", target)
    print(f"{skill}: {made.name}, {made.calls} calls, gives {made.result[:200]}")


def _allow(core: Core, event: Event) -> None:
    """Allow every request. The caller has read the programs above."""
    if isinstance(event, RunChanged) and event.run.state is RunState.WAITING:
        run = event.run
        decision = Decision(run.id, run.proposal.sha, True, "you", fingerprint=run.fingerprint)
        asyncio.get_running_loop().call_soon(core.run_manager.decide, decision)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ[OVERRIDE] = home
        asyncio.run(main(set(sys.argv[1:])))
