"""The exception for expected failures of the set-up."""

from __future__ import annotations


class Trouble(Exception):
    """A message for the user, with a command to run if there is one."""
