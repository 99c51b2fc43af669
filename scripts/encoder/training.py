"""Training of the cross-encoder in two stages, with checkpoints."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from app.arrays import Float64s
from app.resources.pieces import PieceTable
from scripts.encoder.batches import Batch, Example, batches_of, example_of, padded
from scripts.encoder.network import CrossEncoder, trained_state
from scripts.encoder.plan import UnitPlan
from scripts.encoder.rows import LABELS, Row

__all__ = ["EPOCHS", "SECOND_RATE", "SECOND_STAGE", "Epoch", "answers", "train"]

RATE: Final = 1.2e-4
SECOND_RATE: Final = 8e-5
# Rate of the heads, times that of the layers.
HEADS: Final = 5
WARM_UP: Final = 0.04
# Weights of losses.
LABEL_WEIGHTS: Final = (1.0, 1.0, 0.7)
CRITICAL: Final = 0.5
TARGET_TAG_WEIGHTS: Final = (0.4, 0.1, 0.15, 0.1)
SOURCE_TAG_WEIGHT: Final = 0.15
ORDER: Final = 0.3
# Share of rows whose pair is hidden, so that the network learns an answer for any pair.
HIDDEN_PAIRS: Final = 0.2
CHECKPOINT_SECONDS: Final = 600.0
SEED: Final = 30


@dataclass(frozen=True)
class Epoch:
    """Shares of quality rows and of others, number of damaged references, share of companions, part of the training, and faults.

    `are_labelled` gives faults labels of DA and HTER; otherwise the network learns their order alone. `compounds` is the share of
    texts of several rows.
    """

    quality: float
    share: float
    references: int
    companions: float
    size: float
    faults: int = 0
    are_labelled: bool = True
    compounds: float = 0.06


# The second epoch has fewer rows beside the quality rows, whose labels are the most exact. The last one is short, and teaches the
# distance of texts that translate nothing.
EPOCHS: Final = (Epoch(1.0, 0.45, 2500, 1.0, 5.9), Epoch(1.0, 0.15, 800, 0.6, 4.0), Epoch(0.3, 0.12, 600, 0.6, 3.5, 3500))
# The second stage: all quality rows, with few texts that nobody judged.
SECOND_STAGE: Final = (Epoch(1.0, 0.25, 300, 0.3, 1.0, 600, are_labelled=False),)


def loss_of(network: CrossEncoder, batch: Batch) -> Tensor:
    """Weighted sum of the losses of labels, tags and orders."""
    with torch.autocast("cpu", torch.bfloat16):
        labels, target_tags, source_tags = network(batch.inputs)
    loss = labels.sum() * 0
    for k, weight in enumerate(LABEL_WEIGHTS):
        mask = ~torch.isnan(batch.labels[:, k])
        if mask.any():
            loss = loss + weight * functional.smooth_l1_loss(labels[mask, k], batch.labels[mask, k])
    mask = ~torch.isnan(batch.labels[:, 3])
    if mask.any():
        loss = loss + CRITICAL * functional.binary_cross_entropy_with_logits(labels[mask, 3], batch.labels[mask, 3])
    for tags, truth, weights in (
        (target_tags, batch.target_tags, TARGET_TAG_WEIGHTS), (source_tags, batch.source_tags, (SOURCE_TAG_WEIGHT,))
    ):  # fmt: skip
        for k, weight in enumerate(weights):
            mask = truth[..., k] >= 0
            if mask.any():
                loss = loss + weight * functional.binary_cross_entropy_with_logits(tags[..., k][mask], truth[..., k][mask].float())
    if len(batch.orders):
        score = labels[:, 0] - labels[:, 1] - labels[:, 2]
        better, worse = batch.orders.T
        loss = loss + ORDER * functional.softplus(score[worse] - score[better]).mean()
    return loss


def rate_at(progress: float) -> float:
    """Share of the highest learning rate: it rises, then falls to 0 in a line."""
    return progress / WARM_UP if progress < WARM_UP else max(0.0, (1 - progress) / (1 - WARM_UP))


def train(
    network: CrossEncoder,
    table: PieceTable,
    plan: UnitPlan,
    checkpoint: Path,
    tell: Callable[[str], None],
    epochs: Sequence[Epoch] = EPOCHS,
    after_epoch: Callable[[], None] = lambda: None,
    edit: Callable[[Row], Row] = lambda row: row,
    highest_rate: float = RATE,
) -> None:
    """Train the network in place; a checkpoint, if there is one, is continued. `edit` changes each row that is read.

    The rate of learning rises to `highest_rate`, and falls to 0.
    """
    tokens_of: dict[int, Example] = {}

    def example(row: Row, base: bool) -> Example:
        if base and id(row) in tokens_of:
            return tokens_of[id(row)]
        out = example_of(edit(row), table, network.pairs)
        if base:
            tokens_of[id(row)] = out
        return out

    heads = [network.side, *network.pair.parameters(), *network.target_tags.parameters(), *network.source_tags.parameters()]
    heads += [*network.join.parameters(), *network.label.parameters()]
    slow = [value for layer in network.layers for value in layer.parameters() if value.requires_grad]
    optimiser = torch.optim.AdamW(
        [{"params": slow, "weight_decay": 0.01}, {"params": heads, "weight_decay": 0.01}], lr=highest_rate, fused=True
    )
    rates = [highest_rate, HEADS * highest_rate]
    first_epoch, first_step = 0, 0
    if checkpoint.is_file():
        state = torch.load(checkpoint, weights_only=True)
        network.load_state_dict(state["network"], strict=False)
        optimiser.load_state_dict(state["optimiser"])
        first_epoch, first_step = state["epoch"], state["step"]
        tell(f"continues at epoch {first_epoch + 1}, step {first_step}")
    base_rows = {id(row) for rows in (plan.quality, plan.mqm_rows, plan.critical) for row in rows}
    total, stored = sum(epoch.size for epoch in epochs), time.monotonic()
    for number, epoch in enumerate(epochs):
        if number < first_epoch:
            continue
        rng = random.Random(SEED + number)  # noqa: S311  (the order of rows is no secret)
        torch.manual_seed(SEED + number)
        shares = epoch.quality, epoch.share, epoch.references, epoch.companions, epoch.faults, epoch.are_labelled, epoch.compounds
        plain_units = plan.units(rng, *shares)
        units = [tuple(example(row, id(row) in base_rows) for row in unit) for unit in plain_units]
        batches = list(batches_of(units, rng))
        tell(f"epoch {number + 1}: {sum(map(len, units))} rows in {len(batches)} steps")
        network.train()
        size_before, sum_of_losses, epoch_start = sum(before.size for before in epochs[:number]), 0.0, time.monotonic()
        for step, batch in enumerate(batches):
            if number == first_epoch and step < first_step:
                continue
            share = rate_at((size_before + epoch.size * step / len(batches)) / total)
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * share
            hidden = torch.rand(len(batch.inputs.pair)) < HIDDEN_PAIRS
            batch.inputs.pair[hidden] = len(network.pairs)
            loss = loss_of(network, batch)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*slow, *heads], 1.0)
            optimiser.step()
            sum_of_losses += loss.item()
            if step % 100 == 99:
                tell(f"epoch {number + 1} step {step + 1}: loss {sum_of_losses / 100:.4f}, {time.monotonic() - epoch_start:.0f} s")
                sum_of_losses = 0.0
            if time.monotonic() - stored > CHECKPOINT_SECONDS:
                _store(checkpoint, network, optimiser, number, step + 1)
                stored = time.monotonic()
        _store(checkpoint, network, optimiser, number + 1, 0)
        after_epoch()


def _store(path: Path, network: CrossEncoder, optimiser: torch.optim.Optimizer, epoch: int, step: int) -> None:
    new_path = path.with_suffix(".new")
    state = {"network": dict(trained_state(network)), "optimiser": optimiser.state_dict(), "epoch": epoch, "step": step}
    torch.save(state, new_path)
    new_path.replace(path)


def answers(network: CrossEncoder, table: PieceTable, rows: Sequence[Row], pair_known: bool = True) -> Float64s:
    """Labels (n, l) of rows; those of an unknown pair without `pair_known`."""
    examples = [example_of(row, table, network.pairs) for row in rows]
    order = sorted(range(len(rows)), key=lambda k: len(examples[k]))
    out = np.empty((len(rows), len(LABELS)))
    network.eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for begin in range(0, len(order), 48):
            part = order[begin : begin + 48]
            batch = padded([examples[k] for k in part])
            if not pair_known:
                batch.inputs.pair[:] = len(network.pairs)
            out[part] = network(batch.inputs)[0].numpy()
    return out
