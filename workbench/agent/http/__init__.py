"""The HTTP endpoint for agents on this machine: off unless the user switches it on, and always protected by an
access token."""
