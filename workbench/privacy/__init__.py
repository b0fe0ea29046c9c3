"""Detects personal data, replaces it by tokens and restores it; one vault per session, in memory only.

Answers are registered with their keys when they arrive. Every text that goes to a model is searched for known values
and scanned for unknown ones. It is not anonymization: for names in free prose, prefixes of values and timing, no
protection is claimed.
"""
