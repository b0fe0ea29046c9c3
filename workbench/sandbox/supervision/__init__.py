"""Watching a program from outside: its time, memory, disk, and the reason for its end."""
