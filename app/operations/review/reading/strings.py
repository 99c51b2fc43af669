"""Strings of files with their sources, and those that changed."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from app.documents import read_file
from app.documents.document import MOST_UNITS, language_of
from app.documents.strings import StringEntry, StringFormat, is_empty, paired_strings, string_format
from app.documents.strings.paths import Layout, TranslationPath, translation_paths
from app.errors import InputError
from app.operations.review.files import ReviewFile
from app.operations.review.reading.catalogues import catalogue_part, read_catalogue
from app.operations.review.reading.losses import lost_file, lost_strings
from app.operations.review.reading.places import Places
from app.operations.review.reading.spellings import spelling_faults
from app.operations.review.reading.stated import stated_path
from app.operations.review.reviewed import Fault, FileStrings, ReviewString
from app.resources.identification import identify, likeliest
from app.text.languages import is_variety, same_language
from app.text.reading.checking import FORBIDDEN_CHARACTER
from app.text.reading.encodings import refuse

__all__ = ["DOCUMENTS", "read_strings"]

# Suffixes of documents with both texts.
DOCUMENTS: Final = (".po", ".xlf", ".xliff", ".mxliff", ".sdlxliff", ".tmx")
# Languages of regions with the code of another language.
LIKELIER_LANGUAGES: Final = {"br": "pt-BR", "se": "sv", "si": "sl", "ee": "et", "kr": "ko", "in": "hi", "ba": "bs"}
CATALOGUE: Final = ".po"
BYTE_ORDER_MARK: Final = "\ufeff"


def read_strings(
    files: Sequence[ReviewFile], source_language: str, layouts: Sequence[Layout] = (), compare: bool = False
) -> Iterator[FileStrings]:
    """Strings of all translated files, in the order of files. Files without a translation of this source language give none."""
    by_path = {file.path: file for file in files if not file.removed}

    @cache
    def has_no_texts(path: str) -> bool:
        return path in by_path and is_empty(path, by_path[path].text)

    translations = translation_paths(by_path, source_language, layouts, has_no_texts)
    paths = [file.path for file in files]
    removals = translation_paths(paths, source_language, layouts, has_no_texts) if len(by_path) < len(files) else {}
    for file in files:
        try:
            if file.removed:
                yield from _removed(file, by_path, removals.get(file.path), source_language) if compare else ()
                continue
            yield from _strings_of(file, by_path, translations.get(file.path), source_language, compare)
        except InputError as error:
            translation = translations.get(file.path)
            language, source = (translation.language, translation.source) if translation else (file.language or "", file.path)
            yield FileStrings(file.path, source, language, error=error)


def _removed(
    file: ReviewFile, files: Mapping[str, ReviewFile], translation: TranslationPath | None, source_language: str
) -> Iterator[FileStrings]:
    """The loss of a removed file whose source remains; none if the file could not be read."""
    old = ReviewFile(path=file.path, text=file.old_text or "", language=file.language, source=file.source)
    if translation is None or translation.source in files:
        try:
            yield from lost_file(file.path, list(_strings_of(old, files, translation, source_language, compare=False)))
        except InputError:
            return


def _strings_of(
    file: ReviewFile, files: Mapping[str, ReviewFile], translation: TranslationPath | None, source_language: str, compare: bool
) -> Iterator[FileStrings]:
    """Strings of a file by language."""
    form = string_format(file.path)
    for text_file in (file, *([files[translation.source]] if translation is not None else [])):
        fault = FORBIDDEN_CHARACTER.search(text_file.text)
        if fault is not None:
            detail = "this is a NUL or a lone surrogate; remove it"
            raise refuse("invalid-character", text_file.path, detail, text_file.text, fault.start())
    if file.path.lower().endswith(DOCUMENTS):
        read = _of_document
    elif form is None or not form.recognises(file.text):
        return
    elif (file.source is not None or not _holds_sources(file, form)) and (
        paths := stated_path(file, files, translation, source_language)
    ) is not None:
        # A file of sources beside it may be empty, as in Qt.
        yield _compared(file, files[paths.source], form, paths, compare)
        return
    else:
        read = _of_two_languages
    old = _earlier_parts(read, file, source_language)
    parts = {part.language: part for part in read(file, file.text, source_language)}
    # Old parts that the file lacks now have lost all of their strings.
    for language, part in {**(_without_strings(old, parts) if compare else {}), **parts}.items():
        yield _beside_earlier(part, old.get(language)) if compare else part


def _earlier_parts(
    read: Callable[[ReviewFile, str, str], Iterable[FileStrings]], file: ReviewFile, source_language: str
) -> dict[str, FileStrings]:
    """Strings before the change, by language; none for a new file, and for one that could not be read."""
    if file.old_text is None:
        return {}
    try:
        return {part.language: part for part in read(file, file.old_text, source_language)}
    except InputError:
        return {}


def _compared(file: ReviewFile, source: ReviewFile, form: StringFormat, paths: TranslationPath, compare: bool) -> FileStrings:
    """Strings of a translated file beside the file of its sources."""
    entries, source_entries = form.entries(file.text, file.path), _source_entries(source, source.text)
    pairs = paired_strings(source_entries, entries, form.keys_are_places)
    places = Places(file.text)
    strings = tuple(
        ReviewString(
            *(file.path, paths.language, entry.key, entry.plural, source_entry.text, entry.text),
            places.of(entry.start, entry.end),
            has_place=form.keys_are_places,
        )
        for source_entry, entry in pairs.pairs
    )
    language = _apparent_language(paths.language, [string.translation for string in strings])
    if language != paths.language:
        strings = tuple(replace(string, language=language) for string in strings)
    sources: dict[str, set[str]] = {}
    for entry in source_entries:
        # Without names, a source is its own key.
        sources.setdefault(entry.text if form.keys_are_places else entry.key, set()).add(entry.text)
    faults = tuple(spelling_faults(form.name, (source.text, file.text), source_entries, pairs.pairs, strings))
    part = FileStrings(file.path, source.path, language, strings, len(pairs.missing), faults=faults, sources=sources)
    return _beside_earlier(part, _earlier(file, source, form, paths)) if compare else part


def _apparent_language(language: str, texts: Sequence[str]) -> str:
    """The language of a region, if the words are in it: br.json is rarely Breton, and mostly Portuguese of Brazil."""
    regional = LIKELIER_LANGUAGES.get(language)
    return regional if regional is not None and likeliest(identify(texts)) == regional.split("-")[0] else language


def _earlier(file: ReviewFile, source: ReviewFile, form: StringFormat, paths: TranslationPath) -> FileStrings | None:
    """Strings before the change; None for a new file, or for one that could not be read."""
    if file.old_text is None:
        return None
    # A source that did not change has no earlier text.
    old_source = source.text if source.old_text is None else source.old_text
    old = ReviewFile(path=file.path, text=file.old_text), ReviewFile(path=source.path, text=old_source)
    try:
        return _compared(*old, form, paths, compare=False)
    except InputError:
        return None


def _source_entries(source: ReviewFile, text: str) -> list[StringEntry]:
    form = string_format(source.path)
    assert form is not None
    return form.entries(text, source.path)


def _holds_sources(file: ReviewFile, form: StringFormat) -> bool:
    """Return True for a file with the sources of its translations."""
    return form.has_sources and any(entry.source for entry in form.entries(file.text, file.path))


def _is_source_language(language: str, source_language: str) -> bool:
    """Return True for the language of the sources itself; a variety of it is a translation."""
    return same_language(language, source_language) and not is_variety(language, source_language)


def _of_two_languages(file: ReviewFile, text: str, source_language: str) -> Iterator[FileStrings]:
    """Strings of a file that has sources too, by language."""
    form = string_format(file.path)
    assert form is not None
    # Files such as package.json have keys, and no source.
    if not form.has_sources:
        return
    places, by_language = Places(text), dict[str, list[ReviewString]]()
    for entry in form.entries(text, file.path):
        language = language_of(entry.language)
        if entry.source is not None and language is not None and not _is_source_language(language, source_language):
            string = ReviewString(
                file.path, language, entry.key, entry.plural, entry.source, entry.text, places.of(entry.start, entry.end)
            )
            by_language.setdefault(language, []).append(string)
    sources = dict.fromkeys(form.keys(text, file.path), ())
    for language, strings in by_language.items():
        yield FileStrings(file.path, file.path, language, tuple(strings), sources=sources)
    if not by_language:
        yield FileStrings(file.path, file.path, "", sources=sources)


def _of_document(file: ReviewFile, text: str, source_language: str) -> Iterator[FileStrings]:
    """Units of a document, whose language it names or its path."""
    if file.path.lower().endswith(CATALOGUE) and "msgstr" in text:
        catalogue = read_catalogue(file.path, text.removeprefix(BYTE_ORDER_MARK))
        language = _target_language(catalogue.languages[1], file, source_language)
        if language is not None:
            yield catalogue_part(file.path, language, catalogue)
        return
    # The mark goes before the encoding that the document declares.
    document = read_file((BYTE_ORDER_MARK + text.removeprefix(BYTE_ORDER_MARK)).encode(), file.path, limit=MOST_UNITS)
    language = _target_language(document.target_language, file, source_language)
    if language is None:
        return
    strings = tuple(
        ReviewString(
            file.path, language, "", "", unit.source, unit.translation, (unit.line, 1, unit.line, 1), unit.longest, codes=unit.codes
        )
        for unit in document.units
    )
    sources = dict.fromkeys((*document.pending_sources, *(unit.source for unit in document.units)), ())
    yield FileStrings(file.path, file.path, language, strings, document.skipped, sources=sources)


def _target_language(tag: str | None, file: ReviewFile, source_language: str) -> str | None:
    """The language of the translations, None for that of the sources. InputError if neither file, caller nor path names one."""
    language = tag or file.language or _language_of_path(file.path, source_language)
    if language is None:
        raise InputError("invalid-document", "neither the file nor its path names the language of the translations", (file.path,))
    return None if _is_source_language(language, source_language) else language


def _language_of_path(path: str, source_language: str) -> str | None:
    """The language of a path such as ``po/de.po``, as if a source lay beside it."""
    parts = [part for piece in path.split("/") for part in (piece, piece.split(".")[0])]
    languages = [language for part in reversed(parts) if (language := language_of(part)) is not None]
    return next((language for language in languages if not _is_source_language(language, source_language)), None)


def _without_strings(old: Mapping[str, FileStrings], parts: Mapping[str, FileStrings]) -> dict[str, FileStrings]:
    """Parts of an earlier file whose languages the file lacks now, with the present keys."""
    sources = next((part.sources for part in parts.values()), {})
    return {
        language: replace(part, strings=(), sources=sources)
        for language, part in old.items()
        if language not in parts and part.strings
    }


def _beside_earlier(part: FileStrings, earlier: FileStrings | None) -> FileStrings:
    """Strings with marks on those that changed, new faults, and faults about strings that are lost."""
    old_strings, old_faults = ((), ()) if earlier is None else (earlier.strings, earlier.faults)
    known_faults = set(map(_content_of_fault, old_faults))
    faults = [fault for fault in part.faults if _content_of_fault(fault) not in known_faults]
    losses = lost_strings(old_strings, part.strings, part.sources)
    return replace(part, strings=_with_changes(part.strings, old_strings), faults=(*faults, *losses))


def _content_of_fault(fault: Fault) -> Hashable:
    return fault.code, fault.message, fault.string.source, fault.string.translation


def _with_changes(strings: Sequence[ReviewString], earlier: Iterable[ReviewString]) -> tuple[ReviewString, ...]:
    """Strings with marks on those that differ from earlier ones, and on those whose source changed alone."""
    earlier = list(earlier)
    counts = Counter(map(_content, earlier))
    old_sources = {(string.name, string.plural, string.translation): string.source for string in earlier if string.key}
    sources = {string.source for string in strings if not string.name}
    old_texts = {_identity(string): (string.source, string.translation) for string in earlier}
    result = []
    for string in strings:
        content = _content(string)
        is_changed = counts[content] == 0
        counts[content] -= not is_changed
        old_source = old_sources.get((string.name, string.plural, string.translation))
        # Without names, the old source may go on with this translation elsewhere.
        is_stale = is_changed and old_source is not None and old_source not in sources
        old = old_texts.get(_identity(string)) if is_changed else None
        if is_stale and old_source is not None:
            old = old_source, string.translation
        result.append(replace(string, is_changed=is_changed, is_stale=is_stale, earlier=old))
    return tuple(result)


def _content(string: ReviewString) -> Hashable:
    return string.name, string.plural, string.source, string.translation, string.codes, string.is_draft


def _identity(string: ReviewString) -> tuple[str, str, str]:
    """The key of a string in all versions of its file: its source where files have no keys."""
    return string.name, string.plural, "" if string.name else string.source
