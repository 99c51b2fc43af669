"""Tools for agents by the Model Context Protocol."""

from app.shell.agents.tools import agent_server

__all__ = ["agent_server"]
