"""Packages of extras, which are imported at their first use."""

from importlib import import_module
from typing import Any

from app.errors import InputError

__all__ = ["package_of"]


def package_of(name: str, extra: str) -> Any:
    """The module `name`, as ``pyarrow.parquet``; InputError (`invalid-request`) names the `extra` that installs its package."""
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        detail = f"the package {package} cannot be imported ({error}): pip install 'assay[{extra}]'"
        raise InputError("invalid-request", detail, (package,)) from None
