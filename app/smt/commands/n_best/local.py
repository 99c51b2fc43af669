"""`assay nbest tune-local`: weights tuned for each sentence, and the hypotheses that they select."""

from typing import Any

import numpy as np

from app import __version__
from app.errors import InputError
from app.metrics import Metric, metric_named
from app.shell.declaration.files import check_file
from app.shell.declaration.forms import Format
from app.shell.inputs import read_file_bytes, read_lines
from app.shell.output import print_json, print_rows, say
from app.smt.commands.n_best.lists import read_list_arguments
from app.smt.commands.options.n_best.local import TuneLocalOptions
from app.smt.commands.options.n_best.tuning import Missing
from app.smt.operations.tune.same_columns import in_columns_of
from app.smt.tuning.local_weights_file import LocalWeightsFile, sources_checksum, write_local_weights
from app.smt.tuning.method import TuningData
from app.smt.tuning.moses_weights import read_any_weights
from app.smt.tuning.pairs.local import LocalWeights, chosen_locally, tune_locally
from app.smt.tuning.pool import TuningPool, pool_of
from app.smt.tuning.significance import chosen_scores
from app.smt.tuning.weights import FeatureWeights
from app.smt.tuning.weights_file import checksum
from app.text.n_best import NBestLists

__all__ = ["tune_local"]


def tune_local(arguments: TuneLocalOptions) -> None:
    """Choose from n-best lists by weights that are tuned for each sentence, on development sentences like it."""
    if arguments.out is not None:
        check_file(arguments.out, "--out")
    measure = metric_named(arguments.metric)
    zero = arguments.missing_weights is Missing.ZERO
    data, pool, card = _development(arguments.n_best, arguments.references, arguments.source, measure, arguments.start, zero)
    texts = [read_lines(path) for path in arguments.test_references or []]
    lists, sources = _lists(arguments.test, arguments.test_source, texts)
    # Lists without references are measured against empty ones: choosing needs no score.
    test_pool = in_columns_of(pool_of(lists, measure, texts or [[""] * len(lists)]), pool, zero)
    test_sources = [sources[segment] for segment in test_pool.segments.tolist()]
    local = tune_locally(data, test_sources, arguments.method, arguments.seed)
    rows = chosen_locally(test_pool, local.weights)
    if arguments.out is not None:
        card = {"method": arguments.method, "seed": arguments.seed, **card, "sources": sources_checksum(sources)}
        card |= {"notes": dict(local.notes)}
        arguments.out.write_bytes(write_local_weights(_artifact(local, test_pool, {**card, "assay": __version__})))
        say(f"wrote {arguments.out}")
    _print(local, test_pool, lists, rows, len(texts), arguments.form)


def _development(
    n_best: list[str], references: list[str], source: str, metric: Metric, start: str | None, zero_missing: bool
) -> tuple[TuningData, TuningPool, dict[str, Any]]:
    """Training rows, and the card's description of them."""
    texts = [read_lines(path) for path in references]
    lists, sources = _lists(n_best, source, texts)
    pool = pool_of(lists, metric, texts)
    weights = np.ones(len(pool.names))
    if start is not None:
        weights = read_any_weights(read_file_bytes(start), pool.names, "--start").weights.of_columns(pool.names, zero_missing)
    card = {
        "metric": metric.signature(len(texts)),
        "features": list(dict.fromkeys(pool.names)),
        "data": {"sha256": checksum(lists, texts), "segments": len(lists), "hypotheses": len(lists.scores)},
    }
    return TuningData(pool, weights, [sources[segment] for segment in pool.segments.tolist()]), pool, card


def _lists(paths: list[str], source: str, references: list[list[str]]) -> tuple[NBestLists, list[str]]:
    sources = read_lines(source)
    lists = read_list_arguments(paths, [*references, sources]).lists
    if len(sources) != len(lists):
        raise InputError("unequal-lengths", f"there are lists of {len(lists)} segments, but {len(sources)} sources", (source,))
    return lists, sources


def _artifact(local: LocalWeights, pool: TuningPool, card: dict[str, Any]) -> LocalWeightsFile:
    rows = zip(pool.segments.tolist(), local.weights, strict=True)
    segments = {segment: FeatureWeights.of(pool.names, row) for segment, row in rows}
    return LocalWeightsFile(segments, FeatureWeights.of(pool.names, local.common_weights), card)


def _print(local: LocalWeights, pool: TuningPool, lists: NBestLists, choices: np.ndarray, references: int, form: Format) -> None:
    """Print a line for each segment, empty for a segment without a list; scores go to standard error."""
    common_choices = pool.best_hypotheses(local.common_weights)
    rows = [{"segment": i + 1, "place": 0, "text": ""} for i in range(len(lists))]
    for number, (segment, place) in enumerate(zip(pool.segments.tolist(), choices.tolist(), strict=True)):
        rows[segment] |= {"place": place - int(pool.offsets[number]) + 1, "text": lists.texts[place]}
    scores: dict[str, float] = {}
    intervals: dict[str, list[float]] = {}
    if references:
        for name, hypotheses in {"first": pool.offsets[:-1], "for all": common_choices, "by sentence": choices}.items():
            scores[name], interval = chosen_scores(pool.metric, pool.statistics[hypotheses])
            intervals[name] = [interval.low, interval.high]
    if form is Format.JSON:
        metric = {"metric": pool.metric.name, "signature": pool.metric.signature(references)} if references else {}
        print_json({"segments": rows, **metric, "scores": scores, "intervals": intervals, "notes": local.notes})
        return
    if form is Format.TEXT:
        for row in rows:
            print(row["text"])
    else:
        print_rows(rows, form)
    say(f"{int((choices != common_choices).sum())} of {len(pool)} segments are chosen otherwise than by the weights for all")
    if scores:
        ranges = {name: f"[{low:.4f}, {high:.4f}]" for name, (low, high) in intervals.items()}
        say(f"{pool.metric.name}: " + ", ".join(f"{name} {score:.4f} {ranges[name]}" for name, score in scores.items()))
