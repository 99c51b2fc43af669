"""`assay mcp`: tools for agents."""

from dataclasses import dataclass
from typing import Annotated, Literal

from app.shell.declaration.fields import option
from app.shell.declaration.parameters import Server

__all__ = ["McpOptions"]


@dataclass(frozen=True, kw_only=True)
class McpOptions:
    """Options of `assay mcp`."""

    transport: Annotated[Literal["stdio", "http"], option(help="stdio, or HTTP at /mcp for programs of this computer.")] = "stdio"
    port: Annotated[int, option(min=1, max=65535, help="Port of --transport http.")] = 8765
    server: Server = None

    def run(self) -> None:
        """Serve tools of the Model Context Protocol until the input ends."""
        from app import __version__
        from app.running.extras import package_of

        package_of("mcp.server.mcpserver", "mcp")
        from app.shell.agents import agent_server

        tools = agent_server(self.server, __version__)
        if self.transport == "stdio":
            tools.run()
        else:
            tools.run("streamable-http", host="127.0.0.1", port=self.port, stateless_http=True, json_response=True)
