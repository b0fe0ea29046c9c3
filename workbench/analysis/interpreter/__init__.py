"""Abstract interpreter: runs a program with what is known of values instead of data, and collects findings."""
