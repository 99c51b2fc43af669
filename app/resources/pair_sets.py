"""The resources that belong together for a pair: those that ship, or those that a user built, which go first among themselves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.resources.corpus_index import CorpusIndex
from app.resources.folder import ResourceFolder
from app.resources.languages import LanguageResources
from app.resources.lazy import Lazy, LazyMapping
from app.resources.lexical_table import LexicalTable
from app.text.languages import LanguagePair

__all__ = ["Directions", "PairParts", "PairSet", "Recorded"]

# Names of files among all resources and their SHA-256, by what they are for the pair.
Recorded = Mapping[str, tuple[str, str]]
INDEX: Final = "index.safetensors"


class PairParts:
    """What a pair's folder holds: lexical tables both ways, and, where there is one, an index of its text."""

    def __init__(self, folder: ResourceFolder) -> None:
        self.pair = LanguagePair.parse(folder.name)
        names = {direction: f"lex.{direction.file_name}.safetensors" for direction in (self.pair, self.pair.reversed)}
        self.tables = {direction: folder.part(LexicalTable.load, name) for direction, name in names.items()}
        self.table_files = {direction: folder.recorded(name) for direction, name in names.items()}
        self.index = folder.part(CorpusIndex.load, INDEX) if (folder.path / INDEX).is_file() else None
        self.index_file = folder.recorded(INDEX)

    def load(self) -> None:
        """Load every part now."""
        for table in self.tables.values():
            table()
        if self.index is not None:
            self.index()


@dataclass(frozen=True)
class Directions:
    """Lexical tables and corpus indexes of both directions of some pairs, with the file that each comes from."""

    tables: LazyMapping[LanguagePair, LexicalTable]
    indexes: LazyMapping[LanguagePair, CorpusIndex]
    table_files: Mapping[LanguagePair, tuple[str, str] | None]
    index_files: Mapping[LanguagePair, tuple[str, str] | None]

    @classmethod
    def of(cls, parts: Sequence[PairParts]) -> "Directions":
        """Those of some folders: the first that has a table, and an index of the direction itself before a turned one."""
        tables: dict[LanguagePair, Lazy[LexicalTable]] = {}
        table_files: dict[LanguagePair, tuple[str, str] | None] = {}
        for part in parts:
            for direction, table in part.tables.items():
                if direction not in tables:
                    tables[direction], table_files[direction] = table, part.table_files[direction]
        indexes = {part.pair.reversed: Lazy(_turn(part.index)) for part in parts if part.index is not None}
        indexes |= {part.pair: part.index for part in parts if part.index is not None}
        index_files = {part.pair.reversed: part.index_file for part in parts} | {part.pair: part.index_file for part in parts}
        return cls(LazyMapping(tables), LazyMapping(indexes), table_files, index_files)


def _turn(index: Lazy[CorpusIndex]) -> Callable[[], CorpusIndex]:
    return lambda: CorpusIndex(index().target, index().source)


@dataclass(frozen=True)
class PairSet:
    """The resources of a pair that go together; `own` says that a user built them."""

    pair: LanguagePair
    own: bool
    source: LanguageResources
    target: LanguageResources
    directions: Directions

    @property
    def table(self) -> LexicalTable | None:
        """Translations of source words."""
        return self.directions.tables.get(self.pair)

    @property
    def reverse_table(self) -> LexicalTable | None:
        """Translations of target words."""
        return self.directions.tables.get(self.pair.reversed)

    @property
    def index(self) -> CorpusIndex | None:
        """The text that they were built from."""
        return self.directions.indexes.get(self.pair)

    def load(self) -> None:
        """Load every part now."""
        self.source.load()
        self.target.load()
        _ = self.table, self.reverse_table, self.index

    @property
    def equals(self) -> Mapping[str, str]:
        """Names and SHA-256 of files that lie beside those in use and do the same work."""
        return {**self.source.equals, **self.target.equals}

    @property
    def recorded(self) -> Recorded:
        """The files, as manifests have them; what has none, as somebody else's tagger, is not among them."""
        model, counts, tagger, _ = self.source.recorded
        target_model, _, target_tagger, tag_model = self.target.recorded
        files = {
            "source_model": model,
            "target_model": target_model,
            "source_counts": counts,
            "lexical_table": self.directions.table_files.get(self.pair),
            "reverse_table": self.directions.table_files.get(self.pair.reversed),
            "source_tagger": tagger,
            "target_tagger": target_tagger,
            "target_tag_model": tag_model,
            "corpus_index": self.directions.index_files.get(self.pair),
        }
        return {name: file for name, file in files.items() if file is not None}
