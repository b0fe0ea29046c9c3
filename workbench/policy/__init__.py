"""Code and calls in, verdicts out: canonical text, findings, effects, risk, gate. Pure functions.

The verdict informs a person and sets the gate; the sandbox, not this room, is the boundary.
"""
