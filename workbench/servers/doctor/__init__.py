"""Diagnosis of a server that cannot be reached: checks from the command or address up to the first tool list."""
