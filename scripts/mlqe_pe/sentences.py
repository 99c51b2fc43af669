"""Training of the judge of encoded sentences, and of the predictors for any pair, which use it.

``python -m scripts.mlqe_pe.sentences DATA --encoded FOLDER`` uses existing resources and predictors. FOLDER stores the encoder's
vectors, which take half an hour on one core, and the network of ``python -m scripts.mlqe_pe.reading DATA --encoded FOLDER``.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s
from app.engine import Engine
from app.engine.segments import Segments
from app.features import exact_set, feature_set
from app.features.encoded import NUMBERS, EncodedSides, aligned_numbers
from app.predictors.sentences import Judge, JudgeCard, save_judge
from app.predictors.sentences.kernel import Inputs
from app.predictors.sentences.model import LABELS
from app.predictors.sentences.network import TokenNetwork
from app.registry.rows import ROWS_FILE, read_rows
from app.resources.encoders import ChosenEncoder, Encoder
from app.resources.manifest import checksum
from app.settings import Settings
from app.text.languages import LanguagePair
from app.text.side_information import SideInformation
from scripts.mlqe_pe.any_pair import train_any_pair
from scripts.mlqe_pe.cross_fitting import folds_of
from scripts.mlqe_pe.everything import CREATED, FOLDS, LICENCE, Split, language_pairs, split_of, tell
from scripts.mlqe_pe.judge_fitting import JITTER, NOISE, JudgeFitting, JudgeRows
from scripts.mlqe_pe.left_out import LeftOutRows, PairRows, network_file, read_left_out
from scripts.mlqe_pe.provenance import TRAINING_TAGGER, record_resources
from scripts.mlqe_pe.reading_rows import encode_tokens, tokens_of

__all__ = ["ARRAY", "SEED", "build_sentences", "centre_of", "encoded", "judge_data", "labels_of", "models_rows"]

SEED: Final = 12345
NAME: Final = "sentences-e5-small"
# Prefix of the names of the network's arrays in their file.
ARRAY: Final = "array:"
# Training rows of each pair for the mean token vector.
CENTRE_ROWS: Final = 100
BATCH_SIZE: Final = 500


@dataclass(frozen=True)
class JudgeData:
    """Rows of all pairs for the judge: files, the mean token vector, inputs, labels (n, l) and the sums of training rows."""

    trains: list[Split]
    devs: list[Split]
    centre: Float32s
    inputs: list[Inputs]
    dev_inputs: list[Inputs]
    labels: list[Float64s]
    fitting: JudgeFitting


def judge_data(data: Path, pairs: Sequence[LanguagePair], encoder: Encoder, folder: Path) -> JudgeData:
    """Rows of `pairs`; the folder stores the encoder's vectors."""
    trains, devs = ([split_of(data, pair, name) for pair in pairs] for name in ("train", "dev"))
    centre = centre_of(encoder, folder, trains)
    inputs, dev_inputs = ([encoded(encoder, folder, split, centre) for split in splits] for splits in (trains, devs))
    labels = [labels_of(split) for split in trains]
    folds = [folds_of(split.column("source"), FOLDS) for split in trains]
    fitting = JudgeFitting([JudgeRows(*row) for row in zip(inputs, labels, folds, strict=True)], SEED)
    return JudgeData(trains, devs, centre, inputs, dev_inputs, labels, fitting)


def labels_of(split: Split) -> Float64s:
    """Labels of all rows in the order of `LABELS`; shape (n, l)."""
    return np.stack([split.labels(label) for label in LABELS], axis=1)


def centre_of(encoder: Encoder, folder: Path, splits: Sequence[Split]) -> Float32s:
    """The mean token vector (d,), from the folder if it has one, else computed and stored there."""
    path = folder / "centre.npy"
    if not path.is_file():
        texts = [split.column(column)[:CENTRE_ROWS] for split in splits for column in ("source", "translation")]
        means = [encode_tokens(encoder, part).vectors.astype(np.float64).mean(0) for part in texts]
        np.save(path, np.mean(means, 0).astype(np.float32))
    centre: Float32s = np.load(path)
    return centre


def encoded(encoder: Encoder, folder: Path, split: Split, centre: Float32s) -> Inputs:
    """Inputs of the judge for the rows of a file, from the folder if it has them, else encoded and stored there."""
    path = folder / f"{split.pair}.{split.path.name.removesuffix('.tsv.gz')}.npz"
    if not path.is_file():
        texts = split.column("source"), split.column("translation")
        parts = []
        for begin in range(0, len(texts[0]), BATCH_SIZE):
            source, target = (encode_tokens(encoder, side[begin : begin + BATCH_SIZE]) for side in texts)
            sides = EncodedSides(source, target)
            parts.append((*sides.sentences(), aligned_numbers(sides, centre)))
        u, v, numbers = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        np.savez(path, u=u, v=v, numbers=numbers)
    with np.load(path) as stored:
        return Inputs(stored["u"], stored["v"], stored["numbers"])


def build_sentences(data: Path, resources: Path, models: Path, choice: str, folder: Path) -> None:
    """Write the judge, and the predictors of each label for any pair."""
    encoder = ChosenEncoder(choice).required()
    data, pairs = language_pairs(data)
    folder.mkdir(parents=True, exist_ok=True)
    rows_of = judge_data(data, pairs, encoder, folder)
    trains, devs, inputs, labels, fitting = rows_of.trains, rows_of.devs, rows_of.inputs, rows_of.labels, rows_of.fitting
    judge_values, left_out_values = fitting.cross_fitted(), fitting.without_pair()
    network, network_values = _network(folder, pairs, len(rows_of.centre))
    judge = Judge(
        JudgeCard(
            1,
            NAME,
            encoder.name,
            encoder.checksum,
            tuple(str(pair) for pair in pairs),
            {"inducing": len(fitting.inducing), "noise": NOISE, "jitter": JITTER, "seed": SEED},
            {split.name: checksum(split.path) for split in trains},
            {
                "pearson": {
                    "cross-fitted": _pearson(pairs, judge_values, labels),
                    "pair left out": _pearson(pairs, left_out_values, labels),
                    "network, cross-fitted": _pearson(pairs, network_values, labels),
                }
            },
            CREATED,
            LICENCE,
        ),
        rows_of.centre,
        fitting.kernel,
        fitting.inducing.astype(np.float64),
        fitting.pairs,
        fitting.weights(lambda pair, fold: True),
        network,
    )
    save_judge(judge, models / NAME)
    tell(f"models/{NAME}: {judge.card.accuracy['pearson']}")
    engine = Engine.open(resources, models, tagging=TRAINING_TAGGER)
    rows = [
        _rows(engine, pair, *parts)
        for pair, *parts in zip(
            pairs,
            trains,
            devs,
            [
                np.hstack([part.numbers, *encoder_values])
                for part, *encoder_values in zip(inputs, judge_values, network_values, strict=True)
            ],
            [_encoded_features(encoder, folder, dev, judge, part) for dev, part in zip(devs, rows_of.dev_inputs, strict=True)],
            models_rows(models, pairs),
            strict=True,
        )
    ]
    train_any_pair(LeftOutRows(rows, fitting, rows_of.dev_inputs, read_left_out(folder, pairs)), models, tell)
    tell(f"resources on {record_resources(resources, models, choice)} cards")


def models_rows(models: Path, pairs: Sequence[LanguagePair]) -> list[Path]:
    """Files of the shipped training rows."""
    return [models / f"{pair}-rows" / ROWS_FILE for pair in pairs]


def _pearson(
    pairs: Sequence[LanguagePair], values: Sequence[Float64s], labels: Sequence[Float64s]
) -> Mapping[str, Mapping[str, float]]:
    return {
        label: {str(pair): float(np.corrcoef(a[:, k], b[:, k])[0, 1]) for pair, a, b in zip(pairs, values, labels, strict=True)}
        for k, label in enumerate(LABELS)
    }


def _rows(
    engine: Engine, pair: LanguagePair, train: Split, dev: Split, train_encoded: Float64s, dev_encoded: Float64s, path: Path
) -> PairRows:
    """Shipped rows with features of the encoder and the judge, cross-fitted for training rows."""
    stored_rows = read_rows(path)
    side_information = SideInformation(token_log_probs=dev.log_probs())
    segments = Segments(pair, dev.column("source"), dev.column("translation"), side_information)
    matrix = engine.features(segments, exact_set(f"dev of {pair}", stored_rows.features))
    ids = [feature.id for feature in matrix.features]
    dev_values = matrix.values[:, [ids.index(name) for name in stored_rows.features]]
    encoded_ids = [feature.id for feature in feature_set("encoded").features]
    return PairRows(
        pair,
        (*stored_rows.features, *encoded_ids),
        np.hstack([stored_rows.values, train_encoded]),
        np.hstack([dev_values, dev_encoded]),
        train,
        dev,
    )


def _network(folder: Path, pairs: Sequence[LanguagePair], width: int) -> tuple[TokenNetwork, list[Float64s]]:
    """The stored network, and cross-fitted values (n, 4) of the training rows of each pair."""
    with np.load(network_file(folder)) as arrays_in_file:
        arrays = {name.removeprefix(ARRAY): arrays_in_file[name] for name in arrays_in_file.files if name.startswith(ARRAY)}
        # Models store half precision.
        half_arrays = {name: array.astype(np.float16) for name, array in arrays.items()}
        return TokenNetwork.from_arrays(half_arrays, width, len(NUMBERS), len(pairs)), [arrays_in_file[str(pair)] for pair in pairs]


def _encoded_features(encoder: Encoder, folder: Path, split: Split, judge: Judge, inputs: Inputs) -> Float64s:
    """Features of the encoder, the judge and its network for the rows of a file; shape (n, 21)."""
    sides = EncodedSides(*(tokens_of(encoder, folder, split, column).tokens() for column in ("source", "translation")))
    return np.hstack([inputs.numbers, judge.judge_inputs(str(split.pair), inputs), judge.read_inputs(split.pair, sides, inputs)])


def main() -> None:
    """Read the command line and build."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m scripts.mlqe_pe.sentences", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("--resources", type=Path, default=settings.resources_dir, help="folder of resources")
    parser.add_argument(
        "--models", type=Path, default=settings.models_dir, help="folder of models to write to, with the shipped rows"
    )
    parser.add_argument("--encoder", default="auto", help="encoder, as in ASSAY_ENCODER (default auto)")
    parser.add_argument("--encoded", type=Path, required=True, help="folder to store the encoder's vectors in")
    arguments = parser.parse_args()
    build_sentences(arguments.data, arguments.resources, arguments.models, arguments.encoder, arguments.encoded)


if __name__ == "__main__":
    main()
