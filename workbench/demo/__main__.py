"""Starts the demo server on stdin and stdout: `python -m workbench.demo`."""

from __future__ import annotations

import argparse
import asyncio

from workbench.demo.company import Company
from workbench.demo.server import serve


def main() -> None:
    """Parse the options and serve until stdin closes."""
    parser = argparse.ArgumentParser(prog="python -m workbench.demo", description="A made-up company as an MCP server.")
    parser.add_argument("--seed", type=int, default=7, help="the company's data; the same seed makes the same company")
    parser.add_argument("--deployment", type=float, default=3.0, help="seconds until 'deployment complete' is posted")
    parser.add_argument("--beat", type=float, default=3.0, help="seconds between two changes of the live resource")
    options = parser.parse_args()
    asyncio.run(serve(Company(options.seed, options.deployment, options.beat)))


if __name__ == "__main__":
    main()
