"""Zip archives as documents: all members of one language pair, each read by its own format, the others passed over."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, Final

from app.documents.archive import is_zip, open_members, with_members
from app.documents.document import Document, Languages, Mark
from app.documents.format import Format, ReadOptions, recognised, titles
from app.documents.retexting import Revised
from app.errors import InputError
from app.text.languages import same_language
from app.text.reading.foreign import foreign_archive

__all__ = ["Zip"]

# What makes a member something else than a document.
PASSED_OVER: Final = frozenset({"unknown-format", "invalid-encoding", "invalid-character", "empty-input"})


class Zip(Format):
    """The documents of an archive one after the other; `formats` are those that its members may have."""

    name: ClassVar = "zip"
    title: ClassVar = "zip archive of several"
    suffix: ClassVar = "zip"
    media_type: ClassVar = "application/zip"
    packable: ClassVar = False

    def __init__(self, formats: Sequence[Format]) -> None:
        self._formats = formats

    def recognises_bytes(self, raw: bytes) -> bool:
        """It begins as an archive does."""
        return is_zip(raw)

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """All units of all members; InputError names the member by its number."""
        documents: dict[str, Document] = {}
        languages: Languages = (options.pair.source, options.pair.target) if options.pair else (None, None)
        left = options.most
        contents = open_members(raw, name)
        for number, (member, content) in enumerate(contents, 1):
            form = self._format(content)
            if form is None:
                continue
            document = _at_member(form, number, content, replace(options, most=left))
            left -= len(document.units)
            languages = _agreed(languages, document.languages, name, number)
            documents[member] = document
        if not documents:
            kind = foreign_archive([member for member, _ in contents])
            other = f"this is {kind}" if kind else f"no file of the archive is of a format that is read: {titles(self._formats)}"
            raise InputError("unknown-format", other, (name,))
        units = tuple(unit for document in documents.values() for unit in document.units)
        members = tuple((document.format, len(document.units)) for document in documents.values())
        inside = list(documents.values())

        def comments(comment: str) -> bool:
            return all(document.holds_comment(comment) for document in inside)

        skipped = sum(document.skipped for document in documents.values())
        return Document(
            self.name, units, languages, skipped, members, partial(_written, raw, documents),
            retext=partial(_with_texts, raw, documents), holds_comment=comments,
        )  # fmt: skip

    def _format(self, content: bytes) -> Format | None:
        try:
            return None if is_zip(content) else recognised(content, "file", self._formats)
        except InputError as error:
            if error.code in PASSED_OVER:
                return None
            raise


def _at_member(form: Format, number: int, content: bytes, options: ReadOptions) -> Document:
    try:
        return form.read(content, "file", options)
    except InputError as error:
        where = (*error.where[:1], number, *error.where[1:])
        raise InputError(error.code, f"file {number} of the archive: {error.detail}", where) from None


def _agreed(languages: Languages, own: Languages, name: str, number: int) -> Languages:
    if None in languages:
        return own
    if not all(tag is None or same_language(tag, other or tag) for tag, other in zip(own, languages, strict=True)):
        detail = f"file {number} of the archive is of another language pair than those before it; send one archive per pair"
        raise InputError("invalid-document", detail, (name, number))
    return languages


def _with_texts(raw: bytes, documents: Mapping[str, Document], texts: Mapping[int, Revised]) -> tuple[bytes, frozenset[int]]:
    left: set[int] = set()
    begins, total = dict[str, int](), 0
    for member, document in documents.items():
        begins[member] = total
        total += len(document.units)
    ordered = sorted(texts)

    def change(member: str, content: bytes) -> bytes:
        if member not in documents:
            return content
        begin, document = begins[member], documents[member]
        first, last = (bisect_left(ordered, number) for number in (begin, begin + len(document.units)))
        own = {number - begin: texts[number] for number in ordered[first:last]}
        if not own:
            return content
        written, kept_out = document.retext(own)
        left.update(number + begin for number in kept_out)
        return written

    return with_members(raw, change), frozenset(left)


def _written(raw: bytes, documents: Mapping[str, Document], marks: Sequence[Mark]) -> bytes:
    ends, total = {}, 0
    for member, document in documents.items():
        ends[member] = total = total + len(document.units)

    def change(member: str, content: bytes) -> bytes:
        if member not in documents:
            return content
        document = documents[member]
        return document.marked(marks[ends[member] - len(document.units) : ends[member]])

    return with_members(raw, change)
