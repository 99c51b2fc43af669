"""Tuning in rounds: translate into n-best lists, find better weights on the lists, and translate again.

The loop is Och's (2003), as in `mert-moses.pl`. Each round adds the lists of the new weights to those of all earlier rounds.
Weights that are only good on earlier lists thus meet their own mistakes. Any method that tunes on lists can be used.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.building.writing import text_aside
from app.errors import InputError
from app.metrics import Metric
from app.running.processors import available_processors
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.sparse.names import padded
from app.smt.decoder.system import SystemParts, system_of
from app.smt.decoder.tuning.passes import TuningPass, TuningPasses, best_pass
from app.smt.decoder.tuning.translating import translate_text
from app.smt.tuning.method import TuningData
from app.smt.tuning.methods import parse_method
from app.smt.tuning.pool import pool_of
from app.smt.tuning.spreads import spreads
from app.smt.tuning.tune import tune
from app.smt.tuning.weights import FeatureWeights
from app.text.reading.n_best_files import read_lists

__all__ = ["LIST_LENGTH", "METHOD", "ROUNDS", "STEP", "RoundOptions", "refuse_sparse", "tune_by_rounds"]

ROUNDS: Final = 8
LIST_LENGTH: Final = 100
STEP: Final = 0.5
METHOD: Final = "mira"
# The method that tunes one weight at a time.
BY_WEIGHT: Final = "mert"
# Weights that move by less than this share of their sum count as unchanged.
STANDING_STILL: Final = 1e-4
# Features of reordering.
ORDER_KINDS: Final = ("Distortion", "LexicalReordering")
# Number of further seeds that are tried if no better weights are found, and their distance, which no round reaches.
DRAWS: Final = 2
DRAW_DISTANCE: Final = 1000


@dataclass(frozen=True)
class RoundOptions:
    """Options of rounds: the `method` of `assay nbest tune`, the `seed` of the first round (later ones count up), and sizes.

    Weights move by the share `step` of the way from the best round's weights to the best ones on the lists. `threads` translate, 0
    for one per processor; they change no result. With `lattices`, sources are word lattices in PLF.
    """

    method: str = METHOD
    seed: int = 1
    rounds: int = ROUNDS
    list_length: int = LIST_LENGTH
    limits: SearchLimits | None = None
    step: float = STEP
    threads: int = 0
    lattices: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.step <= 1:
            raise InputError("invalid-request", "the step is a share above 0 and up to 1", ("--step",))


def tune_by_rounds(
    parts: SystemParts,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    options: RoundOptions,
    folder: Path,
    watch: Callable[[int, TuningPass], None] = lambda number, outcome: None,
) -> TuningPasses[TuningPass]:
    """Translate and tune on all lists so far, again and again; the best round's weights translate `sources` best.

    Round 0 has the weights of `parts`, so the result is no worse on these sentences. `folder` keeps the list and score of each
    round. A killed run continues after the last of them, and ends with equal weights. The folder may only hold rounds of equal
    systems, texts and options. InputError as of the method, the metric or the lists. Counts are `new`, the hypotheses that earlier
    rounds lack; notes are `converged`, True if further rounds would find nothing new.
    """
    parse_method(options.method)
    if parts.has_sparse:
        refuse_sparse(options.method)
    weights = parts.weights
    rounds: list[TuningPass] = []
    converged = False
    for number in range(options.rounds + 1):
        last = number == options.rounds
        record = _read(folder, number)
        score = (
            record["score"] if record else _translate(parts, weights, sources, references, metric, options, folder, number, last)
        )
        if last:
            rounds.append(TuningPass(weights, score, {"new": 0}))
            watch(number, rounds[-1])
            break
        lists = read_lists([_list_file(folder, n) for n in range(number + 1)])
        new_count = lists.files[-1].new
        rounds.append(TuningPass(weights, score, {"new": new_count}))
        watch(number, rounds[-1])
        if not new_count:
            converged = True
            break
        # The best weights on a few lists may find bad translations, which later lists then have; the best round is a better start.
        weights = best_pass(rounds, metric).weights
        candidate, converged = weights, True
        for start, seed_offset in _attempts(weights, parts.weights):
            candidate = _improve(parts, weights, start, lists.lists, sources, references, metric, options, number + seed_offset)
            converged = _stands_still(weights, candidate)
            if not converged:
                break
        if converged:
            break
        weights = candidate
    return TuningPasses(tuple(rounds), best_pass(rounds, metric), {"converged": converged})


def _attempts(weights: Float64s, initial: Float64s) -> Iterator[tuple[Float64s, int]]:
    """Yield initial weights and increments of the seed, until one search finds better weights on the lists.

    Near the best weights, none may be better; searches from the initial weights and other draws show other translations.
    """
    yield weights, 0
    if not _stands_still(weights, initial):
        yield initial, 0
    for draw in range(1, DRAWS + 1):
        yield weights, draw * DRAW_DISTANCE


def refuse_sparse(method: str) -> None:
    """Raise InputError if a method cannot tune sparse features."""
    if method.split("|")[0] == BY_WEIGHT:
        detail = f"{BY_WEIGHT} tunes one weight at a time, and sparse features are too many; take mira or pro"
        raise InputError("invalid-tuning", detail, ("--method",))


def _stands_still(old: Float64s, new: Float64s) -> bool:
    width = max(len(old), len(new))
    distance = np.abs(padded(new, width) - padded(old, width)).sum()
    return bool(distance < STANDING_STILL * np.abs(old).sum())


def _translate(
    parts: SystemParts,
    weights: Float64s,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    options: RoundOptions,
    folder: Path,
    number: int,
    last: bool,
) -> float:
    """Write a round's lists, unless it is the last, and its score; return the score."""
    texts = []
    with text_aside(_list_file(folder, number)) as file:
        results = translate_text(
            system_of(parts, weights),
            options.limits,
            sources,
            0 if last else options.list_length,
            options.threads or available_processors(),
            options.lattices,
        )
        for segment, result in enumerate(results):
            texts.append(result.text)
            file.writelines(f"{segment} ||| {line}" for line in result.hypotheses)
    statistics = metric.prepare(references).statistics(texts)
    score = float(metric.score(statistics.sum(0)[None])[0])
    with text_aside(_score_file(folder, number)) as file:
        json.dump({"score": score, "weights": weights.tolist()}, file)
    return score


def _improve(
    parts: SystemParts,
    weights: Float64s,
    start: Float64s,
    lists: Any,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    options: RoundOptions,
    number: int,
) -> Float64s:
    """Weights on the way from `weights` to better ones on the lists, which the search begins at `start`.

    They keep the scale of `weights`, since the beam depends on it.
    """
    # The last sentences may have no translation.
    missing = len(sources) - len(lists)
    lists = replace(lists, offsets=np.append(lists.offsets, np.repeat(lists.offsets[-1:], missing)))
    pool = pool_of(lists, metric, references)
    present = pool.segments.tolist()
    _number_names(parts, pool.names)
    old, initial = (_of_columns(parts, vector, pool.names) for vector in (weights, start))
    data = TuningData(
        pool,
        initial,
        [sources[segment] for segment in present],
        [[reference[segment] for segment in present] for reference in references],
        lists.texts,
    )
    found_weights = tune(data, options.method, [options.seed + number]).selection.weights
    jumping = bool((options.limits or parts.ini.limits).distortion)
    moved_weights = FeatureWeights.of(pool.names, _between(old, found_weights, spreads(pool), options.step))
    if not parts.has_sparse:
        result = moved_weights.of_columns(parts.names)
        result = _without_rewards_for_jumps(parts, result) if jumping else result
        return np.asarray(result * (np.abs(weights).sum() / np.abs(result).sum()))
    result = moved_weights.of_columns(parts.names, zero_missing=True)
    result = _without_rewards_for_jumps(parts, result) if jumping else result
    # However many sparse features appear, dense weights keep their total size, and features outside the lists keep their weights.
    dense = slice(parts.dense)
    result *= np.abs(weights[dense]).sum() / max(np.abs(result[dense]).sum(), 1e-300)
    in_lists = np.array([name in moved_weights.values for name in parts.names])
    return np.where(in_lists, result, padded(weights, len(result)))


def _number_names(parts: SystemParts, columns: Sequence[str]) -> None:
    """Number the sparse features of lists."""
    dense = set(parts.names[: parts.dense])
    for name in columns:
        if name not in dense:
            parts.sparse.names.number(name)


def _of_columns(parts: SystemParts, weights: Float64s, columns: Sequence[str]) -> Float64s:
    """Weights of a list's columns, 0 for new sparse features."""
    return FeatureWeights.of(parts.names, padded(weights, len(parts.names))).of_columns(columns)


def _without_rewards_for_jumps(parts: SystemParts, weights: Float64s) -> Float64s:
    """Weights with those of reordering raised to 0 or more, or to a negative initial weight.

    Weights that rarely jump give lists with few jumps, and tuning may then make weights of jumps negative. A search that may jump
    would then jump as far as it can.
    """
    mask = np.zeros(len(weights), np.bool_)
    mask[: parts.dense] = [feature.kind in ORDER_KINDS for feature in parts.features for _ in feature.weights]
    initial = padded(parts.weights[: parts.dense], len(weights))
    return np.where(mask, np.maximum(weights, np.minimum(initial, 0.0)), weights)


def _between(old: Float64s, new: Float64s, units: Float64s, step: float) -> Float64s:
    """Weights between two vectors, both scaled to equal effect inside lists; weights of rare features are of any size."""
    if step == 1:
        return new
    first, second = (weights / max(float(np.abs(weights * units).sum()), 1e-300) for weights in (old, new))
    return np.asarray((1 - step) * first + step * second)


def _list_file(folder: Path, number: int) -> Path:
    return folder / f"round-{number}.gz"


def _score_file(folder: Path, number: int) -> Path:
    return folder / f"round-{number}.json"


def _read(folder: Path, number: int) -> dict[str, Any] | None:
    """Record of a round of a killed run; None if there is none."""
    path = _score_file(folder, number)
    if not path.exists():
        return None
    record: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return record
