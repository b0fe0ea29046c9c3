"""The only way of tool calls to servers: judged, written down, sent, registered; and what that needs of a session."""
