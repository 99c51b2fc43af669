"""Tuning by translating again: lists of what a system finds with its weights, weights that are better on them, and so on.

The loop is Och's (2003), as `mert-moses.pl` has it: each round adds what the new weights find to the lists of all rounds before,
so that weights which are good only on what was seen so far find their own mistakes. Any method that tunes on lists can be in it.
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
from app.smt.decoder.moses_ini import Limits
from app.smt.decoder.sparse.names import padded
from app.smt.decoder.system import Parts, system_of
from app.smt.decoder.tuning.translating import cores, translate_text
from app.smt.tuning import TuningData, Weights, parse_method, pool_of, tune
from app.smt.tuning.scaling import spreads
from app.text.reading.n_best_files import read_lists

__all__ = ["LIST_LENGTH", "METHOD", "ROUNDS", "STEP", "Round", "RoundOptions", "Rounds", "refuse_sparse", "tune_by_rounds"]

ROUNDS: Final = 8
LIST_LENGTH: Final = 100
STEP: Final = 0.5
METHOD: Final = "mira"
# The method that searches weight by weight.
BY_WEIGHT: Final = "mert"
# Weights that move less than by this share of all of them are the same.
STANDING_STILL: Final = 1e-4
# Features that say where what comes next is.
OF_ORDER: Final = ("Distortion", "LexicalReordering")
# Where nothing better is found, so many other seeds are tried, which no round has.
DRAWS: Final = 2
OTHER_DRAWS: Final = 1000


@dataclass(frozen=True)
class RoundOptions:
    """`method` as `assay nbest tune` takes it, the first round's `seed` (each has the next), and how much is done.

    Weights move by the share `step` of the way from those that translated best so far to those that are best on the lists.
    `threads` translate, 0 for as many as there are processors; they change no result.
    """

    method: str = METHOD
    seed: int = 1
    rounds: int = ROUNDS
    list_length: int = LIST_LENGTH
    limits: Limits | None = None
    step: float = STEP
    threads: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.step <= 1:
            raise InputError("invalid-request", "weights move by a share of their way from more than 0 to 1", ("--step",))


@dataclass(frozen=True, eq=False)
class Round:
    """One translation of all sentences: with which weights, how good it is, and how many hypotheses no round before had."""

    weights: Float64s
    score: float
    new: int


@dataclass(frozen=True, eq=False)
class Rounds:
    """All rounds, the first with the weights that were there; `best` translated best. `converged`: more would find nothing new."""

    rounds: tuple[Round, ...]
    best: Round
    converged: bool


def tune_by_rounds(
    parts: Parts,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    options: RoundOptions,
    folder: Path,
    watch: Callable[[int, Round], None] = lambda number, done: None,
) -> Rounds:
    """Translate, tune on all lists so far, and again; the best round's weights are those that translated `sources` best.

    Round 0 has the weights of `parts`, so what comes out is not worse than they are on these sentences. In `folder` each round's
    list and score stay, and a run that was killed goes on behind the last of them and ends with the same weights; it must hold
    rounds of the same system, text and options only. InputError as of the method, the metric or the lists.
    """
    parse_method(options.method)
    if parts.has_sparse:
        refuse_sparse(options.method)
    weights = parts.weights
    done: list[Round] = []
    converged = False
    for number in range(options.rounds + 1):
        last = number == options.rounds
        kept = _read(folder, number)
        score = kept["score"] if kept else _translate(parts, weights, sources, references, metric, options, folder, number, last)
        if last:
            done.append(Round(weights, score, 0))
            watch(number, done[-1])
            break
        lists = read_lists([_list_file(folder, n) for n in range(number + 1)])
        done.append(Round(weights, score, lists.files[-1].new))
        watch(number, done[-1])
        if not done[-1].new:
            converged = True
            break
        # Weights that are best on a few lists may find nonsense, which the lists have then: from there no way is short.
        weights = _best(done, metric).weights
        tuned, converged = weights, True
        for start, more in _attempts(weights, parts.weights):
            tuned = _tuned(parts, weights, start, lists.lists, sources, references, metric, options, number + more)
            converged = _stands_still(weights, tuned)
            if not converged:
                break
        if converged:
            break
        weights = tuned
    return Rounds(tuple(done), _best(done, metric), converged)


def _attempts(weights: Float64s, untuned: Float64s) -> Iterator[tuple[Float64s, int]]:
    """From where weights are sought, and what is added to the seed, until some are found that are better on the lists.

    Nothing near the best may be better: what is found from the beginning shows other translations, and so do other draws.
    """
    yield weights, 0
    if not _stands_still(weights, untuned):
        yield untuned, 0
    for draw in range(1, DRAWS + 1):
        yield weights, draw * OTHER_DRAWS


def refuse_sparse(method: str) -> None:
    """InputError where a method cannot tune sparse features."""
    if method.split("|")[0] == BY_WEIGHT:
        detail = f"{BY_WEIGHT} looks at each weight by itself, and sparse features have any number; take mira or pro"
        raise InputError("invalid-tuning", detail, ("--method",))


def _stands_still(before: Float64s, after: Float64s) -> bool:
    width = max(len(before), len(after))
    moved = np.abs(padded(after, width) - padded(before, width)).sum()
    return bool(moved < STANDING_STILL * np.abs(before).sum())


def _best(done: Sequence[Round], metric: Metric) -> Round:
    """The round that translated best, of equal ones the first."""
    best = done[0]
    for one in done[1:]:
        better = one.score > best.score if metric.higher_is_better else one.score < best.score
        best = one if better else best
    return best


def _translate(
    parts: Parts,
    weights: Float64s,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    options: RoundOptions,
    folder: Path,
    number: int,
    last: bool,
) -> float:
    """Write a round's lists, unless it is the last, and the score of its translations."""
    texts = []
    with text_aside(_list_file(folder, number)) as file:
        done = translate_text(
            system_of(parts, weights), options.limits, sources, 0 if last else options.list_length, options.threads or cores()
        )
        for segment, translated in enumerate(done):
            texts.append(translated.text)
            file.writelines(f"{segment} ||| {line}" for line in translated.hypotheses)
    statistics = metric.prepare(references).statistics(texts)
    score = float(metric.score(statistics.sum(0)[None])[0])
    with text_aside(_score_file(folder, number)) as file:
        json.dump({"score": score, "weights": weights.tolist()}, file)
    return score


def _tuned(
    parts: Parts,
    weights: Float64s,
    start: Float64s,
    lists: Any,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    options: RoundOptions,
    number: int,
) -> Float64s:
    """Some way from weights to those that are better on lists than `start`; on their scale, since the beam depends on it."""
    # Sentences at the end may have no translation.
    missing = len(sources) - len(lists)
    lists = replace(lists, offsets=np.append(lists.offsets, np.repeat(lists.offsets[-1:], missing)))
    pool = pool_of(lists, metric, references)
    present = pool.segments.tolist()
    _number(parts, pool.names)
    before, begin = (_of_columns(parts, own, pool.names) for own in (weights, start))
    data = TuningData(
        pool,
        begin,
        [sources[segment] for segment in present],
        [[reference[segment] for segment in present] for reference in references],
        lists.texts,
    )
    taken = tune(data, options.method, [options.seed + number]).taken.weights
    jumping = bool((options.limits or parts.ini.limits).distortion)
    made = Weights.of(pool.names, _between(before, taken, spreads(pool), options.step))
    if not parts.has_sparse:
        tuned = made.of_columns(parts.names)
        tuned = _no_praise_of_jumps(parts, tuned) if jumping else tuned
        return np.asarray(tuned * (np.abs(weights).sum() / np.abs(tuned).sum()))
    tuned = made.of_columns(parts.names, zero_missing=True)
    tuned = _no_praise_of_jumps(parts, tuned) if jumping else tuned
    # However many sparse features come up, the dense ones stay as large as they were, and those that no list has as they are.
    dense = slice(parts.dense)
    tuned *= np.abs(weights[dense]).sum() / max(np.abs(tuned[dense]).sum(), 1e-300)
    listed = np.array([name in made.values for name in parts.names])
    return np.where(listed, tuned, padded(weights, len(tuned)))


def _number(parts: Parts, columns: Sequence[str]) -> None:
    """Number the sparse features of lists."""
    dense = set(parts.names[: parts.dense])
    for name in columns:
        if name not in dense:
            parts.sparse.names.number(name)


def _of_columns(parts: Parts, weights: Float64s, columns: Sequence[str]) -> Float64s:
    """Weights of a list's columns; a sparse feature that came up since has none yet."""
    return Weights.of(parts.names, padded(weights, len(parts.names))).of_columns(columns)


def _no_praise_of_jumps(parts: Parts, weights: Float64s) -> Float64s:
    """Weights of jumps and orientations that are not negative, where the first ones are not.

    Lists of weights that rarely jump hold next to no jumps, so they may make such a weight negative; a search that is free to jump
    goes wherever that is paid for.
    """
    of_order = np.zeros(len(weights), np.bool_)
    of_order[: parts.dense] = [feature.kind in OF_ORDER for feature in parts.features for _ in feature.weights]
    first = padded(parts.weights[: parts.dense], len(weights))
    return np.where(of_order, np.maximum(weights, np.minimum(first, 0.0)), weights)


def _between(before: Float64s, after: Float64s, units: Float64s, step: float) -> Float64s:
    """Weights between others, both of which are taken to do equally much inside lists: those of rare features are of any size."""
    if step == 1:
        return after
    one, other = (weights / max(float(np.abs(weights * units).sum()), 1e-300) for weights in (before, after))
    return np.asarray((1 - step) * one + step * other)


def _list_file(folder: Path, number: int) -> Path:
    return folder / f"round-{number}.gz"


def _score_file(folder: Path, number: int) -> Path:
    return folder / f"round-{number}.json"


def _read(folder: Path, number: int) -> dict[str, Any] | None:
    """What is left of a round of a run that was killed."""
    path = _score_file(folder, number)
    if not path.exists():
        return None
    kept: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return kept
