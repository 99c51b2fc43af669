"""Open files of a configuration: each is mapped once and serves any number of texts."""

from dataclasses import dataclass
from pathlib import Path

from app.smt.corpus.phrases.compact import CompactTable, is_compact
from app.smt.decoder.language_models import JointModel, open_trie
from app.smt.decoder.moses_ini import MosesIni

__all__ = ["OpenedFiles", "open_files"]


@dataclass(frozen=True, eq=False)
class OpenedFiles:
    """Language models, phrase tables and orientation tables, in the configuration's order.

    Compact tables are mapped; text tables are read again for each text. `models` have no words yet; systems use copies of them.
    """

    ini: MosesIni
    models: JointModel
    tables: tuple[Path | CompactTable, ...]
    orders: tuple[Path | CompactTable, ...]

    @property
    def longest(self) -> int:
        """Words of the longest source phrase in the search; text tables count as long as the limit allows."""
        limit = self.ini.limits.phrase_length
        return min(
            limit, max((table.longest if isinstance(table, CompactTable) else limit for table in self.tables), default=limit)
        )


def open_files(ini: MosesIni) -> OpenedFiles:
    """Open the files of a configuration; InputError names a file that is missing or has another format."""
    language = [feature for feature in ini.features if feature.kind == "KENLM"]
    models = JointModel([open_trie(ini.path(feature)) for feature in language], [feature.weights[0] for feature in language])
    return OpenedFiles(ini, models, _tables(ini, "PhraseDictionaryMemory"), _tables(ini, "LexicalReordering"))


def _tables(ini: MosesIni, kind: str) -> tuple[Path | CompactTable, ...]:
    paths = [ini.path(feature) for feature in ini.features if feature.kind == kind]
    return tuple(CompactTable.open(path) if is_compact(path) else path for path in paths)
