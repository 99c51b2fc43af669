"""A trained judge on disk and in memory: sentence-judge.json and arrays.safetensors."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from app.arrays import Float32s, Float64s, Int64s
from app.errors import InputError
from app.features.encoded import NUMBERS, READ, EncodedSides, aligned_numbers
from app.predictors.sentences.kernel import Inputs, SentenceKernel, covariance
from app.predictors.sentences.network import TokenNetwork, TokenReading
from app.predictors.stored import ARRAYS, arrays_below, read_stored_card, save_files, unreadable
from app.running.deadline import check_deadline
from app.text.languages import LanguagePair

__all__ = ["LABELS", "Judge", "JudgeCard", "load_judge", "read_judge_card", "save_judge"]

SCHEMA_VERSION: Final = 1
CARD: Final = "sentence-judge.json"
# Labels, in the order of columns.
LABELS: Final = ("da", "hter")
# Segments of one batch.
SEGMENTS_PER_BATCH: Final = 500
# Prefix of the network's arrays; a judge may have none.
NETWORK: Final = "read."
# Prefixes of numbers of revisions of word taggers, which cross-encoders replace.
REVISIONS: Final = ("words.", "source.")


@dataclass(frozen=True)
class JudgeCard:
    """Identity, encoder and training data of a judge; `accuracy` has Pearson correlations by pair.

    `marks` is a member of older cards.
    """

    schema_version: int
    id: str
    encoder: str
    encoder_sha256: str
    pairs: tuple[str, ...]
    hyper_parameters: Mapping[str, int | float]
    training_data: Mapping[str, Any]
    accuracy: Mapping[str, Any]
    created: str
    licence: str
    marks: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Judge:
    """Weights (m, l) of inducing rows (m, p) of language pairs by number (m,), and the centre (d,) of token vectors.

    A judge can also have a network that reads tokens.
    """

    card: JudgeCard
    centre: Float32s
    kernel: SentenceKernel
    inducing: Float64s
    of_pair: Int64s
    weights: Float64s
    network: TokenNetwork | None = None

    @property
    def encoder(self) -> str:
        """Name of the encoder of the training."""
        return self.card.encoder

    @cached_property
    def _lengths(self) -> Float64s:
        """Squared lengths of the inducing rows; their sum takes as long as the rest of the work for a segment."""
        return np.asarray((self.inducing**2).sum(1))

    def judge(self, pair: LanguagePair, sides: EncodedSides) -> Mapping[str, Float64s]:
        """Numbers of alignments, and labels in standard deviations of a pair, by name; all untrained pairs are treated alike.

        A judge with a network adds the columns of READ.
        """
        inputs = Inputs(*sides.sentences(), aligned_numbers(sides, self.centre))
        scores = self.judge_inputs(str(pair), inputs)
        columns = {name: inputs.numbers[:, k] for k, (name, _) in enumerate(NUMBERS)}
        columns |= {label: scores[:, k] for k, label in enumerate(LABELS)}
        if self.network is not None:
            read = self.read_inputs(pair, sides, inputs)
            columns |= {name: read[:, k] for k, (name, _) in enumerate(READ)}
        return columns

    def read_inputs(self, pair: LanguagePair, sides: EncodedSides, inputs: Inputs) -> Float64s:
        """Columns of READ by the network; (n, 4). InputError without a network."""
        return np.array([reading.labels for reading in self._read(pair, sides, inputs)], np.float64).reshape(-1, len(READ))

    def readings(self, pair: LanguagePair, sides: EncodedSides) -> Iterator[TokenReading]:
        """Readings of the network, one per row; InputError without a network."""
        return self._read(pair, sides, Inputs(*sides.sentences(), aligned_numbers(sides, self.centre)))

    def _read(self, pair: LanguagePair, sides: EncodedSides, inputs: Inputs) -> Iterator[TokenReading]:
        if (network := self.network) is None:
            raise InputError("missing-resource", f"the judge {self.card.id} has no network that reads tokens")
        number = self._number(str(pair))
        sentences = np.hstack([inputs.source * inputs.target, np.abs(inputs.source - inputs.target)])
        for row, (source, target) in enumerate(sides.rows()):
            check_deadline()
            yield network.read(source, target, sentences[row], inputs.numbers[row], number)

    def _number(self, pair: str) -> int:
        return self.card.pairs.index(pair) if pair in self.card.pairs else -1

    def judge_inputs(self, pair: str, inputs: Inputs) -> Float64s:
        """The label of each row; (n, l)."""
        number = self._number(pair)
        points = self.kernel.points(inputs)
        out = np.empty((len(points), self.weights.shape[1]))
        for begin in range(0, len(points), SEGMENTS_PER_BATCH):
            part = points[begin : begin + SEGMENTS_PER_BATCH]
            pair_numbers = np.full(len(part), number)
            k = covariance(part, pair_numbers, self.inducing, self.of_pair, self._lengths)
            out[begin : begin + SEGMENTS_PER_BATCH] = k @ self.weights
        return out


def save_judge(judge: Judge, folder: Path) -> None:
    """Write sentence-judge.json, arrays.safetensors and README.md; equal judges give equal bytes."""
    arrays = {
        **judge.kernel.arrays(),
        "centre": judge.centre,
        "inducing": judge.inducing.astype(np.float16),
        "pairs": judge.of_pair,
        "weights": judge.weights,
    }
    if judge.network is not None:
        arrays |= {f"{NETWORK}{name}": array.astype(np.float16) for name, array in judge.network.arrays.items()}
    save_files(folder, CARD, asdict(judge.card), arrays, _readme(judge.card))


def _readme(card: JudgeCard) -> str:
    accuracy = card.accuracy["pearson"]
    rows = "".join(
        f"| {pair} | " + " | ".join(f"{accuracy[kind][label][pair]:.3f}" for kind in accuracy for label in LABELS) + " |\n"
        for pair in card.pairs
    )
    heads = " | ".join(f"{label}, {kind}" for kind in accuracy for label in LABELS)
    return (
        f"# {card.id}\n\nSays of a source and a translation, by the vectors of {card.encoder}, how good the translation is:\n"
        f"a kernel regression through {card.hyper_parameters['inducing']} inducing rows on labels of these pairs together:\n"
        f"{', '.join(card.pairs)}. What it says are features of predictors.\n\n"
        "Pearson correlation on training rows, each judged by one that has not seen it:\n\n"
        f"| pair | {heads} |\n|---|{'---|' * (heads.count('|') + 1)}\n{rows}\n"
        f"Licence: {card.licence}.\n"
    )


def read_judge_card(folder: Path) -> JudgeCard:
    """Read the card of a judge and check the types of its members; the InputError names the fault."""
    return read_stored_card(folder, CARD, JudgeCard, SCHEMA_VERSION, {"marks"})


def load_judge(folder: Path) -> Judge:
    """Read and check a judge; the InputError names the fault."""
    card = read_judge_card(folder)
    try:
        arrays = load((folder / ARRAYS).read_bytes())
        judge = _judge(card, arrays)
    except OSError as error:
        raise unreadable(folder, CARD, error) from None
    except (ValueError, TypeError, KeyError, SafetensorError):
        raise unreadable(folder, CARD, ValueError(f"{ARRAYS} is damaged, or arrays are missing or of the wrong shape")) from None
    return judge


def _judge(card: JudgeCard, stored: Mapping[str, np.ndarray]) -> Judge:
    arrays = {name: array for name, array in stored.items() if not name.startswith((NETWORK, *REVISIONS))}
    of_network = arrays_below(stored, NETWORK)
    kernel = SentenceKernel.from_arrays(arrays)
    (width, k), (m, size) = arrays["products.axes"].shape, arrays["inducing"].shape
    shapes = {
        "centre": (width // 2,),
        "products.middle": (width,),
        "vectors.middle": (width,),
        "vectors.axes": (width, k),
        "numbers.middle": (len(NUMBERS),),
        "numbers.scale": (len(NUMBERS),),
        "inducing": (m, 2 * k + len(NUMBERS)),
        "pairs": (m,),
        "weights": (m, len(LABELS)),
    }
    if any(arrays[name].shape != shape for name, shape in shapes.items()) or not m or size != 2 * k + len(NUMBERS):
        raise ValueError(CARD)
    if not all(np.isfinite(array).all() for array in arrays.values()) or not (arrays["numbers.scale"] > 0).all():
        raise ValueError(CARD)
    of_pair = arrays["pairs"].astype(np.int64)
    if of_pair.min() < 0 or of_pair.max() >= len(card.pairs):
        raise ValueError(CARD)
    return Judge(
        card,
        arrays["centre"].astype(np.float32),
        kernel,
        arrays["inducing"].astype(np.float64),
        of_pair,
        arrays["weights"].astype(np.float64),
        TokenNetwork.from_arrays(of_network, width // 2, len(NUMBERS), len(card.pairs)) if of_network else None,
    )
