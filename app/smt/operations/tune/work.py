"""How much work a tuning is, before any of it is done: how often every hypothesis is looked at, times its features."""

from collections.abc import Callable, Mapping
from typing import Final

from app.errors import InputError
from app.smt.operations.tune.request import TuneRequest
from app.smt.tuning.mert import usual_restarts
from app.smt.tuning.method import Settings
from app.smt.tuning.methods import parse_method
from app.smt.tuning.online.constraint_kernels import ALL
from app.smt.tuning.pairs.samples import sampler_of
from app.smt.tuning.pairs.sampling import check_pairs
from app.text.n_best import NBestLists

__all__ = ["check_tuning_work", "work_of_tuning"]

# Two days or so of a processor, which looks at 200 to 400 million such numbers a second.
MOST_WORK: Final = 50_000_000_000_000
# Line searches of a climb: so many times all directions.
SWEEPS: Final = 3
# To draw a pair, to look it up and to put it into its place, in numbers that are looked at.
DRAW: Final = 5
# Steps of a regression.
NEWTON: Final = 10
# What a step that moves weights costs beside a look at all numbers of a list.
MOVE: Final = 3
# Passes over the margins of a list, where there are as many as hypotheses and not all can hold.
PASSES: Final = 100


def _mert(settings: Settings, lists: NBestLists, width: int) -> float:
    restarts = settings["restarts"]
    if restarts == "auto":
        restarts = usual_restarts(len(lists), len(lists.scores), width)
    searches = SWEEPS * (min(width, 100) + settings["directions"])
    # A search looks at a slope and an intercept of each hypothesis; a random direction at all of its features.
    numbers = (2 * SWEEPS * min(width, 100) + (2 + width) * SWEEPS * settings["directions"]) / searches
    smoothed = 1 if settings["smooth"] == "none" else 2
    return float((restarts + 1) * searches * numbers * smoothed * len(lists.scores))


def _pairs(settings: Settings, lists: NBestLists, width: int) -> float:
    drawn = settings["draws"] * (20 if settings["until-accepted"] else 1)
    kept = min(settings["pairs"], drawn)
    return float(settings["rounds"] * len(lists) * (DRAW * drawn + NEWTON * kept * width**2))


def _online(settings: Settings, lists: NBestLists, width: int) -> float:
    epochs = max(settings["epochs"], min(settings["steps"] / max(len(lists), 1), 1000))
    # Margins before all hypotheses are looked at again for every target, pass by pass.
    passes = PASSES * settings["oracles"] if settings.get("constraints") == ALL else 0
    return float((MOVE + passes) * epochs * len(lists.scores) * width)


def _samplerank(settings: Settings, lists: NBestLists, width: int) -> float:
    mean = len(lists.scores) / max(len(lists), 1)
    looked = min(settings["neighbours"] or mean, mean)
    return float(settings["epochs"] * (settings["burn-in"] + settings["samples"]) * len(lists) * looked * width)


def _likelihood(settings: Settings, lists: NBestLists, width: int) -> float:
    return float(MOVE * settings["steps"] * len(lists.scores) * width)


def _expected(settings: Settings, lists: NBestLists, width: int) -> float:
    return float(MOVE * (settings["restarts"] + 1) * settings["stages"] * settings["steps"] * len(lists.scores) * width)


def _ramp(settings: Settings, lists: NBestLists, width: int) -> float:
    return float(MOVE * settings["rounds"] * (settings["passes"] + 1) * len(lists.scores) * width)


def _one_step(settings: Settings, lists: NBestLists, width: int) -> float:
    return float(MOVE * len(lists.scores) * width)


# By the name of the method.
WORK: Final[Mapping[str, Callable[[Settings, NBestLists, int], float]]] = {
    "mert": _mert,
    "pro": _pairs,
    "wro": _pairs,
    "mira": _online,
    "perceptron": _online,
    "samplerank": _samplerank,
    "likelihood": _likelihood,
    "expected": _expected,
    "ramp": _ramp,
    "resc-sum": _one_step,
    "resc-prod": _one_step,
}


def work_of_tuning(request: TuneRequest) -> int:
    """The work of all runs; InputError where the method cannot be."""
    method, settings = parse_method(request.method)
    lists = request.n_best
    # Of sparse features a hypothesis has a few.
    width = len(lists.names) + (0 if lists.sparse is None else len(lists.sparse.values) // max(len(lists.scores), 1))
    return int(request.runs * WORK[method.name](settings, lists, max(width, 1)))


def check_tuning_work(request: TuneRequest) -> None:
    """InputError where it would be days, or more pairs than are held: what may be left out is said, and how much of it."""
    method, settings = parse_method(request.method)
    if method.name in ("pro", "wro"):
        check_pairs(sampler_of(settings), int((request.n_best.lengths > 0).sum()))
    work = work_of_tuning(request)
    if work > MOST_WORK:
        times = work / MOST_WORK
        detail = f"this is {times:.3g} times the work that a tuning may be: ask for fewer runs, restarts, rounds or lists"
        raise InputError("invalid-tuning", detail, ("method",))
