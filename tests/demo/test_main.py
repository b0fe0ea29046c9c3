"""The command line of the demo server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Line


def test_the_seed_decides_who_the_customers_are(start: Callable[..., Line]) -> None:
    lines = [start("--seed", seed) for seed in ("7", "7", "8")]
    found = [line.get("get_customer", customer_id="CUS-0001")["email"] for line in lines]
    assert found[0] == found[1] != found[2]


def test_the_deployment_can_be_made_to_end_at_once(start: Callable[..., Line]) -> None:
    messages = start("--deployment", "0").get("get_channel_history", channel="deployments")["result"]
    texts = [message["text"] for message in messages]
    assert any("deployment complete" in text for text in texts)


def test_a_wrong_option_is_a_sentence_and_not_a_traceback() -> None:
    done = subprocess.run([sys.executable, "-m", "workbench.demo", "--nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "--nonsense" in done.stderr
    assert "Traceback" not in done.stderr


def test_it_starts_without_the_sdk_and_without_anything_else_of_ours() -> None:
    look = "import sys, workbench.demo.__main__\nprint([n for n in sys.modules if n.startswith(('mcp', 'workbench.'))])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert "workbench.demo.server" in done.stdout
    assert all(name.startswith("workbench.demo") for name in eval(done.stdout))
