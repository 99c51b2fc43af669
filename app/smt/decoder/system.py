"""A phrase-based system as configured: features in columns, tables as rows, and their weighted sums."""

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
from app.smt.decoder.phrase_table import PhraseRows, PhraseVocabulary, join_rows, read_phrase_table
from app.smt.decoder.reordering import ReorderingType, read_reordering_table, reordering_type
from app.smt.decoder.sparse.features import SparseFeatures, SparseWeights
from app.smt.decoder.sparse.reading import read_sparse_features
from app.smt.decoder.tables.rows import merged_rows, select_rows
from app.smt.decoder.text_phrases import TextPhrases
from app.text.hashing import hash_slices

__all__ = ["Reordering", "System", "SystemParts", "load_parts", "load_system", "parts_of", "system_of"]

# Moses prints features first that depend on previous phrases.
STATEFUL: Final = ("KENLM", "Distortion", "LexicalReordering", "PhraseBoundaryFeature", "TargetBigramFeature")


@dataclass(frozen=True)
class Reordering:
    """A lexicalised model: its type, its scores of each row, and its first column."""

    kind: ReorderingType
    scores: Float64s
    begin: int


@dataclass(frozen=True)
class System:
    """Features, models, phrase pairs and weights for translating sentences.

    `rows` are the phrase pairs within the tables' limits, by source; rows of ``sources[i]`` are ``begins[i]`` to before ``begins[i
    + 1]``. ``numbers`` are their target words in the language models. The following are weighted natural logarithms: `static` is
    the score of a row in any context. `backward` and `forward` (rows, 2, 4) are reordering scores of each orientation, of phrases
    and of blocks. ``ways[r]`` is the way of row r. Rows with equal `classes` have equal forward scores, 0 in class 0. `weights` are
    those of dense features. `sparse` has the remaining features, with `sparse_weights`.
    """

    ini: MosesIni
    features: tuple[FeatureLine, ...]
    begins_of: dict[str, int]
    weights: Float64s
    vocabulary: PhraseVocabulary
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
        """Return True if the system has sparse features."""
        return bool(self.sparse.pairs or self.sparse.boundaries or self.rows.sparse is not None)

    def table_scores(self, row: int) -> list[float]:
        """Logarithms of a row's scores in its tables."""
        columns = [self.begins_of[table.name] + number for table in self.tables_of(row) for number in range(len(table.weights))]
        return [float(score) for score in self.rows.scores[row, np.searchsorted(self.table_columns, columns)]]

    def tables_of(self, row: int) -> list[FeatureLine]:
        """Tables of a row: one, or all tables of its way."""
        tables = _of_kind(self.features, "PhraseDictionaryMemory")
        return [tables[table] for table in self.ini.ways[int(self.ways[row])]]

    @property
    def first_table(self) -> slice:
        """Columns of the first table, which also hold scores of translations from markup."""
        table = _of_kind(self.features, "PhraseDictionaryMemory")[0]
        return slice(self.begins_of[table.name], self.begins_of[table.name] + len(table.weights))

    def weight(self, kind: str) -> float:
        """Weight of a feature that occurs at most once; 0 if the configuration lacks it."""
        return next((feature.weights[0] for feature in self.features if feature.kind == kind), 0.0)

    def begin_of(self, kind: str) -> int | None:
        """Column of a feature that occurs at most once; None if the configuration lacks it."""
        return next((self.begins_of[feature.name] for feature in self.features if feature.kind == kind), None)


def load_system(path: Path, text_phrases: TextPhrases | None = None, weight_file: Path | None = None) -> System:
    """Load the system of a ``moses.ini``, or with `text_phrases` only the rows for a text.

    `weight_file` replaces its file of sparse weights. InputError names the wrong file or the unsupported setting.
    """
    return system_of(load_parts(path, text_phrases, fixed_weights=True, weight_file=weight_file))


@dataclass(frozen=True, eq=False)
class SystemParts:
    """Loaded files of a configuration: `system_of` makes systems of them with any weights.

    `tables` are the rows of each table; `reordering` has scores of the rows of all tables in sequence. Weights are those of dense
    columns, then those of sparse features by number; sparse features that appeared after loading weigh 0.
    """

    ini: MosesIni
    features: tuple[FeatureLine, ...]
    vocabulary: PhraseVocabulary
    models: JointModel
    tables: tuple[PhraseRows, ...]
    reordering: tuple[Reordering, ...]
    sparse: SparseFeatures

    @property
    def dense(self) -> int:
        """Number of dense columns."""
        return sum(len(feature.weights) for feature in self.features)

    @property
    def has_sparse(self) -> bool:
        """Return True if the system has sparse features."""
        return bool(self.sparse.pairs or self.sparse.boundaries or any(table.sparse is not None for table in self.tables))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of features in the order of the weights: a dense name for each of its scores, then sparse names so far."""
        return (*(feature.name for feature in self.features for _ in feature.weights), *self.sparse.names.names)

    @property
    def weights(self) -> Float64s:
        """Weights of the configuration, in the order of `names`."""
        return np.array([*(weight for feature in self.features for weight in feature.weights), *self.sparse.vector().tolist()])


def load_parts(
    path: Path,
    text_phrases: TextPhrases | Iterable[str] | None = None,
    fixed_weights: bool = False,
    weight_file: Path | None = None,
) -> SystemParts:
    """Load the files of a ``moses.ini``; with `text_phrases`, a text or source phrases, only their rows.

    With `fixed_weights`, rows beyond the tables' limits are dropped at once, which is right for no weights but the configuration's.
    InputError as in `load_system`.
    """
    return parts_of(open_files(read_moses_ini(path, weight_file)), text_phrases, fixed_weights)


def parts_of(
    files: OpenedFiles, text_phrases: TextPhrases | Iterable[str] | None = None, fixed_weights: bool = False
) -> SystemParts:
    """Load parts from open files, which stay as they are; arguments as in `load_parts`."""
    if text_phrases is not None and not isinstance(text_phrases, TextPhrases):
        text_phrases = TextPhrases.of_phrases(text_phrases)
    # Pipes are read once, so tables and text must both allow all phrases that the search may use.
    text_phrases = None if text_phrases is None else text_phrases.limited(files.longest)
    ini = files.ini
    sparse = read_sparse_features(ini)
    features = tuple(sorted(ini.features, key=lambda feature: feature.kind not in STATEFUL))
    models = files.models.weighted([feature.weights[0] for feature in _of_kind(features, "KENLM")])
    vocabulary = PhraseVocabulary()
    tables = []
    for feature, file in zip(_of_kind(features, "PhraseDictionaryMemory"), files.tables, strict=True):
        if sparse.pairs and isinstance(file, CompactTable):
            name = Path(feature.parameters["path"]).name
            detail = f"{name} is compact and lacks source words for {sparse.pairs[0].name}; give the table as text"
            raise InputError("invalid-request", detail, (name,))
        table = read_phrase_table(file, len(feature.weights), vocabulary, text_phrases, sparse.of_table(feature.name))
        tables.append(table.rows(select_rows(table, feature, features, models, vocabulary, sparse)[0]) if fixed_weights else table)
    rows = join_rows(tables)
    begins_of = _begins(features)
    reordering = tuple(
        _reordering(file, feature, rows, begins_of[feature.name], text_phrases)
        for feature, file in zip(_of_kind(features, "LexicalReordering"), files.orders, strict=True)
    )
    return SystemParts(ini, features, vocabulary, models, tuple(tables), reordering, sparse)


def system_of(parts: SystemParts, weights: Float64s | None = None) -> System:
    """System with these weights, in the order of ``parts.names``; with those of its configuration by default."""
    weights = parts.weights if weights is None else np.asarray(weights, np.float64)
    weights, sparse_weights = weights[: parts.dense], weights[parts.dense :]
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
        select_rows(table, feature, features, models, vocabulary, parts.sparse, sparse_weights)
        for table, feature in zip(parts.tables, dictionaries, strict=True)
    ]
    rows, static, origin, places = merged_rows(parts.ini.ways, parts.tables, choices, dictionaries, parts.sparse, sparse_weights)
    order = np.argsort(rows.sources, kind="stable")
    rows, static, origin, places = rows.rows(order), static[order], origin[order], places[order]
    sources, begins = np.unique(rows.sources, return_index=True)
    reordering = tuple(replace(model, scores=model.scores[places]) for model in parts.reordering)
    backward, forward = _weighted_orientations(reordering, weights, len(rows))
    _, classes = np.unique(_hashes(np.concatenate([np.zeros((1, 8)), forward.reshape(-1, 8)])), return_inverse=True)
    classes = np.where(classes == classes[0], 0, np.where(classes == 0, classes[0], classes))
    table_columns = np.concatenate([np.arange(len(feature.weights)) + begins_of[feature.name] for feature in dictionaries])
    return System(
        parts.ini, features, begins_of, weights, vocabulary, models, tuple(feature.name for feature in language),
        table_columns,
        rows, sources, np.append(begins, len(rows)), models.number(vocabulary.words)[rows.words], static, backward, forward,
        classes.reshape(-1)[1:].astype(np.int64), reordering, origin, parts.sparse, SparseWeights.of(parts.sparse, sparse_weights),
    )  # fmt: skip


def _of_kind(features: Sequence[FeatureLine], kind: str) -> list[FeatureLine]:
    return [feature for feature in features if feature.kind == kind]


def _hashes(rows: Float64s) -> UInt64s:
    """Hash of each row; equal rows have equal hashes."""
    # Adding 0 turns a negative zero into a positive one.
    numbers = np.ascontiguousarray(rows) + 0.0
    begins = np.arange(len(rows)) * numbers.itemsize * numbers.shape[1]
    hashes: UInt64s = hash_slices(numbers.reshape(-1).view(np.uint8), begins, begins + numbers.itemsize * numbers.shape[1])
    return hashes


def _begins(features: Sequence[FeatureLine]) -> dict[str, int]:
    """First column of each feature by name."""
    ends = np.cumsum([len(feature.weights) for feature in features]).tolist()
    return dict(zip((feature.name for feature in features), [0, *ends], strict=False))


def _reordering(
    file: Path | CompactTable, feature: FeatureLine, rows: PhraseRows, begin: int, text_phrases: TextPhrases | None
) -> Reordering:
    kind = reordering_type(feature.parameters.get("type", ""))
    if kind.scores != len(feature.weights):
        raise InputError(
            "invalid-request", f"{feature.name} has {len(feature.weights)} weights, but its type has {kind.scores} scores"
        )
    return Reordering(kind, read_reordering_table(file, kind, rows, text_phrases), begin)


def _weighted_orientations(reordering: tuple[Reordering, ...], weights: Float64s, count: int) -> tuple[Float64s, Float64s]:
    """Weighted sums of the models' scores of each row in each orientation: backward and forward; shape (count, 2, 4) each."""
    sums = np.zeros((2, count, 2, 4))
    for model in reordering:
        for direction, has_direction in enumerate((model.kind.backward, model.kind.forward)):
            if has_direction:
                columns = model.kind.columns_of(direction == 0)
                weighted = model.scores * weights[model.begin : model.begin + model.kind.scores]
                sums[direction, :, int(model.kind.hierarchical)] += weighted[:, columns]
    return sums[0], sums[1]
