"""The HTTP interface: one module per noun, each thin; errors are problem+json."""

from app.server.api.routes import install_api

__all__ = ["install_api"]
