"""The files that a configuration names, open: what is mapped is mapped once, for as many texts as there are."""

from dataclasses import dataclass
from pathlib import Path

from app.smt.corpus.phrases.compact import CompactTable, is_compact
from app.smt.decoder.language_models import JointModel, open_trie
from app.smt.decoder.moses_ini import MosesIni

__all__ = ["OpenedFiles", "open_files"]


@dataclass(frozen=True, eq=False)
class OpenedFiles:
    """Language models, and phrase tables and tables of orientations in the configuration's order.

    Compact tables are mapped; others are read anew for each text. `models` know no words yet, and are not to be asked: systems
    have copies of them.
    """

    ini: MosesIni
    models: JointModel
    tables: tuple[Path | CompactTable, ...]
    orders: tuple[Path | CompactTable, ...]

    @property
    def longest(self) -> int:
        """Words of the longest source phrase that the search may use; how long those of a text table are is not known yet."""
        limit = self.ini.limits.phrase_length
        return min(limit, max((t.longest if isinstance(t, CompactTable) else limit for t in self.tables), default=limit))


def open_files(ini: MosesIni) -> OpenedFiles:
    """Open them; InputError names one that is not there, or is not what it should be."""
    language = [feature for feature in ini.features if feature.kind == "KENLM"]
    models = JointModel([open_trie(ini.path(feature)) for feature in language], [feature.weights[0] for feature in language])
    return OpenedFiles(ini, models, _tables(ini, "PhraseDictionaryMemory"), _tables(ini, "LexicalReordering"))


def _tables(ini: MosesIni, kind: str) -> tuple[Path | CompactTable, ...]:
    paths = [ini.path(feature) for feature in ini.features if feature.kind == kind]
    return tuple(CompactTable.open(path) if is_compact(path) else path for path in paths)
