"""`phone`: pairs phones and browsers with the review page, lists them, and revokes them."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from workbench.cli.common_options import DONE, Parser, add_common, talk
from workbench.cli.terminal_output import narrate, print_data, print_record, print_table, visible
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.records import ReviewDevice

EPILOG = """The review page answers approval requests of low and medium risk from a paired phone or browser. Switch it
on with `review.page = true` in your settings file. It listens on this machine only: bring it to a phone with a tunnel
of your own that offers https, and set review.page_address to its address. ID may be shortened."""
_SHORTEST = 3  # characters of an abbreviated id


def arrange_phone(parser: Parser) -> None:
    """Add the subcommands pair, list and revoke."""
    parser.epilog = EPILOG
    commands = parser.add_subparsers(required=True, metavar="pair|list|revoke")
    pair = commands.add_parser("pair", help="show a code and an address with which one device can be paired")
    add_common(pair, lambda given, paths: talk(paths, lambda connection: _pair(connection, given)))
    listing = commands.add_parser("list", help="list the paired devices")
    add_common(listing, lambda given, paths: talk(paths, lambda connection: _list(connection, given)))
    revoke = commands.add_parser("revoke", help="refuse everything that a device signs from now on")
    revoke.add_argument("device", metavar="ID", help="from `phone list`")
    add_common(revoke, lambda given, paths: talk(paths, lambda connection: _revoke(connection, given)), data=False)


async def _pair(connection: CoreConnection, given: argparse.Namespace) -> int:
    offer = await connection.api.offer_pairing()
    if given.output == "json":
        print_record(offer)
        return DONE
    import segno

    segno.make(offer.url, error="m").terminal(compact=True, border=2)
    print_data(offer.url)
    minutes = max(1, round((offer.expires - time.time()) / 60))
    narrate(f"Open this address on the device within {minutes} minutes, or type the code {offer.code} there.")
    return DONE


async def _list(connection: CoreConnection, given: argparse.Namespace) -> int:
    state = await connection.api.review_page()
    if given.output == "json":
        print_record(state)
        return DONE
    narrate(f"The review page is open at {state.url}." if state.url else "The review page is closed.")
    rows = [(one.id, one.name, _date(one.paired), _date(one.used)) for one in state.devices]
    if rows:
        print_table([("ID", "DEVICE", "PAIRED", "LAST USED"), *rows])
    else:
        narrate("No device is paired.")
    return DONE


async def _revoke(connection: CoreConnection, given: argparse.Namespace) -> int:
    device = _find((await connection.api.review_page()).devices, given.device)
    await connection.api.revoke_device(device.id)
    narrate(f"{visible(device.name)} is revoked.")
    return DONE


def _find(devices: tuple[ReviewDevice, ...], named: str) -> ReviewDevice:
    found = [one for one in devices if one.id.startswith(named) and len(named) >= _SHORTEST]
    if len(found) != 1:
        raise WorkbenchError(f"There is no device {named!r:.60}.", "List them: `mcp-workbench phone list`.")
    return found[0]


def _date(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
