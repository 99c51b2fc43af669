"""Zip archives as documents: members of one language pair, each in its own format; other files are skipped."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import ClassVar, Final

from app.documents.archive import is_zip, open_members, with_members
from app.documents.document import Document, Languages, QualityMark
from app.documents.format import FileFormat, ReadOptions, recognised, titles
from app.documents.retexting import Revision
from app.errors import InputError
from app.text.languages import same_language
from app.text.reading.foreign import foreign_archive

__all__ = ["Zip"]

# Errors of members that are no documents; such members are skipped.
SKIP_CODES: Final = frozenset({"unknown-format", "invalid-encoding", "invalid-character", "empty-input"})


class Zip(FileFormat):
    """Documents of an archive in their order; its members have one of `formats`."""

    name: ClassVar = "zip"
    title: ClassVar = "zip archive of several files"
    suffix: ClassVar = "zip"
    media_type: ClassVar = "application/zip"
    packable: ClassVar = False

    def __init__(self, formats: Sequence[FileFormat]) -> None:
        self._formats = formats

    def recognises_bytes(self, raw: bytes) -> bool:
        """Return True if the bytes begin like a zip archive."""
        return is_zip(raw)

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Read all units of all members; InputError names a member by its number, from 1."""
        documents: dict[str, Document] = {}
        languages: Languages = (options.pair.source, options.pair.target) if options.pair else (None, None)
        budget = options.limit
        contents = open_members(raw, name)
        for number, (member, content) in enumerate(contents, 1):
            form = self._format(content)
            if form is None:
                continue
            document = _at_member(form, number, content, replace(options, limit=budget))
            budget -= len(document.units)
            languages = _agreed(languages, document.languages, name, number)
            documents[member] = document
        if not documents:
            kind = foreign_archive([member for member, _ in contents])
            detail = (
                f"this is {kind}" if kind else f"this archive has no file that Assay can read; it reads {titles(self._formats)}"
            )
            raise InputError("unknown-format", detail, (name,))
        units = tuple(unit for document in documents.values() for unit in document.units)
        members = tuple((document.format, len(document.units)) for document in documents.values())
        inside = list(documents.values())

        def comments(comment: str) -> bool:
            return all(document.holds_comment(comment) for document in inside)

        skip_count = sum(document.skipped for document in documents.values())
        return Document(
            self.name, units, languages, skip_count, members, partial(_write_marks, raw, documents),
            retext=partial(_with_texts, raw, documents), holds_comment=comments,
        )  # fmt: skip

    def _format(self, content: bytes) -> FileFormat | None:
        try:
            return None if is_zip(content) else recognised(content, "file", self._formats)
        except InputError as error:
            if error.code in SKIP_CODES:
                return None
            raise


def _at_member(form: FileFormat, number: int, content: bytes, options: ReadOptions) -> Document:
    try:
        return form.read(content, "file", options)
    except InputError as error:
        location = (*error.where[:1], number, *error.where[1:])
        raise InputError(error.code, f"file {number} of the archive: {error.detail}", location) from None


def _agreed(languages: Languages, member_languages: Languages, name: str, number: int) -> Languages:
    if None in languages:
        return member_languages
    if not all(
        tag is None or same_language(tag, first_tag or tag) for tag, first_tag in zip(member_languages, languages, strict=True)
    ):
        detail = f"file {number} of the archive has another language pair than the files before it; send one archive per pair"
        raise InputError("invalid-document", detail, (name, number))
    return languages


def _with_texts(raw: bytes, documents: Mapping[str, Document], texts: Mapping[int, Revision]) -> tuple[bytes, frozenset[int]]:
    failures: set[int] = set()
    numbers = sorted(texts)

    def retext(document: Document, begin: int, content: bytes) -> bytes:
        first, last = (bisect_left(numbers, bound) for bound in (begin, begin + len(document.units)))
        member_texts = {number - begin: texts[number] for number in numbers[first:last]}
        if not member_texts:
            return content
        new_content, member_failures = document.retext(member_texts)
        failures.update(number + begin for number in member_failures)
        return new_content

    return _rewrite_members(raw, documents, retext), frozenset(failures)


def _write_marks(raw: bytes, documents: Mapping[str, Document], marks: Sequence[QualityMark]) -> bytes:
    return _rewrite_members(raw, documents, lambda document, begin, _: document.marked(marks[begin : begin + len(document.units)]))


def _rewrite_members(raw: bytes, documents: Mapping[str, Document], rewrite: Callable[[Document, int, bytes], bytes]) -> bytes:
    """Archive with the content of each document replaced by `rewrite`, which gets the number of its first unit."""
    begins = dict(zip(documents, accumulate((len(document.units) for document in documents.values()), initial=0), strict=False))
    return with_members(
        raw, lambda name, content: rewrite(documents[name], begins[name], content) if name in documents else content
    )
