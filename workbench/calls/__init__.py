"""Saved calls, which are files that a team shares, and the history of finished calls."""
