"""Errors of checkpoints that are not imported."""

from importlib import import_module
from typing import Any

from app.errors import InputError

__all__ = ["needed_package", "refused"]


def refused(reason: str, *location: str) -> InputError:
    """The error about a checkpoint that is not imported."""
    return InputError("invalid-request", reason, location)


def needed_package(name: str) -> Any:
    """A module of a package of the extra `convert`; InputError names the command that installs it."""
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise InputError("missing-resource", f"the package {package} is not installed; pip install assay[convert]") from None
