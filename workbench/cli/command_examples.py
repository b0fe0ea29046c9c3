"""Examples shown at the end of each command's `--help`. A test parses every one of them."""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "servers": ("servers --json", "servers --known", "servers --add 'GitHub, at its address'", "servers allow github"),
    "tools": ("tools --server demo", "tools --search 'late orders'"),
    "call": ("call demo list_orders --arg limit=3 --output json", "call files write --json @arguments.json --yes"),
    "doctor": ("doctor", "doctor github --details"),
    "read": ("read demo orders://summary",),
    "prompt": ("prompt demo weekly_report --arg week=2025-W20",),
    "check": ("check --project . --allow --junit report.xml", "check orders/open.json"),
    "assess": ("assess job.py", "assess *.py --sarif"),
    "run": (
        "run report.py",
        "run job.py --tools demo.list_orders --tools demo.count_orders --json",
        "run - --timeout 5",
        "run clean_up.py --wait",
    ),
    "runs": ("runs list", "runs show r1f2e3d4c5b6 --json", "runs allow r1f2", "runs deny r1f2 --reason 'Not today'"),
    "calls": ("calls list", "calls allow 1f2e3d4c5b6a-1"),
    "pin": ("pin set", "pin clear"),
    "dry-run": ("dry-run clean_up.py", "dry-run - --json"),
    "skills": (
        "skills list --search orders --json",
        "skills show pending-orders-summary",
        "skills keep pending-orders-summary",
        "skills run pending-orders-summary --arg minimum_amount=500",
        "skills test",
    ),
    "files": ("files list", "files diff 1f2e3d4c5b6a", "files undo 1f2e3d4c5b6a report.csv --yes"),
    "connect": (
        "connect",
        "connect claude-code",
        "connect codex --write --wait",
        "connect cursor --write --here --project .",
        "connect --prompt",
    ),
    "serve": ("serve", "serve --project ."),
    "status": ("status --json",),
    "stop": ("stop --project .",),
    "sandbox": ("sandbox status", "sandbox build container"),
    "search": (
        "search find pay money back",
        "search find orders --kind tool --limit 5 --json",
        "search build",
    ),
    "tokens": ("tokens --json",),
    "audit": ("audit verify", "audit query --kind run. --limit 20 --json", "audit report"),
}


def with_examples(command: str, foot: str | None) -> str:
    """The foot of a command's help, with its examples behind what it says already."""
    lines = "\n".join(f"  mcp-workbench {example}" for example in EXAMPLES.get(command, ()))
    return "\n\n".join(filter(None, (foot, lines and f"examples:\n{lines}")))
