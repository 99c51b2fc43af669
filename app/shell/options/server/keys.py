"""Options of `assay server keys`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Form

__all__ = ["KeysCreateOptions", "KeysLimitOptions", "KeysListOptions", "KeysRevokeOptions", "KeysRotateOptions", "KeysUsageOptions"]

Name = Annotated[str, argument(help="Name of the key.")]
Rates = Annotated[list[str] | None, option("--rate", help="Limit, as '10000 segments/minute'; none; or settings. Repeatable.")]
Jobs = Annotated[str | None, option("--jobs-at-once", help="Unfinished jobs of its owner: a number, none, or settings.")]
Stored = Annotated[str | None, option("--stored", help="Storage of its owner, as 500MB or 2GB; none, or settings.")]
DAY: Final = 86400.0


class Period(StrEnum):
    """Windows that usage is shown by."""

    DAY = "day"
    MONTH = "month"


@dataclass(frozen=True, kw_only=True)
class KeysCreateOptions:
    """Options of `assay server keys create`."""

    name: Name
    scopes: Annotated[str, option(help="With commas: score, quality, jobs, train ...; admin for all.")]
    owner: Annotated[str | None, option(help="Owner whose jobs, feedback and models it sees.")] = None
    pairs: Annotated[str | None, option(help="Allowed language pairs, with commas; default: all.")] = None
    models: Annotated[str | None, option(help="Allowed models, with commas; default: all.")] = None
    expires: Annotated[str | None, option(help="End: a date, as 2027-01-31 (UTC), or days, as 90d.")] = None
    rate: Rates = None
    jobs_at_once: Jobs = None
    stored: Stored = None


@dataclass(frozen=True, kw_only=True)
class KeysListOptions:
    """Options of `assay server keys list`."""

    form: Form = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class KeysRotateOptions:
    """Options of `assay server keys rotate`."""

    name: Name


@dataclass(frozen=True, kw_only=True)
class KeysRevokeOptions:
    """Options of `assay server keys revoke`."""

    name: Name


@dataclass(frozen=True, kw_only=True)
class KeysLimitOptions:
    """Options of `assay server keys limit`."""

    name: Name
    rate: Rates = None
    jobs_at_once: Jobs = None
    stored: Stored = None


@dataclass(frozen=True, kw_only=True)
class KeysUsageOptions:
    """Options of `assay server keys usage`."""

    name: Annotated[str | None, argument(help="Name of a key; default: all.")] = None
    by: Annotated[Period, option(help="Window of a row.")] = Period.MONTH
    days: Annotated[int, option(help="Number of days back.", min=1, max=3660)] = 31
    form: Form = Format.TEXT
