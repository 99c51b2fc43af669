"""Build of all shipped resources and models, `resources/` and `models/`, from the published MLQE-PE data.

The build is deterministic: equal data give equal bytes on one kind of processor (`make resources`).
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app.arrays import Float64s
from app.building.building import build_language_resources, build_pair_resources
from app.building.tagging import build_tagger
from app.errors import InputError
from app.features import FeatureMatrix, PairResources, extract_features, feature_set
from app.predictors.artifact import save_model
from app.predictors.training import TrainingSet, train_model
from app.predictors.word_tags import load_word_tagger
from app.registry.rows import ROWS_FILE, TrainingRows, write_rows
from app.resources.loading import load_resources
from app.resources.manifest import checksum
from app.text.batch import SegmentBatch, pack_lines
from app.text.languages import LanguagePair
from app.text.reading.tables import read_column
from app.text.side_information import SideInformation
from app.text.tokenisation import tokeniser_for
from scripts.mlqe_pe.cross_fitting import TrainingCorpus, fold_resources, folds_of, read_fold, write_fold
from scripts.mlqe_pe.metrics import build_function_words, build_metrics, import_beer
from scripts.mlqe_pe.provenance import TRAINING_TAGGER, record_resources
from scripts.mlqe_pe.words import build_word_tagger, cross_fit_summaries, summaries, word_tagger_name

__all__ = ["Split", "build_everything", "describe_rows", "language_pairs", "read_features", "split_of", "tell"]

LICENCE = "CC0-1.0"
FOLDS = 5
# A fixed day, so that a rebuild gives equal bytes; it changes with the data or the training.
CREATED = "2026-11-21"
BLACK_BOX = "quest-baseline-17"
WITH_GLASS_BOX = "quest-baseline-17+nmt-glassbox-10"
# A tagger with the system's tokens adds nothing to the log-probabilities here.
WIDEST = "text-only+nmt-glassbox-10+words"
# All features are computed once; each model selects its own.
ALL_FEATURES = "all-blackbox+nmt-glassbox-10"
# Sets and learners that are trained for every pair and label. Support vectors of many features would be large files.
RECIPES = ((WITH_GLASS_BOX, "gp"), (BLACK_BOX, "gp"), (BLACK_BOX, "svr"), (WIDEST, "blend"), ("text-only+words", "blend"))
LABEL_COLUMNS = {"hter": "hter", "da": "da_z"}
Report = Callable[[str], None]


@dataclass(frozen=True)
class Split:
    """One file of the data: ``train`` or ``dev`` of a pair."""

    pair: LanguagePair
    path: Path
    name: str

    def column(self, name: str) -> list[str]:
        """Cells of a column."""
        return read_column(f"{self.path}:{name}")

    def labels(self, label: str) -> Float64s:
        """Labels of all rows; shape (n,)."""
        return np.array([float(cell) for cell in self.column(LABEL_COLUMNS[label])])

    def log_probs(self) -> list[tuple[float, ...]]:
        """Log-probabilities of the MT system's tokens, by row."""
        return [tuple(float(cell) for cell in line.split()) for line in self._beside("nmt.logprobs.gz")]

    def _beside(self, name: str) -> list[str]:
        stem = self.path.name.removesuffix(".tsv.gz")
        return read_column(str(self.path.with_name(f"{stem}.{name}")))


def tell(text: str) -> None:
    """Print a line of progress on standard error."""
    print(text, file=sys.stderr, flush=True)


def split_of(data: Path, pair: LanguagePair, name: str) -> Split:
    """File of a pair's ``train`` or ``dev`` rows."""
    return Split(pair, data / str(pair) / f"{name}.tsv.gz", f"mlqe-pe/{pair}/{name}.tsv.gz")


def language_pairs(data: Path) -> tuple[Path, list[LanguagePair]]:
    """The folder of pair folders (`data` itself or its ``mlqe-pe``), and its pairs."""
    folder = data / "mlqe-pe" if (data / "mlqe-pe").is_dir() else data
    pairs = (
        [LanguagePair.parse(p.name) for p in sorted(folder.iterdir()) if (p / "train.tsv.gz").is_file()] if folder.is_dir() else []
    )
    if not pairs:
        raise InputError("empty-input", f"{data} holds no language-pair folders with train.tsv.gz (MLQE-PE)")
    return folder, pairs


def build_everything(
    data: Path,
    resources: Path,
    models: Path,
    report: Report,
    processes: int = 2,
    treebanks: Path | None = None,
    beer: Path | None = None,
    features: Path | None = None,
) -> None:
    """Build every resource and train every predictor; `report` receives a line for each.

    The features of training rows are stored in the folder `features`, if there is one.
    """
    data, pairs = language_pairs(data)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    with TemporaryDirectory() as scratch, ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:

        def run(function: Callable[..., str], calls: Iterable[Sequence[object]]) -> None:
            for future in as_completed([pool.submit(function, *call) for call in calls]):
                report(future.result())

        if treebanks is not None:
            build_function_words(treebanks, resources)
            folders = sorted(path.parent for path in treebanks.glob("*/train.conllu.gz"))
            run(_build_tagger, [(folder.name, folder, resources / folder.name / "tagger") for folder in folders])
        if beer is not None:
            import_beer(beer, models)
        build_metrics(data, pairs, resources, models, report)
        languages = sorted({code for pair in pairs for code in (pair.source, pair.target)})
        run(_build_language, [(data, pairs, code, resources / code) for code in languages])
        run(_build_pair, [(data, pair, resources / str(pair)) for pair in pairs])
        run(_extract_fold, [(data, pairs, fold, resources, Path(scratch)) for fold in range(FOLDS)])
        run(_extract_dev, [(data, pairs, resources, Path(scratch))])
        pairs_with_tags = [pair for pair in pairs if (data / str(pair) / "train.mt.tags.gz").is_file()]
        run(
            _build_words,
            [(data, pair, glass, resources, Path(scratch), models) for pair in pairs_with_tags for glass in (False, True)],
        )
        run(_keep_rows, [(data, pair, Path(scratch), models) for pair in pairs])
        run(
            _train,
            [
                (data, pair, label, name, learner, Path(scratch), models)
                for pair in pairs
                for name, learner in RECIPES
                for label in LABEL_COLUMNS
            ],
        )
        report(f"resources on {record_resources(resources, models)} cards")
        if features is not None:
            features.mkdir(parents=True, exist_ok=True)
            for path in Path(scratch).glob("*.npz"):
                shutil.copy(path, features / path.name)


def _build_tagger(language: str, treebank: Path, folder: Path) -> str:
    build_tagger(language, treebank, folder, replace=True)
    return f"resources/{language}/tagger"


def _build_language(data: Path, pairs: Sequence[LanguagePair], language: str, folder: Path) -> str:
    """Build a language from the train sources and post-edits of all its pairs."""
    specs = [
        f"{data / str(pair) / 'train.tsv.gz'}:{column}"
        for pair in pairs
        for column, code in (("source", pair.source), ("post_edit", pair.target))
        if code == language
    ]
    build_language_resources(language, specs, folder, licence=LICENCE, replace=True)
    return f"resources/{language}"


def _build_pair(data: Path, pair: LanguagePair, folder: Path) -> str:
    train = data / str(pair) / "train.tsv.gz"
    build_pair_resources(pair, f"{train}:source", f"{train}:post_edit", folder, LICENCE, replace=True)
    return f"resources/{pair}"


def _batch(split: Split) -> SegmentBatch:
    pair = split.pair
    return SegmentBatch.build(
        tokeniser_for(pair.source),
        tokeniser_for(pair.target),
        split.column("source"),
        split.column("translation"),
        SideInformation(token_log_probs=split.log_probs()),
    )


def _corpus(data: Path, pair: LanguagePair) -> TrainingCorpus:
    train, target = split_of(data, pair, "train"), tokeniser_for(pair.target)
    post_edits = pack_lines([" ".join(target(text)) for text in train.column("post_edit")])
    return TrainingCorpus(_batch(train), post_edits, folds_of(train.column("source"), FOLDS))


def _extract_fold(data: Path, pairs: Sequence[LanguagePair], fold: int, resources: Path, scratch: Path) -> str:
    corpora = [_corpus(data, pair) for pair in pairs]
    models = scratch / str(fold)
    models.mkdir()
    fold_resources_of = fold_resources(corpora, fold, models, load_resources(resources, TRAINING_TAGGER).languages)
    for corpus in corpora:
        pair, rows = corpus.pair, corpus.rows(fold)
        write_fold(fold_resources_of[pair], models / str(pair))
        matrix = extract_features(corpus.part(fold), feature_set(ALL_FEATURES), fold_resources_of[pair])
        np.savez(scratch / f"{pair}.train.{fold}.npz", rows=rows, values=matrix.values, ids=_ids(matrix))
    return f"features of fold {fold + 1} of {FOLDS}"


def _build_words(data: Path, pair: LanguagePair, glass_box: bool, resources: Path, scratch: Path, models: Path) -> str:
    pair_resources = PairResources.of(load_resources(resources, TRAINING_TAGGER), pair)
    folds = {fold: read_fold(scratch / str(fold) / str(pair), scratch / str(fold), pair_resources) for fold in range(FOLDS)}
    fold_of_row = folds_of(split_of(data, pair, "train").column("source"), FOLDS)
    line = build_word_tagger(data / str(pair), pair, folds, fold_of_row, pair_resources, models, glass_box, LICENCE, CREATED)
    if glass_box:
        return line
    train, dev = _batch(split_of(data, pair, "train")), _batch(split_of(data, pair, "dev"))
    ids, train_values = cross_fit_summaries(data / str(pair), pair, folds, fold_of_row, pair_resources, train)
    dev_values = summaries(load_word_tagger(models / word_tagger_name(pair, glass_box=False)), dev, pair_resources)
    np.savez(scratch / f"{pair}.words.npz", ids=np.array(ids), train=train_values, dev=dev_values)
    return line


def _ids(matrix: FeatureMatrix) -> np.ndarray:
    return np.array([feature.id for feature in matrix.features])


def _extract_dev(data: Path, pairs: Sequence[LanguagePair], resources: Path, scratch: Path) -> str:
    all_resources = load_resources(resources, TRAINING_TAGGER)
    for pair in pairs:
        matrix = extract_features(
            _batch(split_of(data, pair, "dev")), feature_set(ALL_FEATURES), PairResources.of(all_resources, pair)
        )
        np.savez(scratch / f"{pair}.dev.npz", values=matrix.values, ids=_ids(matrix))
    return "features of dev"


def _stored(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as arrays:
        return dict(arrays)


def read_features(folder: Path, pair: LanguagePair, rows: int) -> tuple[list[str], Float64s, Float64s]:
    """Feature ids, and values (rows, ids) of training rows (cross-fitted) and of dev rows, from the files of a build.

    Features that a part lacks, such as those whose resources no fold builds, are left out.
    """
    parts = [_stored(folder / f"{pair}.{name}.npz") for name in ("dev", *(f"train.{fold}" for fold in range(FOLDS)))]
    ids = [name for name in parts[0]["ids"].tolist() if all(name in part["ids"] for part in parts)]
    dev_values, *fold_values = (part["values"][:, [part["ids"].tolist().index(name) for name in ids]] for part in parts)
    values = np.empty((rows, len(ids)))
    for part, part_values in zip(parts[1:], fold_values, strict=True):
        values[part["rows"]] = part_values
    words = folder / f"{pair}.words.npz"
    if words.is_file():
        with np.load(words) as part:
            ids += part["ids"].tolist()
            values, dev_values = np.hstack([values, part["train"]]), np.hstack([dev_values, part["dev"]])
    return ids, values, dev_values


def _keep_rows(data: Path, pair: LanguagePair, scratch: Path, models: Path) -> str:
    """Store the training rows of a pair for later versions of its predictors, with the features that predictors use."""
    train = split_of(data, pair, "train")
    labels = {label: train.labels(label) for label in LABEL_COLUMNS}
    ids, values, _ = read_features(scratch, pair, len(labels["hter"]))
    used_names = {feature.id for name, _ in RECIPES for feature in feature_set(name).features}
    names = [name for name in ids if name in used_names]
    folder = models / f"{pair}-rows"
    write_rows(folder / ROWS_FILE, TrainingRows(tuple(names), values[:, [ids.index(name) for name in names]], labels))
    describe_rows(folder, names, len(values), train)
    return f"models/{folder.name}"


def describe_rows(folder: Path, names: Sequence[str], count: int, train: Split) -> None:
    """Write README.md of a file of training rows."""
    readings = sum(name.startswith("cross.") for name in names)
    about_readings = (
        f"{readings} more features are readings of cross-encoders trained on the other half of the sources; "
        "unseen.npz has readings\n"
        "of cross-encoders trained without the pair (both CC-BY-SA-4.0).\n"
        if readings
        else ""
    )
    description = (
        f"# {folder.name}\n\n{count} rows of {len(names) - readings} features, cross-fitted in {FOLDS} folds, with the labels "
        f"{' and '.join(LABEL_COLUMNS)}: what the\npredictors of {train.pair} learned from, so that a `train` job can make the "
        f"next version.\n{about_readings}Numbers only, no texts. Built by `make resources` from {train.name}\n"
        f"(SHA-256 {checksum(train.path)}). Licence: {LICENCE}{', but for the readings' if readings else ''}.\n"
    )
    (folder / "README.md").write_text(description, encoding="utf-8")


def _train(data: Path, pair: LanguagePair, label: str, set_name: str, learner: str, scratch: Path, models: Path) -> str:
    train, dev = split_of(data, pair, "train"), split_of(data, pair, "dev")
    labels = train.labels(label)
    ids, values, dev_values = read_features(scratch, pair, len(labels))
    features = [feature.id for feature in feature_set(set_name).features if feature.id in ids]
    columns = [ids.index(name) for name in features]
    model = train_model(
        TrainingSet(values[:, columns], labels, train.name, checksum(train.path), f"cross-fitted in {FOLDS} folds"),
        TrainingSet(dev_values[:, columns], dev.labels(label), dev.name, checksum(dev.path)),
        str(pair),
        label,
        set_name,
        features,
        learner,
        LICENCE,
        created=CREATED,
    )
    save_model(model, models / model.card.id)
    return f"models/{model.card.id} (Pearson {model.card.accuracy['pearson']:.3f})"
