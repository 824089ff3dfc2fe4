"""What people start: the command line, the web reader and REST service, bulk runs, MCP, and a client."""
