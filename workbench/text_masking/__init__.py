"""Masking without a core: of files and pipes (`mcp-workbench sanitize`), and as an MCP interceptor for gateways."""
