"""Supervises a program from outside: its time, memory and disk use, and the reason for its end."""
