"""YAML of Rails and Symfony.

Sources: Rails, "Internationalization API", whose root key is the language; Symfony, "Translations".
"""

from collections import defaultdict
from typing import ClassVar

from app.documents.document import language_of
from app.documents.strings.entry import PLURALS, StringEntry, StringFormat
from app.documents.strings.keys import unique
from app.documents.strings.yaml_texts import spelled_yaml, yaml_texts

__all__ = ["Yaml"]


class Yaml(StringFormat):
    """Scalars that are strings, at any depth."""

    name: ClassVar = "yaml"
    title: ClassVar = "YAML (Rails, Symfony)"
    suffixes: ClassVar = (".yml", ".yaml")

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Strings by their path of keys, with dots. A root key that is a language is no part of the path."""
        leaves = [leaf for leaf in yaml_texts(text, name) if leaf.value.strip() and leaf.path]
        roots = {leaf.path[0] for leaf in leaves}
        language = language_of(next(iter(roots))) if len(roots) == 1 else None
        begin = 1 if language is not None and all(len(leaf.path) > 1 for leaf in leaves) else 0
        members: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for leaf in leaves:
            members[leaf.path[:-1]].add(leaf.path[-1])
        entries = []
        for path, value, start, end in leaves:
            is_plural = "other" in members[path[:-1]] and members[path[:-1]] <= set(PLURALS)
            key = ".".join(path[begin:-1] if is_plural else path[begin:])
            plural = path[-1] if is_plural else ""
            entries.append(StringEntry(key, value, start, end, plural, language=language if begin else None))
        return unique(entries, text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """A scalar in double quotes."""
        return spelled_yaml(new)
