"""Options of `assay server audit`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from app.shell.declaration.fields import option

__all__ = ["AuditOptions"]

RowForm = Literal["text", "tsv", "jsonl"]


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Options of `assay server audit`."""

    since: Annotated[str | None, option(help="First day: a date, as 2027-01-31 (UTC), or days ago, as 7d.")] = None
    actor: Annotated[str | None, option(help="Actions of this key; a command line is 'command line'.")] = None
    owner: Annotated[str | None, option(help="Actions of this owner's keys.")] = None
    action: Annotated[str | None, option(help="Actions of this kind: created, read, deleted, refused ...")] = None
    thing: Annotated[str | None, option(help="Actions on this kind of thing: job, key, model ...")] = None
    id: Annotated[str | None, option(help="Actions on the thing with this id.")] = None
    limit: Annotated[int, option(min=0, help="Number of rows, newest first; 0 for all.")] = 100
    form: Annotated[RowForm, option("--format", "-f", help="Form of the rows.")] = "text"
    verify: Annotated[bool, option("--verify", help="Check that no row changed or is missing; exit 1 otherwise.")] = False
    witness: Annotated[str | None, option(help="Compare with an earlier NUMBER:HASH; needs --verify.")] = None
    expire: Annotated[int | None, option(min=1, help="Delete rows older than this many days.")] = None
