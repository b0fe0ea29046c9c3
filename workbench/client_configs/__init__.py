"""Configuration files of other MCP clients: finds them, reads them as untrusted input, and edits them without losing
content."""
