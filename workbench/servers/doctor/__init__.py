"""Diagnosis of a server that cannot be reached: checks from the command or URL up to the first tool list."""
