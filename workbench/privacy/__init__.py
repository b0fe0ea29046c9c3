"""Finds personal data, gives it a token, gives it back; one vault per session, in memory only.

Results are registered with their keys when they come in; every text that goes to a model is swept for what is known and
scanned for what is not. It is not anonymisation: names in free prose, prefixes and timing are not claimed.
"""
