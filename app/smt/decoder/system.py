"""A phrase-based system as a configuration describes it: features in columns, tables as rows, and their weighted sums."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s, UInt64s
from app.errors import InputError
from app.smt.corpus.phrases.compact import CompactTable
from app.smt.decoder.language_models import JointModel
from app.smt.decoder.moses_ini import FeatureLine, MosesIni, read_moses_ini
from app.smt.decoder.opened_files import OpenedFiles, open_files
from app.smt.decoder.phrase_table import PhraseRows, Vocabulary, join_rows, read_phrase_table
from app.smt.decoder.reordering import ReorderingType, read_reordering_table, reordering_type
from app.smt.decoder.sparse.features import SparseFeatures, SparseWeights
from app.smt.decoder.sparse.reading import read_sparse_features
from app.smt.decoder.tables.rows import chosen_rows, merged_rows
from app.smt.decoder.text_phrases import TextPhrases
from app.text.hashing import hash_slices

__all__ = ["Parts", "Reordering", "System", "load_parts", "load_system", "parts_of", "system_of"]

# Moses prints what depends on what was translated before first.
STATEFUL: Final = ("KENLM", "Distortion", "LexicalReordering", "PhraseBoundaryFeature", "TargetBigramFeature")


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
    of phrases and of blocks. ``ways[r]`` is the way of row r. Rows of one of `classes` have the same forward scores; class 0 has
    none. `weights` are those of dense features; `sparse` are the others, of which `sparse_weights` may be of any.
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
    ways: Int64s
    sparse: SparseFeatures
    sparse_weights: SparseWeights

    @property
    def has_sparse(self) -> bool:
        """Whether there are features without a column."""
        return bool(self.sparse.pairs or self.sparse.boundaries or self.rows.sparse is not None)

    def tables_of(self, row: int) -> list[str]:
        """The names of the tables that a row is from: one, or all of its way."""
        return [table.name for table in self._tables_of(row)]

    def table_scores(self, row: int) -> list[float]:
        """The logarithms of a row's scores in the tables that it is from."""
        columns = [self.begins_of[table.name] + number for table in self._tables_of(row) for number in range(len(table.weights))]
        return [float(score) for score in self.rows.scores[row, np.searchsorted(self.table_columns, columns)]]

    def _tables_of(self, row: int) -> list[FeatureLine]:
        tables = _of_kind(self.features, "PhraseDictionaryMemory")
        return [tables[table] for table in self.ini.ways[int(self.ways[row])]]

    @property
    def first_table(self) -> slice:
        """The columns of the first table, which translations that are given have their scores in."""
        table = _of_kind(self.features, "PhraseDictionaryMemory")[0]
        return slice(self.begins_of[table.name], self.begins_of[table.name] + len(table.weights))

    def weight(self, kind: str) -> float:
        """The weight of a feature that there is one of at most; 0 where it is not there."""
        return next((feature.weights[0] for feature in self.features if feature.kind == kind), 0.0)

    def begin_of(self, kind: str) -> int | None:
        """The column of a feature that there is one of at most."""
        return next((self.begins_of[feature.name] for feature in self.features if feature.kind == kind), None)


def load_system(path: Path, only: TextPhrases | None = None, weight_file: Path | None = None) -> System:
    """Load what a ``moses.ini`` names, or as much of it as translates `only` a text, maybe with another file of sparse weights.

    InputError says what is wrong with which file, or is not done here.
    """
    return system_of(load_parts(path, only, fixed=True, weight_file=weight_file))


@dataclass(frozen=True, eq=False)
class Parts:
    """What a configuration names, loaded once: `system_of` makes systems of it with any weights, without a look at the files.

    `tables` have the rows of each table, `reordering` the models' scores of all rows, those of the tables one after the other.
    Weights are of the dense columns and then of sparse features by number; those that came up since it was made are 0.
    """

    ini: MosesIni
    features: tuple[FeatureLine, ...]
    vocabulary: Vocabulary
    models: JointModel
    tables: tuple[PhraseRows, ...]
    reordering: tuple[Reordering, ...]
    sparse: SparseFeatures

    @property
    def dense(self) -> int:
        """How many dense columns there are."""
        return sum(len(feature.weights) for feature in self.features)

    @property
    def has_sparse(self) -> bool:
        """Whether there are features without a column."""
        return bool(self.sparse.pairs or self.sparse.boundaries or any(table.sparse is not None for table in self.tables))

    @property
    def names(self) -> tuple[str, ...]:
        """The features' names in the order of the weights, a name once for each of its scores; sparse ones that came up so far."""
        return (*(feature.name for feature in self.features for _ in feature.weights), *self.sparse.names.names)

    @property
    def weights(self) -> Float64s:
        """Those of the configuration."""
        return np.array([*(weight for feature in self.features for weight in feature.weights), *self.sparse.vector().tolist()])


def load_parts(
    path: Path, only: TextPhrases | Iterable[str] | None = None, fixed: bool = False, weight_file: Path | None = None
) -> Parts:
    """Load what a ``moses.ini`` names, of tables what a text needs, or `only` these source phrases; InputError as of `load_system`.

    With `fixed`, rows beyond the tables' limits are left out at once: right for the configuration's own weights, and no others.
    """
    return parts_of(open_files(read_moses_ini(path, weight_file)), only, fixed)


def parts_of(files: OpenedFiles, only: TextPhrases | Iterable[str] | None = None, fixed: bool = False) -> Parts:
    """The same of files that are open, which stay as they are."""
    if only is not None and not isinstance(only, TextPhrases):
        only = TextPhrases.of_phrases(only)
    # Of a pipe tables are read whole: both have to hold the phrases that the search may use, however long.
    only = None if only is None else only.limited(files.longest)
    ini = files.ini
    sparse = read_sparse_features(ini)
    features = tuple(sorted(ini.features, key=lambda feature: feature.kind not in STATEFUL))
    models = files.models.weighted([feature.weights[0] for feature in _of_kind(features, "KENLM")])
    vocabulary = Vocabulary()
    tables = []
    for feature, file in zip(_of_kind(features, "PhraseDictionaryMemory"), files.tables, strict=True):
        if sparse.pairs and isinstance(file, CompactTable):
            name = Path(feature.parameters["path"]).name
            detail = f"{name} is compact, which leaves no words of the source for {sparse.pairs[0].name}; give the table as text"
            raise InputError("invalid-request", detail, (name,))
        table = read_phrase_table(file, len(feature.weights), vocabulary, only, sparse.of_table(feature.name))
        tables.append(table.rows(chosen_rows(table, feature, features, models, vocabulary, sparse)[0]) if fixed else table)
    joined = join_rows(tables)
    begins_of = _begins(features)
    reordering = tuple(
        _reordering(file, feature, joined, begins_of[feature.name], only)
        for feature, file in zip(_of_kind(features, "LexicalReordering"), files.orders, strict=True)
    )
    return Parts(ini, features, vocabulary, models, tuple(tables), reordering, sparse)


def system_of(parts: Parts, weights: Float64s | None = None) -> System:
    """A system with these weights, in the order of ``parts.names``; with those of its configuration where there are none."""
    weights = parts.weights if weights is None else np.asarray(weights, np.float64)
    weights, of_sparse = weights[: parts.dense], weights[parts.dense :]
    begins_of = _begins(parts.features)
    features = tuple(
        replace(feature, weights=tuple(weights[begins_of[feature.name] :][: len(feature.weights)].tolist()))
        for feature in parts.features
    )
    language = _of_kind(features, "KENLM")
    models = parts.models.weighted([feature.weights[0] for feature in language])
    vocabulary = parts.vocabulary
    dictionaries = _of_kind(features, "PhraseDictionaryMemory")
    choices = [
        chosen_rows(table, feature, features, models, vocabulary, parts.sparse, of_sparse)
        for table, feature in zip(parts.tables, dictionaries, strict=True)
    ]
    rows, static, origin, places = merged_rows(parts.ini.ways, parts.tables, choices, dictionaries, parts.sparse, of_sparse)
    order = np.argsort(rows.sources, kind="stable")
    rows, static, origin, places = rows.rows(order), static[order], origin[order], places[order]
    sources, begins = np.unique(rows.sources, return_index=True)
    reordering = tuple(replace(model, scores=model.scores[places]) for model in parts.reordering)
    backward, forward = _oriented(reordering, weights, len(rows))
    _, classes = np.unique(_hashes(np.concatenate([np.zeros((1, 8)), forward.reshape(-1, 8)])), return_inverse=True)
    classes = np.where(classes == classes[0], 0, np.where(classes == 0, classes[0], classes))
    table_columns = np.concatenate([np.arange(len(feature.weights)) + begins_of[feature.name] for feature in dictionaries])
    return System(
        parts.ini, features, begins_of, weights, vocabulary, models, tuple(feature.name for feature in language),
        table_columns,
        rows, sources, np.append(begins, len(rows)), models.number(vocabulary.words)[rows.words], static, backward, forward,
        classes.reshape(-1)[1:].astype(np.int64), reordering, origin, parts.sparse, SparseWeights.of(parts.sparse, of_sparse),
    )  # fmt: skip


def _of_kind(features: Sequence[FeatureLine], kind: str) -> list[FeatureLine]:
    return [feature for feature in features if feature.kind == kind]


def _hashes(rows: Float64s) -> UInt64s:
    """A number of each row, which equal rows share."""
    # Of two zeros one is negative.
    numbers = np.ascontiguousarray(rows) + 0.0
    begins = np.arange(len(rows)) * numbers.itemsize * numbers.shape[1]
    hashes: UInt64s = hash_slices(numbers.reshape(-1).view(np.uint8), begins, begins + numbers.itemsize * numbers.shape[1])
    return hashes


def _begins(features: Sequence[FeatureLine]) -> dict[str, int]:
    """The first column of each feature."""
    ends = np.cumsum([len(feature.weights) for feature in features]).tolist()
    return dict(zip((feature.name for feature in features), [0, *ends], strict=False))


def _reordering(
    file: Path | CompactTable, feature: FeatureLine, rows: PhraseRows, begin: int, only: TextPhrases | None
) -> Reordering:
    kind = reordering_type(feature.parameters.get("type", ""))
    if kind.scores != len(feature.weights):
        raise InputError(
            "invalid-request", f"{feature.name} is of a type with {kind.scores} scores and has {len(feature.weights)} weights"
        )
    return Reordering(kind, read_reordering_table(file, kind, rows, only), begin)


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
