"""`assay nbest grid`: the tables of Srivastava's thesis, chapter 3, for somebody's own lists."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.errors import InputError
from app.metrics import Metric, metrics_named
from app.shell.declaration.forms import Format
from app.shell.output import print_json, print_rows, say
from app.smt.commands.options.n_best.grid import GridOptions
from app.smt.commands.options.n_best.weights import Missing
from app.smt.lists.diagnosis.grid import SIZES, Grid, GridRow, best_systems, run_grid
from app.smt.operations.tune.same_columns import in_columns_of
from app.smt.tuning.moses_weights import read_any_weights
from app.smt.tuning.protocols.measured_lists import MeasuredLists, measure
from app.text.reading.n_best_files import read_lists

__all__ = ["rescore_grid"]

METRICS: Final = ("bleu", "nist", "meteor", "wer", "per", "sbleu")
ORACLES: Final = ("sbleu", "meteor")
SIGNIFICANT: Final = 0.05


def rescore_grid(options: GridOptions) -> None:
    """Rescore n-best lists of several sizes towards their oracles, as a grid of tables."""
    chosen_by = list(options.oracle_metrics or ORACLES)
    named = metrics_named([*dict.fromkeys([*(options.metrics or METRICS), *chosen_by])])
    learnt = _set(options.dev, options.dev_reference, named)
    sets = {"dev": learnt}
    if options.test:
        held = _set(options.test, options.test_reference or [], named)
        sets["test"] = replace(held, pool=in_columns_of(held.pool, learnt.pool, options.missing_weights is Missing.ZERO))
    grid = run_grid(
        learnt, sets, _weights(options.weights, learnt, options.missing_weights), chosen_by, options.sizes or SIZES, options.step
    )
    if options.form is Format.JSON:
        signatures = {name: metric.signature(len(options.dev_reference)) for name, metric in named.items()}
        print_json({**_as_json(grid, learnt), "signatures": signatures})
        return
    _print(grid, named, options.form)


def _set(files: list[str], references: list[str], metrics: dict[str, Metric]) -> MeasuredLists:
    read = read_lists([Path(path) for path in files], references=[Path(path) for path in references])
    if not read.references:
        raise InputError("missing-evidence", "lists are measured against references, and there are none", ("references",))
    return measure(read.lists, metrics, read.references)


def _weights(path: Path | None, learnt: MeasuredLists, missing: Missing) -> np.ndarray:
    names = learnt.pool.names
    if path is None:
        return np.ones(len(names))
    return read_any_weights(path.read_bytes(), names, path.name).weights.of_columns(names, missing is Missing.ZERO)


def _row(row: GridRow) -> dict[str, Any]:
    """A row as people read it: significance as a star, shares of segments in percent as the thesis has them."""
    star = "*" if row.p_value is not None and row.p_value <= SIGNIFICANT else ""
    return {
        "set": row.set,
        "size": row.size,
        "system": f"{row.system}{star}",
        **{name: f"{score:.2f}" for name, score in row.scores.items()},
        **{f"on top, {name} %": f"{100 * share:.2f}" for name, share in row.on_top.items()},
    }


def _print(grid: Grid, metrics: dict[str, Metric], form: Format) -> None:
    print_rows([_row(row) for row in grid.rows], form)
    say("* differs from the baseline by the first metric (paired bootstrap, p <= 0.05)\n\nbest systems:")
    best = []
    for key in dict.fromkeys((row.set, row.size) for row in grid.rows):
        rows = [row for row in grid.rows if (row.set, row.size) == key]
        names = {name: ", ".join(best_systems(rows, name, metric.higher_is_better)) for name, metric in metrics.items()}
        best.append({"set": key[0], "size": key[1], **names})
    print_rows(best, form)
    say("\nmovement of oracles (segments, mean positions, into or out of the first five):")
    moved = [
        {"set": row.set, "size": row.size, "system": row.system, **asdict(row.movement)}
        for row in grid.rows
        if row.movement is not None
    ]
    print_rows(moved, form)


def _as_json(grid: Grid, learnt: MeasuredLists) -> dict[str, Any]:
    weights = [
        {"size": size, "system": system, "weights": dict(_by_name(learnt.pool.names, moved))}
        for (size, system), moved in grid.weights.items()
    ]
    return {"rows": [asdict(row) for row in grid.rows], "weights": weights}


def _by_name(names: tuple[str, ...], weights: np.ndarray) -> dict[str, list[float]]:
    out: dict[str, list[float]] = {}
    for name, weight in zip(names, weights.tolist(), strict=True):
        out.setdefault(name, []).append(weight)
    return out
