"""Languages of string files by their paths, and the file of the source beside each translation.

A path names its language by a folder (``locales/de/x.json``, ``values-pt-rBR/strings.xml``, ``de.lproj/x.strings``)
or within the name (``de.json``, ``app_de.arb``, ``Resources.de.resx``). The source has its own language in this place, or none.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, NamedTuple

from app.documents.document import language_of
from app.running.deadline import awaited
from app.text.language_tags import is_known, read_tag
from app.text.languages import is_variety, same_language

__all__ = ["Layout", "TranslationPath", "path_languages", "translation_paths"]

TAG: Final = r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}"
FOLDER: Final = re.compile(TAG)
APPLE: Final = re.compile(rf"({TAG})\.lproj")
ANDROID: Final = re.compile(r"values-(b\+[A-Za-z0-9+]{2,20}|[a-z]{2,3}(?:-r[A-Z]{2})?)")
SEPARATOR: Final = re.compile(r"[._-]")
# Parts of a tag: language, script, region.
TAG_LENGTH: Final = 3
BEGIN_OF_NAME: Final = re.compile(rf"({TAG})[._-]")
# Regions in the place of languages, which are no languages.
LANGUAGES_OF_REGIONS: Final = {
    "cz": "cs", "dk": "da", "jp": "ja", "cn": "zh", "tw": "zh-TW", "ua": "uk", "gr": "el", "vn": "vi", "rs": "sr", "by": "be",
    "al": "sq",
}  # fmt: skip
# Names of books, some of them as languages: DEU is Deuteronomy, HEB the letter to the Hebrews.
BOOKS: Final = (".usfm", ".sfm")
HOLE: Final = "\0"
# Formats whose programs load the file without a language for all languages.
WITH_DEFAULT: Final = (".properties", ".resx", ".resw")
# Names of Android in folders of languages: moko-resources has its default in another folder.
MOKO: Final = {"strings.xml": "base", "plurals.xml": "base"}


class TranslationPath(NamedTuple):
    """A translated file: its path, its language, and the path of its source."""

    path: str
    language: str
    source: str


class Layout(NamedTuple):
    """Paths of sources and of their translations: ``{path}`` is any path, ``{language}`` a tag. ``*`` has no meaning."""

    source: str
    translation: str


class _Place(NamedTuple):
    """A place of a path that names a language: the path with a hole there, and the path without that part.

    `has_default` is true if programs load the path without that part for all languages.
    """

    template: str
    language: str
    without: str
    has_default: bool


def translation_paths(
    paths: Collection[str],
    source_language: str,
    layouts: Sequence[Layout] = (),
    is_empty: Callable[[str], bool] = lambda path: False,
) -> dict[str, TranslationPath]:
    """Translated files by path, among `paths` that have their source there too; `layouts` come first. O(paths × folders).

    A variety of the source language is a translation only beside a source in the plain language, or a default. An empty file in the
    source language leaves the place to the default: Java needs one, so that English is not replaced by the language of the machine.
    """
    path_set = frozenset(paths)
    places = {path: list(_places(path)) for path in path_set}
    sources: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, path_places in places.items():
        for place in path_places:
            if same_language(place.language, source_language):
                sources[place.template].append((place.language, path))
    translations = {path.path: path for layout in layouts for path in _matches(path_set, layout, source_language)}
    for path in sorted(path_set - translations.keys()):
        for place in places[path]:
            names = dict.fromkeys(_candidates(place, sources[place.template], source_language))
            candidates = [name for name in names if name in path_set and name != path]
            source = next((name for name in candidates[:-1] if not is_empty(name)), candidates[-1] if candidates else None)
            if source is not None:
                translations[path] = TranslationPath(path, place.language, source)
                break
    return translations


def _candidates(place: _Place, sources: Sequence[tuple[str, str]], source_language: str) -> Iterator[str]:
    """Paths of a possible source: the plain language, the default of programs, a region of the language, another default."""
    is_own_language = same_language(place.language, source_language)
    if is_own_language and not is_variety(place.language, source_language):
        return
    yield from (path for tag, path in sources if tag == source_language)
    if place.has_default:
        yield place.without
    if not is_own_language:
        yield from (path for _, path in sorted(sources))
        yield place.without


def path_languages(path: str) -> list[str]:
    """Languages that a path may name, the likeliest first."""
    return [place.language for place in _places(path)]


def _matches(paths: frozenset[str], layout: Layout, source_language: str) -> Iterator[TranslationPath]:
    """Translations whose paths follow a layout."""
    pattern = re.escape(layout.translation).replace(r"\{language\}", f"(?P<language>{TAG})", 1)
    pattern = pattern.replace(r"\{path\}", "(?P<path>.+)", 1)
    for path in awaited(paths):
        match = re.fullmatch(pattern, path)
        language = None if match is None else language_of(match["language"])
        if match is None or language is None:
            continue
        if is_variety(language, source_language) or not same_language(language, source_language):
            source = layout.source.replace("{path}", match.groupdict().get("path") or "")
            if source in paths and source != path:
                yield TranslationPath(path, language, source)


def _places(path: str) -> Iterator[_Place]:
    """Places that may name a language: all with one tag together, then each alone, the last first."""
    spans = list(dict.fromkeys(_spans(path)))
    tags = {path[start:end] for start, end, *_ in spans}
    for tag in sorted(tags):
        equal_spans = [span for span in spans if path[span[0] : span[1]] == tag]
        if len(equal_spans) > 1:
            yield from _place(path, equal_spans)
    for span in reversed(spans):
        yield from _place(path, [span])


def _place(path: str, spans: list[tuple[int, int, int, int, str]]) -> Iterator[_Place]:
    """The place of equal tags; none if they are no language."""
    start, end, *_ = spans[0]
    text = _canonical(path[start:end])
    tag = read_tag(LANGUAGES_OF_REGIONS.get(text.lower(), text))
    if tag is None or not is_known(tag):
        return
    template = without = path
    # Folders of Android and Apple have another folder in their place; a part of a name has none.
    is_bundle = path.lower().endswith(WITH_DEFAULT)
    has_default = all(replacement or (is_bundle and path[last - 1] != "/") for *_, last, replacement in spans)
    for start, end, first, last, replacement in reversed(spans):
        template = f"{template[:start]}{HOLE}{template[end:]}"
        without = f"{without[:first]}{replacement}{without[last:]}"
    yield _Place(template, str(tag), without, has_default)


def _canonical(tag: str) -> str:
    """The tag of Android's folders: ``b+sr+Latn``, ``pt-rBR``."""
    return tag.removeprefix("b+").replace("+", "-").replace("-r", "-") if "+" in tag or "-r" in tag else tag


def _spans(path: str) -> Iterator[tuple[int, int, int, int, str]]:
    """Places of possible tags; then the part around each that a source may lack, and its replacement there."""
    at = 0
    *folders, name = path.split("/")
    for folder in folders:
        end = at + len(folder)
        apple, android = APPLE.fullmatch(folder), ANDROID.fullmatch(folder)
        if apple is not None:
            yield at, at + apple.end(1), at, end, "Base.lproj"
        elif android is not None:
            yield at + android.start(1), end, at, end, "values"
        elif FOLDER.fullmatch(folder) is not None:
            default = MOKO.get(name, "")
            yield at, end, at, end if default else end + 1, default
        at = end + 1
    if name.lower().endswith(BOOKS):
        return
    stem = name[: name.find(".", 1)] if "." in name[1:] else name
    if FOLDER.fullmatch(stem) is not None:
        yield at, at + len(stem), at, at + len(stem), stem
    begin = BEGIN_OF_NAME.match(name)
    if begin is not None:
        yield at, at + begin.end(1), at, at + begin.end(1), begin[1]
    # The longest tag comes last, since places are tried from the last on: fr_CA before CA.
    separators = [match.start() for match in SEPARATOR.finditer(name, 1)]
    end = separators[-1] if separators and name[separators[-1]] == "." else len(name)
    for start in reversed([separator for separator in separators if separator < end][-TAG_LENGTH:]):
        if FOLDER.fullmatch(name, start + 1, end) is not None:
            yield at + start + 1, at + end, at + start, at + end, ""
