"""The HTTP endpoint for agents on this machine: off unless the user switches it on, and never without its token."""
