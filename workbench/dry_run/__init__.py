"""Dry runs: side effects of a program are held back and listed in a plan, from which the user selects what to allow."""
