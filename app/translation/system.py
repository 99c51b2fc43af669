"""A phrase-based system as a configuration describes it: features in columns, tables as rows, and their weighted sums."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s, UInt64s
from app.errors import InputError
from app.translation.language_models import JointModel, open_trie
from app.translation.moses_ini import FeatureLine, MosesIni, read_moses_ini
from app.translation.phrase_table import PhraseRows, Vocabulary, join_rows, read_phrase_table
from app.translation.reordering import ReorderingType, read_reordering_table, reordering_type

__all__ = ["Reordering", "System", "load_system"]

# Moses prints what depends on what was translated before first.
STATEFUL: Final = ("KENLM", "Distortion", "LexicalReordering")


@dataclass(frozen=True)
class Reordering:
    """A lexicalised model: its type, its scores of each row, and where they stand among all scores."""

    kind: ReorderingType
    scores: Float64s
    begin: int


@dataclass(frozen=True)
class System:
    """All that a sentence is translated with.

    `rows` are the phrase pairs that the tables' limits left, by source; those of ``sources[i]`` are ``begins[i]`` to ``begins[i +
    1]``. ``numbers`` are their words as the language models call them. Weighted and in natural logarithms: `static` is what a row
    costs wherever it stands, `backward` and `forward` (rows, 2, 4) what lexicalised reordering says in each of four orientations,
    of phrases and of blocks. Rows of one of `classes` have the same forward scores; class 0 has none.
    """

    ini: MosesIni
    features: tuple[FeatureLine, ...]
    begins_of: dict[str, int]
    weights: Float64s
    vocabulary: Vocabulary
    models: JointModel
    model_names: tuple[str, ...]
    table_columns: Int64s
    rows: PhraseRows
    sources: UInt64s
    begins: Int64s
    numbers: Int32s
    static: Float64s
    backward: Float64s
    forward: Float64s
    classes: Int64s
    reordering: tuple[Reordering, ...]
    tables: Int64s

    def table_of(self, row: int) -> str:
        """The name of the table that a row is from."""
        return self._tables[int(self.tables[row])].name

    def table_scores(self, row: int) -> list[float]:
        """The logarithms of a row's scores in the table that it is from."""
        table = self._tables[int(self.tables[row])]
        columns = self.table_columns - self.begins_of[table.name]
        inside = (columns >= 0) & (columns < len(table.weights))
        return [float(score) for score in self.rows.scores[row, inside]]

    @property
    def _tables(self) -> list[FeatureLine]:
        return [feature for feature in self.features if feature.kind == "PhraseDictionaryMemory"]

    def weight(self, kind: str) -> float:
        """The weight of a feature that there is one of at most; 0 where it is not there."""
        return next((feature.weights[0] for feature in self.features if feature.kind == kind), 0.0)

    def begin_of(self, kind: str) -> int | None:
        """The column of a feature that there is one of at most."""
        return next((self.begins_of[feature.name] for feature in self.features if feature.kind == kind), None)


def load_system(path: Path) -> System:
    """Load what a ``moses.ini`` names; InputError says what is wrong with which file, or is not done here."""
    ini = read_moses_ini(path)
    features = tuple(sorted(ini.features, key=lambda feature: feature.kind not in STATEFUL))
    begins_of: dict[str, int] = {}
    for feature in features:
        begins_of[feature.name] = sum(len(other.weights) for other in features[: len(begins_of)])
    weights = np.array([weight for feature in features for weight in feature.weights])
    of_kind = {kind: [feature for feature in features if feature.kind == kind] for kind in {feature.kind for feature in features}}
    language = of_kind.get("KENLM", [])
    models = JointModel([open_trie(ini.path(feature)) for feature in language], [feature.weights[0] for feature in language])
    vocabulary = Vocabulary()
    words = -sum(feature.weights[0] for feature in of_kind.get("WordPenalty", []))
    phrases = sum(feature.weights[0] for feature in of_kind.get("PhrasePenalty", []))
    tables, statics = [], []
    for feature in of_kind["PhraseDictionaryMemory"]:
        table = read_phrase_table(ini.path(feature), len(feature.weights), vocabulary)
        static = table.scores @ np.array(feature.weights) + words * np.diff(table.offsets) + phrases
        alone = static + models.isolated(models.number(vocabulary.words)[table.words], table.offsets)
        chosen = _best(table.sources, alone, feature.number("table-limit", 20))
        tables.append(table.rows(chosen))
        statics.append(static[chosen])
    rows = join_rows(tables)
    order = np.argsort(rows.sources, kind="stable")
    rows, static = rows.rows(order), np.concatenate(statics)[order]
    origin = np.repeat(np.arange(len(tables)), [len(table) for table in tables])[order]
    sources, begins = np.unique(rows.sources, return_index=True)
    reordering = tuple(_reordering(ini, feature, rows, begins_of[feature.name]) for feature in of_kind.get("LexicalReordering", []))
    backward, forward = _oriented(reordering, weights, len(rows))
    none = np.zeros((1, 8))
    _, classes = np.unique(np.concatenate([none, forward.reshape(-1, 8)]), axis=0, return_inverse=True)
    classes = np.where(classes == classes[0], 0, np.where(classes == 0, classes[0], classes))
    table_columns = np.concatenate(
        [np.arange(len(feature.weights)) + begins_of[feature.name] for feature in of_kind["PhraseDictionaryMemory"]]
    )
    return System(
        ini, features, begins_of, weights, vocabulary, models, tuple(feature.name for feature in language),
        table_columns,
        rows, sources, np.append(begins, len(rows)), models.number(vocabulary.words)[rows.words], static, backward, forward,
        classes.reshape(-1)[1:].astype(np.int64), reordering, origin,
    )  # fmt: skip


def _best(sources: UInt64s, scores: Float64s, limit: int) -> Int64s:
    """The rows with the `limit` best scores of each source, all of them where it is 0, in the order of sources and scores."""
    order = np.lexsort((np.arange(len(scores)), -scores, sources))
    if limit <= 0:
        return order
    firsts = np.flatnonzero(np.concatenate([[True], sources[order][1:] != sources[order][:-1]]))
    rank = np.arange(len(order)) - np.repeat(firsts, np.diff(np.append(firsts, len(order))))
    return order[rank < limit]


def _reordering(ini: MosesIni, feature: FeatureLine, rows: PhraseRows, begin: int) -> Reordering:
    kind = reordering_type(feature.parameters.get("type", ""))
    if kind.scores != len(feature.weights):
        raise InputError(
            "invalid-request", f"{feature.name} is of a type with {kind.scores} scores and has {len(feature.weights)} weights"
        )
    return Reordering(kind, read_reordering_table(ini.path(feature), kind, rows), begin)


def _oriented(reordering: tuple[Reordering, ...], weights: Float64s, count: int) -> tuple[Float64s, Float64s]:
    """What all models together say of each row in each orientation, in both directions."""
    both = np.zeros((2, count, 2, 4))
    for model in reordering:
        for direction, there in enumerate((model.kind.backward, model.kind.forward)):
            if there:
                columns = model.kind.columns_of(direction == 0)
                weighted = model.scores * weights[model.begin : model.begin + model.kind.scores]
                both[direction, :, int(model.kind.hierarchical)] += weighted[:, columns]
    return both[0], both[1]
