"""Nobody waits for ever, and a call that hangs does not make the next ones hang as well."""

from __future__ import annotations

import threading

import pytest

from workbench.secrets.system_keyring import KeyringTimeout, Patience


def test_answers_and_faults_come_through():
    patience = Patience(5)
    assert patience.wait(lambda: 7) == 7
    with pytest.raises(KeyError):
        patience.wait(lambda: {}["x"])


def test_a_call_that_hangs_is_left_alone_and_later_ones_work_when_it_ended():
    patience, go = Patience(0.05), threading.Event()
    with pytest.raises(KeyringTimeout):
        patience.wait(lambda: go.wait(60))
    with pytest.raises(KeyringTimeout):
        patience.wait(lambda: 1)
    hanging = next(thread for thread in threading.enumerate() if thread.name == "keyring")
    assert hanging.daemon
    go.set()
    hanging.join(60)
    assert patience.wait(lambda: 1) == 1
