"""The broker: the only path of tool calls to servers, where each call is judged, audited, sent and registered, and
the session state that this needs."""
