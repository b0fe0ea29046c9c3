"""The command line: one module per group of commands, selected by `main.py`. It uses the API's client and records
only.
"""
