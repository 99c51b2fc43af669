"""Configuration of reviews: `assay.toml`, or the table `tool.assay` of `pyproject.toml`."""

import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError

from app.errors import InputError
from app.operations.operation import Body
from app.operations.review.files import PathLayout
from app.operations.review.gate import FailOn
from app.operations.review.request import IgnoredFindings
from app.shell.review.checkout import Checkout
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
    fail_on: FailOn | None = None
    fail_if_worse: bool = False
    profile: Literal["fast", "accurate"] | None = None
    baseline: str | None = None
    glossary: str | None = None
    ignore: list[IgnoredFindings] = Field(default_factory=list)


def read_configuration(file: Path | None) -> ReviewConfiguration:
    """The configuration in a file, or in the nearest folder around this one that has one, up to the root of the checkout.

    Its paths are relative to this folder then. InputError names the file, and the key that is unknown or has a wrong value.
    """
    if file is not None:
        return _checked(file, _table(own_file(file, OPTION)))
    start = Path.cwd()
    checkout = Checkout.around(start)
    root = start if checkout is None else checkout.root
    for folder in (start, *start.parents):
        for name in (NAME, PROJECT):
            # Errors name the file as this folder sees it.
            path = Path(os.path.relpath(folder / name))
            if path.is_file() and (table := _table(own_file(path, OPTION, is_configured=True))) is not None:
                return _from(path.parent, _checked(path, table))
        if folder == root:
            break
    return ReviewConfiguration()


def _from(folder: Path, configuration: ReviewConfiguration) -> ReviewConfiguration:
    """The configuration of another folder, with its paths as this folder sees them."""
    if folder == Path():
        return configuration
    files = {name: getattr(configuration, name) for name in ("baseline", "glossary")}
    paths = configuration.paths or ["."]
    return configuration.model_copy(
        update={
            "paths": [str(folder / path) for path in paths],
            **{name: str(folder / path) for name, path in files.items() if path},
        }
    )


def _table(path: Path) -> Any:
    """The table `review` of a file; None for a project without a table of Assay."""
    try:
        document: Any = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError("invalid-request", f"{path} cannot be read: {error.strerror}", (OPTION,)) from None
    except ValueError as error:
        raise InputError("invalid-request", f"{path} is no TOML: {error}", (OPTION,)) from None
    place = ""
    if path.name == PROJECT:
        place, tool = "tool.assay.", document.get("tool", {})
        document = tool.get("assay") if isinstance(tool, dict) else tool
        if document is None:
            return None
    if not isinstance(document, dict):
        raise InputError("invalid-request", f"{path}: {place.rstrip('.')} is no table; write [{place}review]", (OPTION,))
    unknown = next((name for name in document if name != "review"), None)
    if unknown is not None:
        detail = f"{path}: there is no key {place}{unknown}; settings of reviews stand in the table [{place}review]"
        raise InputError("invalid-request", detail, (OPTION,))
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
