"""Streamable HTTP for agents on this machine: off unless a person switches it on, and never without its token."""
