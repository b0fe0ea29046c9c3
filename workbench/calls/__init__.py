"""Calls as files in the bench: read, written, and held to what is expected of their answers."""
