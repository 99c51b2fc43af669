"""What says why a checkpoint is not imported."""

from types import ModuleType

from app.errors import InputError

__all__ = ["needed_package", "refused"]


def refused(why: str, *where: str) -> InputError:
    """The error about a checkpoint that is not imported."""
    return InputError("invalid-request", why, where)


def needed_package(name: str) -> ModuleType:
    """A package of the extra `convert`; InputError says how to have it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise InputError("missing-resource", f"the package {name} is not installed; pip install assay[convert]") from None
