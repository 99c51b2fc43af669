"""Options of `assay serve` and `assay models list`.."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Form, Server

__all__ = ["ModelsListOptions", "ModelsShowOptions", "ServeOptions"]


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """Options of `assay serve`."""

    host: Annotated[str | None, option(help="Address to listen on (ASSAY_HOST).")] = None
    port: Annotated[int | None, option(min=0, max=65535, help="Port to listen on (ASSAY_PORT).")] = None
    processes: Annotated[
        int | None,
        option(
            min=1,
            max=64,
            help="Number of processes that answer requests (ASSAY_PROCESSES); by default as many as cores, at most 4.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ModelsListOptions:
    """Options of `assay models list`."""

    server: Server = None
    form: Form = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class ModelsShowOptions:
    """Options of `assay models show`."""

    model: Annotated[str, argument(help="Model id.")]
    server: Server = None
