"""Runs: the list, the output, and every dialog that asks for a decision."""
