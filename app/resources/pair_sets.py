"""Sets of resources of a language pair: the shipped set, or the set that a user built."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.resources.bags_of_words import BagsOfWords
from app.resources.corpus_index import CorpusIndex
from app.resources.folder import ResourceFolder
from app.resources.languages import LanguageResources
from app.resources.lazy import Lazy, LazyMapping
from app.resources.lexical_table import LexicalTable
from app.text.languages import LanguagePair

__all__ = ["BAGS", "Directions", "FileRecords", "PairParts", "PairSet"]

# Name among all resources and SHA-256 of each file, by its role for the pair.
FileRecords = Mapping[str, tuple[str, str]]
INDEX: Final = "index.safetensors"
BAGS: Final = "bags.safetensors"


class PairParts:
    """Parts of a pair's folder: lexical tables of both directions, and optionally an index of its text and bags of words."""

    def __init__(self, folder: ResourceFolder) -> None:
        self.pair = LanguagePair.parse(folder.name)
        names = {direction: f"lex.{direction.file_name}.safetensors" for direction in (self.pair, self.pair.reversed)}
        self.tables = {direction: folder.part(LexicalTable.load, name) for direction, name in names.items()}
        self.table_files = {direction: folder.recorded(name) for direction, name in names.items()}
        self.index = folder.part(CorpusIndex.load, INDEX) if (folder.path / INDEX).is_file() else None
        self.index_file = folder.recorded(INDEX)
        self.bags = folder.part(BagsOfWords.load, BAGS) if (folder.path / BAGS).is_file() else None
        self.bags_file = folder.recorded(BAGS)

    def load(self) -> None:
        """Load every part."""
        for table in self.tables.values():
            table()
        for part in (self.index, self.bags):
            if part is not None:
                part()


@dataclass(frozen=True)
class Directions:
    """Lexical tables, corpus indexes and bags of words by direction, with the file of each."""

    tables: LazyMapping[LanguagePair, LexicalTable]
    indexes: LazyMapping[LanguagePair, CorpusIndex]
    bags: LazyMapping[LanguagePair, BagsOfWords]
    table_files: Mapping[LanguagePair, tuple[str, str] | None]
    index_files: Mapping[LanguagePair, tuple[str, str] | None]
    bags_files: Mapping[LanguagePair, tuple[str, str] | None]

    @classmethod
    def of(cls, parts: Sequence[PairParts]) -> "Directions":
        """Combine folders: the first table of a direction wins, and an index of the direction wins over a reversed one."""
        tables: dict[LanguagePair, Lazy[LexicalTable]] = {}
        table_files: dict[LanguagePair, tuple[str, str] | None] = {}
        for part in parts:
            for direction, table in part.tables.items():
                if direction not in tables:
                    tables[direction], table_files[direction] = table, part.table_files[direction]
        indexes = {part.pair.reversed: Lazy(_reverse(part.index)) for part in parts if part.index is not None}
        indexes |= {part.pair: part.index for part in parts if part.index is not None}
        index_files = {part.pair.reversed: part.index_file for part in parts} | {part.pair: part.index_file for part in parts}
        bags = {part.pair: part.bags for part in parts if part.bags is not None}
        bags_files = {part.pair: part.bags_file for part in parts}
        return cls(LazyMapping(tables), LazyMapping(indexes), LazyMapping(bags), table_files, index_files, bags_files)


def _reverse(index: Lazy[CorpusIndex]) -> Callable[[], CorpusIndex]:
    return lambda: CorpusIndex(index().target, index().source)


@dataclass(frozen=True)
class PairSet:
    """Resources of a pair that were built together; `own` is True if a user built them."""

    pair: LanguagePair
    own: bool
    source: LanguageResources
    target: LanguageResources
    directions: Directions

    @property
    def table(self) -> LexicalTable | None:
        """Translations of source words; None if there is no table."""
        return self.directions.tables.get(self.pair)

    @property
    def reverse_table(self) -> LexicalTable | None:
        """Translations of target words; None if there is no table."""
        return self.directions.tables.get(self.pair.reversed)

    @property
    def index(self) -> CorpusIndex | None:
        """Index of the training text; None if there is none."""
        return self.directions.indexes.get(self.pair)

    @property
    def bags_of_words(self) -> BagsOfWords | None:
        """Topics, triggers and word lexicon of this direction; None if there are none."""
        return self.directions.bags.get(self.pair)

    def load(self) -> None:
        """Load every part."""
        self.source.load()
        self.target.load()
        _ = self.table, self.reverse_table, self.index, self.bags_of_words

    @property
    def equals(self) -> Mapping[str, str]:
        """Names and SHA-256 of unused files that could replace files in use."""
        return {**self.source.equals, **self.target.equals}

    @property
    def file_records(self) -> FileRecords:
        """Files in manifests by their role; files outside manifests, such as a foreign tagger, are left out."""
        model, counts, tagger, _ = self.source.file_records
        target_model, target_counts, target_tagger, tag_model = self.target.file_records
        files = {
            "source_model": model,
            "target_model": target_model,
            "source_counts": counts,
            "target_counts": target_counts,
            "lexical_table": self.directions.table_files.get(self.pair),
            "reverse_table": self.directions.table_files.get(self.pair.reversed),
            "source_tagger": tagger,
            "target_tagger": target_tagger,
            "target_tag_model": tag_model,
            "corpus_index": self.directions.index_files.get(self.pair),
            "bags_of_words": self.directions.bags_files.get(self.pair),
        }
        for side, language in (("source", self.source), ("target", self.target)):
            files |= {f"{side}_{kind}": file for kind, file in language.annotator_records.items()}
        return {name: file for name, file in files.items() if file is not None}
