"""Dry runs: side effects of a program are held back and become a plan, of which the user allows what they want."""
