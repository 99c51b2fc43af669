"""The tables of Srivastava's thesis, chapter 3, for your own lists: ``python -m benchmarks.smt.lists.rescoring_grid --dev NBEST --dev-reference REFERENCE``."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer

from app.metrics import Metric, metrics_named
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import number
from app.shell.output import print_json, print_rows, say
from app.smt.commands.options.n_best.tuning import Missing, MissingWeights
from app.smt.operations.tune.same_columns import in_columns_of
from benchmarks.smt.protocols.measured_lists import MeasuredLists, measure, read_with_references, start_weights
from benchmarks.smt.protocols.rescoring import SIZES, Grid, GridRow, best_systems, run_grid

__all__ = ["commands"]

commands = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
METRICS: Final = ("bleu", "nist", "meteor", "wer", "per", "sbleu")
ORACLES: Final = ("sbleu", "meteor")
SIGNIFICANT: Final = 0.05


@commands.command()
def rescore_grid(
    dev: Annotated[list[str], typer.Option(help="N-best list for moving weights; repeat for lists to merge.")],
    dev_reference: Annotated[list[str], typer.Option(help="Reference of the list; repeat for more.")],
    test: Annotated[list[str] | None, typer.Option(help="N-best list to measure the weights on.")] = None,
    test_reference: Annotated[list[str] | None, typer.Option(help="Reference of the list; repeat for more.")] = None,
    weights: Annotated[Path | None, typer.Option(help="File of the decoder's weights (default equal weights).")] = None,
    missing_weights: MissingWeights = Missing.REFUSED,
    sizes: Annotated[list[int] | None, typer.Option("--size", help="Size of lists; repeat for more (default 100 to 5000).")] = None,
    oracle_metrics: Annotated[list[str] | None, typer.Option("--oracle-metric", help="Metric of oracles; repeat for more.")] = None,
    metrics: Annotated[list[str] | None, typer.Option("--metrics", "-m", help="Metric; repeat for more.")] = None,
    step: Annotated[float, number(about="Step of the weights; 1 in the thesis.", low=0.0)] = 1.0,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Rescore n-best lists of several sizes towards their oracles, as a grid of tables."""
    oracle_names = list(oracle_metrics or ORACLES)
    metrics_by_name = metrics_named([*dict.fromkeys([*(metrics or METRICS), *oracle_names])])
    dev_lists = _set(dev, dev_reference, metrics_by_name)
    sets = {"dev": dev_lists}
    if test:
        test_lists = _set(test, test_reference or [], metrics_by_name)
        sets["test"] = replace(test_lists, pool=in_columns_of(test_lists.pool, dev_lists.pool, missing_weights is Missing.ZERO))
    start = start_weights(weights, dev_lists, missing_weights is Missing.ZERO)
    grid = run_grid(dev_lists, sets, start, oracle_names, sizes or SIZES, step)
    if form is Format.JSON:
        signatures = {name: metric.signature(len(dev_reference)) for name, metric in metrics_by_name.items()}
        print_json({**_as_json(grid, dev_lists), "signatures": signatures})
        return
    _print(grid, metrics_by_name, form)


def _set(files: list[str], references: list[str], metrics: dict[str, Metric]) -> MeasuredLists:
    read = read_with_references(files, references)
    return measure(read.lists, metrics, read.references)


def _row(row: GridRow) -> dict[str, Any]:
    """Cells of a row: a star for significance, shares of segments in percent, as in the thesis."""
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
    movements = [
        {"set": row.set, "size": row.size, "system": row.system, **asdict(row.movement)}
        for row in grid.rows
        if row.movement is not None
    ]
    print_rows(movements, form)


def _as_json(grid: Grid, lists: MeasuredLists) -> dict[str, Any]:
    weights = [
        {"size": size, "system": system, "weights": dict(_by_name(lists.pool.names, vector))}
        for (size, system), vector in grid.weights.items()
    ]
    return {"rows": [asdict(row) for row in grid.rows], "weights": weights}


def _by_name(names: tuple[str, ...], weights: np.ndarray) -> dict[str, list[float]]:
    out: dict[str, list[float]] = {}
    for name, weight in zip(names, weights.tolist(), strict=True):
        out.setdefault(name, []).append(weight)
    return out


if __name__ == "__main__":
    commands()
