"""Training of the network that reads the tokens of both texts. It needs PyTorch, unlike all further scripts.

``python -m scripts.mlqe_pe.reading DATA --encoded FOLDER`` writes FOLDER/reading.npz for ``scripts.mlqe_pe.sentences``: the
network, and values of each training row by networks trained without the row, or without its pair. With one thread and fixed seeds,
one kind of processor writes equal bytes. Training takes three quarters of an hour on one core with PyTorch 2.13
(``pip install torch``).
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

try:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional
except ModuleNotFoundError:
    raise SystemExit("training of the network needs PyTorch: pip install torch") from None

from app.arrays import Float32s, Float64s, Int64s
from app.predictors.sentences.model import LABELS
from app.resources.encoders import ChosenEncoder, Encoder
from scripts.mlqe_pe.cross_fitting import folds_of
from scripts.mlqe_pe.everything import Split, language_pairs, split_of, tell
from scripts.mlqe_pe.left_out import NETWORK_FILE, PARTS, read_name
from scripts.mlqe_pe.reading_rows import UNKNOWN, ReadingRows, ReadSide, tokens_of
from scripts.mlqe_pe.sentences import ARRAY, centre_of, encoded, labels_of

SEED: Final = 1
HIDDEN, SENTENCE, PAIR, LAST = 96, 64, 16, 128
EPOCHS: Final = 6
CROSS_EPOCHS: Final = 5
LEFT_OUT_EPOCHS: Final = 3
FOLDS: Final = 2
BATCH: Final = 48
RATE: Final = 2e-3
DROPOUT: Final = 0.15
# Share of rows that get the embedding of unknown pairs, so that the network learns it.
UNKNOWN_PAIRS: Final = 0.15
# Weight of a tagged token against a label, and of a wrong token against a right one.
TAGS: Final = 0.5
WRONG: Final = 2.0
LONGEST: Final = 110
# Batches have rows of similar length: rows are sorted by length within groups of this many batches.
SORTED: Final = 30
MASKED_SCORE: Final = -1e4
SIDES: Final = ("source", "target")


class Reader(nn.Module):
    """The network that `app.predictors.sentences.network` serves."""

    def __init__(self, width: int, numbers: int, pairs: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.project = nn.Linear(width, HIDDEN)
        self.sharpness = nn.Parameter(torch.tensor(10.0))
        self.compare = nn.ModuleList(nn.Linear(4 * HIDDEN + 2, HIDDEN) for _ in SIDES)
        self.context = nn.ModuleList(nn.Conv1d(HIDDEN, HIDDEN, 3, padding=1) for _ in SIDES)
        self.tag = nn.ModuleList(nn.Linear(HIDDEN, 1) for _ in SIDES)
        self.attend = nn.ModuleList(nn.Linear(HIDDEN, 1) for _ in SIDES)
        self.pair = nn.Embedding(pairs + 1, PAIR)
        self.sentence = nn.Linear(2 * width, SENTENCE)
        self.join = nn.Linear(2 * (2 * HIDDEN + 2) + numbers + PAIR + SENTENCE, LAST)
        self.label = nn.Linear(LAST, 2)
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, batch: "Batch", pair: Tensor, centre: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Labels (n, 2), and logits (n, tokens) of wrong tokens for each side."""
        near, far = (functional.normalize(tokens - centre, dim=-1) for tokens in batch.tokens)
        cosine = near @ far.transpose(1, 2)
        source, target = (functional.gelu(self.project(self.norm(tokens))) for tokens in batch.tokens)
        row, column = batch.mask[0][:, :, None], batch.mask[1][:, None, :]
        scores = self.sharpness * cosine
        to_target, to_source = (
            scores.masked_fill(column == 0, MASKED_SCORE).softmax(2),
            scores.masked_fill(row == 0, MASKED_SCORE).softmax(1),
        )
        best = cosine.masked_fill(column == 0, -1).amax(2), cosine.masked_fill(row == 0, -1).amax(1)
        mean = (to_target * cosine).sum(2), (to_source * cosine).sum(1)
        attended_tokens = to_target @ target, to_source.transpose(1, 2) @ source
        tags, pools = zip(
            *(
                self.side(k, tokens, attended_tokens[k], best[k], mean[k], batch.mask[k])
                for k, tokens in enumerate((source, target))
            ),
            strict=True,
        )
        sentence = functional.gelu(self.sentence(batch.sentences))
        features = torch.cat([*pools, batch.numbers, self.pair(pair), sentence], -1)
        return self.label(self.drop(functional.gelu(self.join(self.drop(features))))), list(tags)

    def side(
        self, k: int, tokens: Tensor, attended_tokens: Tensor, best: Tensor, mean: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits of wrong tokens (n, tokens) of side `k`, and the side's pooled vector."""
        comparison = torch.cat(
            [tokens, attended_tokens, tokens * attended_tokens, (tokens - attended_tokens).abs(), best[..., None], mean[..., None]],
            -1,
        )
        hidden = functional.gelu(self.compare[k](comparison)) * mask[..., None]
        hidden = hidden + functional.gelu(self.context[k](hidden.transpose(1, 2)).transpose(1, 2))
        hidden = self.drop(hidden) * mask[..., None]
        tag = self.tag[k](hidden)[..., 0]
        weight = self.attend[k](hidden)[..., 0].masked_fill(mask == 0, MASKED_SCORE).softmax(1)
        length = mask.sum(1, keepdim=True).clamp(min=1)
        wrong = torch.sigmoid(tag) * mask
        parts = [(hidden * weight[..., None]).sum(1), hidden.sum(1) / length]
        return tag, torch.cat([*parts, wrong.sum(1, keepdim=True) / length, (wrong * weight).sum(1, keepdim=True)], -1)


class Batch:
    """Padded tensors of some rows."""

    def __init__(self, rows: Sequence[ReadingRows], places: Sequence[tuple[int, int]]) -> None:
        sides = [_padded([getattr(rows[pair], side) for pair, _ in places], [row for _, row in places]) for side in SIDES]
        self.tokens, self.mask, self.wrong = zip(*sides, strict=True)
        self.numbers = torch.from_numpy(np.stack([rows[pair].numbers[row] for pair, row in places]))
        self.sentences = torch.from_numpy(np.stack([rows[pair].sentences[row] for pair, row in places]))
        self.pair = torch.tensor([rows[pair].pair for pair, _ in places])
        self.labels = torch.from_numpy(np.stack([rows[pair].labels[row] for pair, row in places]).astype(np.float32))


def _padded(sides: Sequence[ReadSide], rows: Sequence[int]) -> tuple[Tensor, Tensor, Tensor]:
    lengths = [min(side.length(row), LONGEST) for side, row in zip(sides, rows, strict=True)]
    size = max(1, *lengths)
    tokens = np.zeros((len(rows), size, sides[0].vectors.shape[1]), np.float32)
    mask, wrong = np.zeros(tokens.shape[:2], np.float32), np.full(tokens.shape[:2], UNKNOWN, np.int8)
    for place, (side, row, length) in enumerate(zip(sides, rows, lengths, strict=True)):
        begin = side.offsets[row]
        tokens[place, :length] = side.vectors[begin : begin + length]
        wrong[place, :length], mask[place, :length] = side.wrong[begin : begin + length], 1
    return torch.from_numpy(tokens), torch.from_numpy(mask), torch.from_numpy(wrong)


def _by_length(rows: Sequence[ReadingRows], places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(places, key=lambda place: (rows[place[0]].target.length(place[1]), rows[place[0]].source.length(place[1])))


def train(rows: Sequence[ReadingRows], places: Sequence[tuple[int, int]], centre: Tensor, epochs: int) -> Reader:
    """A network trained on the rows `places`, as numbers of pair and row."""
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    network = Reader(len(centre), rows[0].numbers.shape[1], len(rows))
    steps = epochs * sum(-(-min(BATCH * SORTED, len(places) - k) // BATCH) for k in range(0, len(places), BATCH * SORTED))
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
    wrong = torch.tensor(WRONG)
    for epoch in range(epochs):
        order = [places[k] for k in rng.permutation(len(places))]
        batches = []
        for begin in range(0, len(order), BATCH * SORTED):
            part = _by_length(rows, order[begin : begin + BATCH * SORTED])
            batches += [part[k : k + BATCH] for k in range(0, len(part), BATCH)]
        total = 0.0
        for number in rng.permutation(len(batches)):
            batch = Batch(rows, batches[number])
            pair = torch.where(torch.rand(len(batch.pair)) < UNKNOWN_PAIRS, torch.tensor(len(rows)), batch.pair)
            labels, tags = network(batch, pair, centre)
            loss = functional.mse_loss(labels, batch.labels)
            total += loss.item()
            for tag, is_wrong in zip(tags, batch.wrong, strict=True):
                is_known = is_wrong >= 0
                if is_known.any():
                    loss = loss + TAGS * functional.binary_cross_entropy_with_logits(
                        tag[is_known], is_wrong[is_known].float(), pos_weight=wrong
                    )
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
        tell(f"epoch {epoch + 1} of {epochs}: squared error {total / len(batches):.4f} of labels with variance 1")
    return network.eval()


def _answers(network: Reader, rows: Sequence[ReadingRows], places: Sequence[tuple[int, int]], centre: Tensor) -> Float64s:
    """The network's values of rows (n, 4): labels, and the expected share of wrong tokens of each side."""
    values, number = np.empty((len(places), 4)), {place: k for k, place in enumerate(places)}
    sorted_places = _by_length(rows, places)
    with torch.no_grad():
        for begin in range(0, len(sorted_places), BATCH):
            part = sorted_places[begin : begin + BATCH]
            batch = Batch(rows, part)
            labels, tags = network(batch, batch.pair, centre)
            shares = [
                (torch.sigmoid(tag) * mask).sum(1) / mask.sum(1).clamp(min=1) for tag, mask in zip(tags, batch.mask, strict=True)
            ]
            values[[number[place] for place in part]] = torch.cat([labels, *(share[:, None] for share in shares)], 1).numpy()
    return values


def _left_out_values(
    rows: Sequence[ReadingRows], dev_rows_of: Sequence[ReadingRows], centre: Tensor
) -> list[tuple[Float64s, Float64s]]:
    """Values of each pair's training and dev rows by a network trained without the pair, as for an unknown pair."""
    values = []
    for number in range(len(rows)):
        places = [(pair, row) for pair, part in enumerate(rows) if pair != number for row in range(len(part))]
        network = train(rows, places, centre, LEFT_OUT_EPOCHS)
        unknown_rows = [replace(part[number], pair=len(rows)) for part in (rows, dev_rows_of)]
        train_rows, dev_rows = (_answers(network, [part], [(0, row) for row in range(len(part))], centre) for part in unknown_rows)
        values.append((train_rows, dev_rows))
    return values


def _tell_pearson(name: str, rows: Sequence[ReadingRows], answers: Sequence[Float64s], names: Sequence[str]) -> None:
    for k, label in enumerate(LABELS):
        coefficients = (np.corrcoef(a[:, k], part.labels[:, k])[0, 1] for part, a in zip(rows, answers, strict=True))
        tell(f"{label} of {name}: " + ", ".join(f"{pair} {r:.3f}" for pair, r in zip(names, coefficients, strict=True)))


def _arrays(network: Reader) -> dict[str, np.ndarray]:
    """Arrays of `TokenNetwork` by name."""
    arrays = {name.replace("weight", "w").replace("bias", "b"): value.numpy() for name, value in network.state_dict().items()}
    return arrays | {"sharpness": np.atleast_1d(arrays["sharpness"])}


def _rows(
    encoder: Encoder, folder: Path, splits: Sequence[Split], centre: Float32s, moments: Sequence[tuple[Float64s, Float64s]]
) -> list[ReadingRows]:
    """Rows of every pair; `moments` are means and deviations of labels by pair."""
    out = []
    for pair, split in enumerate(splits):
        inputs = encoded(encoder, folder, split, centre)
        u, v = inputs.source, inputs.target
        labels = labels_of(split)
        mean, std = moments[pair]
        out.append(
            ReadingRows(
                tokens_of(encoder, folder, split, "source"),
                tokens_of(encoder, folder, split, "translation"),
                inputs.numbers.astype(np.float32),
                np.hstack([u * v, np.abs(u - v)]).astype(np.float32),
                (labels - mean) / std,
                pair,
            )
        )
    return out


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mlqe_pe.reading", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("--encoder", default="auto", help="encoder, as in ASSAY_ENCODER (default auto)")
    parser.add_argument("--encoded", type=Path, required=True, help="folder to store the encoder's vectors in")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    encoder = ChosenEncoder(arguments.encoder).required()
    data, pairs = language_pairs(arguments.data)
    names = [str(pair) for pair in pairs]
    splits = [split_of(data, pair, "train") for pair in pairs]
    arguments.encoded.mkdir(parents=True, exist_ok=True)
    middle = centre_of(encoder, arguments.encoded, splits)
    raw = [labels_of(split) for split in splits]
    moments = [(labels.mean(0), labels.std(0)) for labels in raw]
    rows = _rows(encoder, arguments.encoded, splits, middle, moments)
    numbers = np.concatenate([part.numbers for part in rows])
    shift, scale = numbers.mean(0), np.maximum(numbers.std(0), 1e-6)
    rows = [_standardised(part, shift, scale) for part in rows]
    centre = torch.from_numpy(middle)
    folds: list[Int64s] = [folds_of(split.column("source"), FOLDS) for split in splits]
    cross_fitted_values = [np.empty((len(part), 4)) for part in rows]
    for fold in range(FOLDS):
        training_places = [(pair, row) for pair, part in enumerate(folds) for row in np.flatnonzero(part != fold).tolist()]
        network = train(rows, training_places, centre, CROSS_EPOCHS)
        for pair, part in enumerate(folds):
            held_out_rows = np.flatnonzero(part == fold)
            cross_fitted_values[pair][held_out_rows] = _answers(
                network, rows, [(pair, row) for row in held_out_rows.tolist()], centre
            )
    _tell_pearson("training rows, each by a network that has not seen it", rows, cross_fitted_values, names)
    dev_rows = _rows(encoder, arguments.encoded, [split_of(data, pair, "dev") for pair in pairs], middle, moments)
    dev_rows = [_standardised(part, shift, scale) for part in dev_rows]
    left_out_values = _left_out_values(rows, dev_rows, centre)
    _tell_pearson("dev rows, each by a network that has not seen its pair", dev_rows, [dev for _, dev in left_out_values], names)
    network = train(rows, [(pair, row) for pair, part in enumerate(rows) for row in range(len(part))], centre, EPOCHS)
    arrays = _arrays(network) | {"numbers.middle": shift, "numbers.scale": scale, "centre": middle}
    stored = {f"{ARRAY}{name}": array for name, array in arrays.items()} | dict(zip(names, cross_fitted_values, strict=True))
    stored |= {
        read_name(name, part): row[k] for name, row in zip(names, left_out_values, strict=True) for k, part in enumerate(PARTS)
    }
    np.savez(arguments.encoded / NETWORK_FILE, allow_pickle=False, **stored)


def _standardised(rows: ReadingRows, shift: np.ndarray, scale: np.ndarray) -> ReadingRows:
    return replace(rows, numbers=((rows.numbers - shift) / scale).astype(np.float32))


if __name__ == "__main__":
    main()
