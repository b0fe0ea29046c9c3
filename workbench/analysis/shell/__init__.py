"""Reads commands for a shell: which programs they start, and what those do to files, hosts and repositories."""
