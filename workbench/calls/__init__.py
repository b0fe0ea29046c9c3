"""Calls of the project: saved calls, which are files that a team shares, and the history of calls that were made."""
