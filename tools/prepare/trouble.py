"""The one way the set-up fails on purpose."""

from __future__ import annotations


class Trouble(Exception):
    """A sentence for the newcomer, with the line to run where there is one."""
