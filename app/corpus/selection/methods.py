"""Selectors by name, with their options: ``moore-lewis|order:4``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.corpus.alignment.aligner import Aligner
from app.corpus.selection.entropies import (
    DEFAULT_ORDER,
    SIDES,
    EntropyDifference,
    PerplexityScorer,
    Side,
    SideModel,
    sides_of,
    train_models,
)
from app.corpus.selection.given import AlignmentScorer, GivenScorer
from app.corpus.selection.materials import Materials, inside, read_pairs, sample_pool
from app.corpus.selection.model1 import ITERATIONS, Model1Scorer, train_model1
from app.corpus.selection.plain import LengthScorer, RandomScorer
from app.corpus.selection.pool import MOST_WORDS, Pool, read_side
from app.corpus.selection.scoring import Scorer
from app.errors import InputError
from app.options import NO, Choice, Number, Option, parse_options
from app.text.batch import TokenColumn

__all__ = ["METHODS", "Method", "make_scorer"]

SEED: Final = Number(0, 2**31, 1, whole=True)
ORDER: Final = Number(2, 7, DEFAULT_ORDER, whole=True)
FEWEST: Final = Number(1, 1000, 2, whole=True)
# Texts that models are trained on are held in memory.
MOST_LINES: Final = 1_000_000
TRAINED_ON: Final = 30_000
INSIDE: Final = frozenset({"inside_source", "inside_target"})
OUTSIDE: Final = frozenset({"outside_source", "outside_target"})


@dataclass(frozen=True)
class Method:
    """A selector: its options, the files it may be given, and what makes its scorer of option values, pool and files."""

    options: Mapping[str, Option]
    uses: frozenset[str]
    make: Callable[[str, Mapping[str, Any], Pool, Materials], Scorer]


def make_scorer(spec: str, pool: Pool, materials: Materials) -> Scorer:
    """The scorer that ``name|option:value`` stands for; models that it needs are trained.

    InputError (`invalid-request`) names what there is where the name, an option or a file is not one of them.
    """
    name, *pairs = spec.split("|")
    if name not in METHODS:
        raise InputError("invalid-request", f"methods are {', '.join(METHODS)}", ("--method",))
    method = METHODS[name]
    values = parse_options(name, method.options, pairs, "invalid-request", "moore-lewis|order:4")
    materials.refuse_others(method.uses, name)
    return method.make(name, values, pool, materials)


def _difference(name: str, values: Mapping[str, Any], pool: Pool, materials: Materials) -> Scorer:
    side: Side = values.get("side", "source")
    insides = {number: inside(materials, number, name) for number in sides_of(side)}
    lines = min(MOST_LINES, max(len(column) for column in insides.values()))
    given = {number: (materials.outside_source, materials.outside_target)[number] for number in insides}
    sample = sample_pool(pool, lines, values["seed"]) if None in given.values() else None
    models = {}
    for number, column in insides.items():
        path = given[number]
        if path is not None:
            general = read_side(path)
        else:
            assert sample is not None
            general = (sample.source, sample.target)[number]
        models[number] = train_models([column, general], values["order"], values["fewest"])
    return EntropyDifference({k: pair[0] for k, pair in models.items()}, {k: pair[1] for k, pair in models.items()})


def _perplexity(name: str, values: Mapping[str, Any], pool: Pool, materials: Materials) -> Scorer:
    models = {}
    for number in sides_of(values["side"]):
        path = (materials.model_source, materials.model_target)[number]
        if path is not None:
            models[number] = SideModel.open(path)
        else:
            text: TokenColumn = inside(
                materials, number, f"{name} without a language model ({'--lm-target' if number else '--lm-source'})"
            )
            models[number] = train_models([text], values["order"], values["fewest"])[0]
    return PerplexityScorer(models)


def _model1(name: str, values: Mapping[str, Any], pool: Pool, materials: Materials) -> Scorer:
    if materials.there & {"parallel_source", "parallel_target"}:
        source, target = (materials.path(side, name) for side in ("parallel_source", "parallel_target"))
        pairs = read_pairs(source, target, values["pairs"])
    else:
        pairs = sample_pool(pool, values["pairs"], values["seed"])
    return Model1Scorer(
        train_model1(pairs, values["iterations"]),
        train_model1(pairs.flipped, values["iterations"]),
        values["floor"],
        values["agreement"],
    )


METHODS: Final[Mapping[str, Method]] = {
    "random": Method({"seed": SEED}, frozenset(), lambda name, values, pool, files: RandomScorer(values["seed"])),
    "length": Method(
        {"low": Number(1, MOST_WORDS, 10, whole=True), "high": Number(1, MOST_WORDS, 50, whole=True), "seed": SEED},
        frozenset(),
        lambda name, values, pool, files: LengthScorer(values["low"], values["high"], values["seed"]),
    ),
    "moore-lewis": Method(
        {"order": ORDER, "fewest": FEWEST, "seed": SEED}, frozenset({"inside_source", "outside_source"}), _difference
    ),
    "cross-entropy-difference": Method(
        {"side": Choice(SIDES, "both"), "order": ORDER, "fewest": FEWEST, "seed": SEED}, INSIDE | OUTSIDE, _difference
    ),
    "perplexity": Method(
        {"side": Choice(SIDES, "target"), "order": ORDER, "fewest": FEWEST},
        INSIDE | {"model_source", "model_target"},
        _perplexity,
    ),
    "ibm1": Method(
        {
            "pairs": Number(1, MOST_LINES, TRAINED_ON, whole=True),
            "iterations": Number(1, 100, ITERATIONS, whole=True),
            "floor": Number(1e-30, 0.1, 1e-7),
            "agreement": NO,
            "seed": SEED,
        },
        frozenset({"parallel_source", "parallel_target"}),
        _model1,
    ),
    "aligner": Method(
        {"agreement": NO},
        frozenset({"aligner"}),
        lambda name, values, pool, files: AlignmentScorer(Aligner.open(files.path("aligner", name)), values["agreement"]),
    ),
    "given": Method({}, frozenset({"given"}), lambda name, values, pool, files: GivenScorer(files.path("given", name))),
}
