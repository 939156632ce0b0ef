"""The MCP server: memory as tools, resources and prompts, over standard streams and over HTTP."""
