"""N-best lists, references and sources of a request from the files of a form."""

from collections.abc import Mapping
from typing import Final

from app.errors import InputError
from app.operations.operation import Json
from app.text.reading.lines import TextFile
from app.text.reading.n_best_files import read_lists

__all__ = ["read_list_files"]

ROLES: Final = "files are called n_best or n_best:NAME, reference or reference:NAME, and source"


def read_list_files(files: Mapping[str, bytes], prefix: str = "") -> Json:
    """The fields `n_best`, `references` and `sources` from files by role, each of which may be gzip.

    Roles are ``n_best`` or several ``n_best:NAME``, in the order of their names and merged segment by segment, ``reference`` or
    several ``reference:NAME``, and ``source``. `prefix` stands before roles and fields. InputError names one that means nothing.
    References and sources that stand in the lists themselves count where no files are given.
    """
    by_kind: dict[str, dict[str, TextFile]] = {"n_best": {}, "reference": {}, "source": {}}
    for role, raw in sorted(files.items()):
        kind, _, name = role.removeprefix(prefix).partition(":")
        if not role.startswith(prefix) or kind not in by_kind or (kind == "source" and name):
            raise InputError("invalid-job", ROLES, (role,))
        by_kind[kind][name or kind] = TextFile(role, raw)
    lists, references, sources = (by_kind[kind] for kind in ("n_best", "reference", "source"))
    if not lists:
        detail = "these belong to n-best lists, which are not among the files"
        raise InputError("invalid-job", detail, (next(iter(files)),)) if files else InputError("invalid-job", ROLES)
    read = read_lists(list(lists.values()), None, list(references.values()), sources.get("source"))
    names = list(references) if references else [str(number) for number in range(1, len(read.references) + 1)]
    fields: Json = {f"{prefix}n_best": read.lists}
    if names:
        fields[f"{prefix}references"] = {name: list(texts) for name, texts in zip(names, read.references, strict=True)}
    if read.sources is not None:
        fields[f"{prefix}sources"] = list(read.sources)
    return fields
