"""Static analysis: parses and interprets the text of a program and says what it would do. Pure functions.

`reading.read` is the entry point: text in, `Reading` out. The verdict in it informs the user and decides whether they
are asked; the sandbox, not this package, is the security boundary.
"""
