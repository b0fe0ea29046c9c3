"""Abstract interpreter: runs a program with what is known of its values instead of data, and collects findings."""
