"""Files of a review: translated files with their sources, in their present and earlier texts."""

import os
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from app.documents.strings import is_empty, string_format
from app.documents.strings.paths import Layout, translation_paths
from app.errors import InputError
from app.operations.review.globs import Glob
from app.operations.review.reading.strings import DOCUMENTS
from app.shell.review.checkout import Checkout
from app.shell.review.inside import check_link
from app.text.languages import same_language
from app.text.reading.encodings import decode

__all__ = ["Collection", "Selection", "collected_files"]

# Folders without translations of the project itself.
FOREIGN: Final = frozenset({".git", ".hg", "node_modules", ".venv", "venv", "__pycache__"})
# Bytes that tell formats of one suffix apart.
HEAD: Final = 200
LATIN_1: Final = ".properties"
# Bytes of comments in a file without texts.
LONGEST_EMPTY: Final = 100_000


@dataclass(frozen=True)
class Selection:
    """Choice of files: paths below `root`, patterns to leave out, languages, and a commit to compare with."""

    root: Path
    paths: Sequence[str] = ()
    exclude: Sequence[str] = ()
    languages: Sequence[str] | None = None
    since: str | None = None


@dataclass(frozen=True)
class Collection:
    """Files as fields of a request, and errors of files that are no text."""

    files: list[dict[str, Any]]
    errors: list[InputError]


def collected_files(selection: Selection, source_language: str, layouts: Sequence[Layout]) -> Collection:
    """Translated files of a selection with their sources; with `since`, those that changed or whose source changed."""
    checkout = Checkout.around(selection.root)
    if selection.since is not None and checkout is None:
        raise InputError("invalid-request", "this folder is no git checkout; leave --since out, or go into one", ("--since",))
    base = checkout.base(selection.since) if checkout is not None and selection.since is not None else None
    root = selection.root if checkout is None else checkout.root
    listed_paths = list(_walk(root)) if checkout is None else checkout.files()
    paths = [path for path in listed_paths if _is_readable(path) and (root / path).is_file()]
    changes = dict.fromkeys(paths, "") if checkout is None or base is None else checkout.changes(base)
    removed_paths = [] if checkout is None or base is None else list(filter(_is_readable, checkout.removals(base)))
    known_paths = frozenset(listed_paths)
    chosen_paths = _below([*paths, *removed_paths], selection, root)
    names: dict[str, None] = {}
    for translation in translation_paths(paths, source_language, layouts, partial(_has_no_texts, root)).values():
        is_change = translation.path in changes or translation.source in changes
        if translation.path in chosen_paths and is_change and _is_of_languages(translation.language, selection):
            names |= {translation.path: None, translation.source: None}
    names |= {path: None for path in chosen_paths.intersection(paths) if path in changes and _has_sources(root, path, known_paths)}
    files: list[dict[str, Any]] = []
    errors: list[InputError] = []
    for path, source in _removals(root, removed_paths, paths, chosen_paths, selection, source_language, layouts):
        if checkout is not None and base is not None:
            names |= {} if source is None else {source: None}
            if not _is_utf8(path):
                errors.append(_foreign_name(path))
                continue
            files.append({"path": path, "text": "", "removed": True, **_earlier(checkout, base, path, {})})
    for path in names:
        if not _is_utf8(path):
            errors.append(_foreign_name(path))
            continue
        check_link(root, path, known_paths)
        try:
            row = {"path": path, "text": _text((root / path).read_bytes(), path)}
            if checkout is not None and base is not None:
                row |= _earlier(checkout, base, path, changes)
            files.append(row)
        except InputError as error:
            errors.append(error)
        except OSError as error:
            errors.append(InputError("invalid-document", f"it cannot be read: {error.strerror}", (path,)))
    return Collection(files, errors)


def _is_of_languages(language: str, selection: Selection) -> bool:
    return selection.languages is None or any(same_language(language, name) for name in selection.languages)


def _removals(
    root: Path,
    removed_paths: Sequence[str],
    paths: Sequence[str],
    chosen_paths: Set[str],
    selection: Selection,
    source_language: str,
    layouts: Sequence[Layout],
) -> Iterator[tuple[str, str | None]]:
    """Removed translations with their sources, which remain; None for files that had both texts."""
    if not removed_paths:
        return
    translations = translation_paths([*paths, *removed_paths], source_language, layouts, partial(_has_no_texts, root))
    for path in removed_paths:
        translation, form = translations.get(path), string_format(path)
        if path not in chosen_paths:
            continue
        if path.lower().endswith(DOCUMENTS) or (form is not None and form.has_sources):
            yield path, None
        elif translation is not None and translation.source in paths and _is_of_languages(translation.language, selection):
            yield path, translation.source


def _has_no_texts(root: Path, path: str) -> bool:
    """Return True for a short file without texts; a removed one has them."""
    file = root / path
    try:
        return file.is_file() and file.stat().st_size < LONGEST_EMPTY and is_empty(path, _text(file.read_bytes(), path))
    except (InputError, OSError):
        return False


def _is_utf8(path: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _foreign_name(path: str) -> InputError:
    """The error about a name that is not UTF-8. No answer can hold its bytes, so they are escapes."""
    name = os.fsencode(path).decode("utf-8", "backslashreplace")
    return InputError("invalid-document", "its name is not UTF-8; rename it", (name,))


def _earlier(checkout: Checkout, base: str, path: str, changes: dict[str, Any]) -> dict[str, str]:
    """The earlier text of a file, which has another path if it was renamed; none for a new file."""
    old_path = changes.get(path, path)
    if old_path is None:
        return {}
    try:
        return {"old_text": _text(checkout.content(base, old_path), old_path)}
    except InputError:
        return {}


def _text(raw: bytes, path: str) -> str:
    """The text of a file; Java's properties are Latin-1 unless they are UTF-8."""
    try:
        return decode(raw, path).text
    except InputError:
        if path.endswith(LATIN_1) and b"\0" not in raw:
            return raw.decode("latin-1")
        raise


def _is_readable(path: str) -> bool:
    return string_format(path) is not None or path.lower().endswith(DOCUMENTS)


def _has_sources(root: Path, path: str, listed_paths: Set[str]) -> bool:
    """Return True for a file with both texts."""
    if path.lower().endswith(DOCUMENTS):
        return True
    form = string_format(path)
    if form is None or not form.has_sources:
        return False
    check_link(root, path, listed_paths)
    with (root / path).open("rb") as handle:
        return form.recognises(handle.read(HEAD).decode("utf-8", "replace"))


def _below(paths: Sequence[str], selection: Selection, root: Path) -> frozenset[str]:
    """Files below the paths of a selection, without excluded ones. InputError for a path that is absent or outside."""
    prefixes = []
    folder = Path(os.path.realpath(root))
    for path in selection.paths:
        absolute = Path(os.path.realpath(selection.root / path))
        if not absolute.is_relative_to(folder):
            raise InputError("invalid-request", f"{path} lies outside {folder}; name files or folders in it", ("PATHS",))
        if not absolute.exists():
            raise InputError("invalid-request", f"{path} does not exist in {folder}; name files or folders of it", ("PATHS",))
        relative = absolute.relative_to(folder).as_posix()
        prefixes.append("" if relative == "." else relative)
    patterns = [Glob(pattern.removeprefix("./").rstrip("/")) for pattern in selection.exclude]
    return frozenset(
        path
        for path in paths
        if (not prefixes or any(not prefix or path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes))
        and not any(pattern.matches(part) for pattern in patterns for part in _with_folders(path))
    )


def _with_folders(path: str) -> Iterator[str]:
    """A path, and the folders around it."""
    yield path
    yield from (path[:at] for at, character in enumerate(path) if character == "/")


def _walk(root: Path) -> Iterator[str]:
    """Files below a folder that is no checkout, with slashes."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in FOREIGN)
        yield from (Path(folder, name).relative_to(root).as_posix() for name in sorted(names))
