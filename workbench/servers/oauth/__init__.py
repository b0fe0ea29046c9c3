"""Signing in at remote servers by OAuth 2.1, with the SDK's own flow; a person starts it, and can read each step."""
