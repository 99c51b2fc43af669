"""Configuration of reviews: `assay.toml`, or the table `tool.assay` of `pyproject.toml`."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError

from app.checks import Severity
from app.errors import InputError
from app.operations.operation import Body
from app.operations.review.files import PathLayout
from app.operations.review.request import IgnoredFindings
from app.shell.review.inside import own_file

__all__ = ["ReviewConfiguration", "read_configuration"]

NAME: Final = "assay.toml"
PROJECT: Final = "pyproject.toml"
OPTION: Final = "--config"


class ReviewConfiguration(Body):
    """The table `review`. Options of the command go before its values."""

    source_language: str | None = None
    paths: list[str] = Field(default_factory=list)
    exclude: list[str] = Field(default_factory=list)
    layouts: list[PathLayout] = Field(default_factory=list)
    languages: list[str] | None = None
    min_quality: dict[str, Annotated[float, Field(ge=0.0, le=1.0)]] = Field(default_factory=dict)
    fail_on: Severity | dict[str, Severity | Literal["none"]] | None = None
    fail_if_worse: bool = False
    profile: Literal["fast", "accurate"] | None = None
    baseline: str | None = None
    glossary: str | None = None
    ignore: list[IgnoredFindings] = Field(default_factory=list)


def read_configuration(root: Path, file: Path | None) -> ReviewConfiguration:
    """The configuration in a file, or in the files of a folder; empty without one.

    InputError names the file, and the key with a wrong value.
    """
    if file is not None:
        return _checked(file, _table(own_file(file, OPTION)))
    for name in (NAME, PROJECT):
        path = root / name
        if path.is_file():
            own_file(path, OPTION, is_configured=True)
            return _checked(path, _table(path))
    return ReviewConfiguration()


def _table(path: Path) -> Any:
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError("invalid-request", f"{path} cannot be read: {error.strerror}", (OPTION,)) from None
    except ValueError as error:
        raise InputError("invalid-request", f"{path} is no TOML: {error}", (OPTION,)) from None
    if path.name == PROJECT:
        document = document.get("tool", {}).get("assay", {})
    return document.get("review", {})


def _checked(path: Path, table: Any) -> ReviewConfiguration:
    """The table with hyphens as in options: `source-language`."""
    names = {key.replace("-", "_"): value for key, value in table.items()} if isinstance(table, dict) else table
    try:
        return ReviewConfiguration.model_validate(names)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part).replace("_", "-") for part in ("review", *first["loc"]))
        raise InputError("invalid-request", f"{path}: {place}: {first['msg']}", (OPTION,)) from None
