"""Calls that wait for a person in the middle of a run: the strip that says so, and the dialog that answers."""
