"""Selectors by name, with their options: ``moore-lewis|order:4``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.corpus.alignment.aligner import Aligner
from app.corpus.selection.classifier import train_classifier
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
from app.corpus.selection.filters import TextFilters
from app.corpus.selection.given import AlignmentScorer, GivenScorer
from app.corpus.selection.materials import OPTION_OF, Materials, inside, read_pairs, sample_pool
from app.corpus.selection.model1 import ITERATIONS, Model1Scorer, train_model1
from app.corpus.selection.parallel_features import FEATURES, ParallelFeatures, ParallelScorer
from app.corpus.selection.plain import LengthScorer, RandomScorer
from app.corpus.selection.pool import MOST_WORDS, Pool, read_side
from app.corpus.selection.scoring import Scorer
from app.errors import InputError
from app.options import NO, Choice, Number, Option, Parsed, parse_options
from app.text.batch import TokenColumn

__all__ = ["METHODS", "Method", "make_scorer", "method_called"]

SEED: Final = Number(0, 2**31, 1, whole=True)
ORDER: Final = Number(2, 7, DEFAULT_ORDER, whole=True)
FEWEST: Final = Number(1, 1000, 2, whole=True)
# Texts that models are trained on are held in memory.
MOST_LINES: Final = 1_000_000
TRAINED_ON: Final = 30_000
NO_FILTERS: Final = TextFilters()
INSIDE: Final = frozenset({"inside_source", "inside_target"})
OUTSIDE: Final = frozenset({"outside_source", "outside_target"})


@dataclass(frozen=True)
class Method:
    """A selector: its options, the files it may be given, and what makes its scorer of option values, pool and files."""

    options: Mapping[str, Option]
    uses: frozenset[str]
    make: Callable[[str, Mapping[str, Any], Pool, Materials], Scorer]
    filters: TextFilters = NO_FILTERS


def method_called(spec: str) -> Method:
    """The method whose name a spec begins with; InputError (`invalid-request`) says which there are."""
    name = spec.partition("|")[0]
    if name not in METHODS:
        raise InputError("invalid-request", f"methods are {', '.join(METHODS)}", ("--method",))
    return METHODS[name]


def make_scorer(spec: str, pool: Pool, materials: Materials) -> Scorer:
    """The scorer that ``name|option:value`` stands for; models that it needs are trained.

    InputError (`invalid-request`) names what there is where the name, an option or a file is not one of them.
    """
    method = method_called(spec)
    name, *pairs = spec.split("|")
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


def _parallel(name: str, values: Mapping[str, Any], pool: Pool, materials: Materials) -> ParallelScorer:
    function_words = materials.function_words
    if function_words is None and FEATURES.index("TFWP") in values["only"]:
        detail = f"{name} counts function words of the target; give a file of them, or a language whose list ships"
        raise InputError("invalid-request", detail, (OPTION_OF["function_words"],))
    aligner = None if materials.aligner is None else Aligner.open(materials.aligner)
    if pool.links is None and aligner is None:
        raise InputError("invalid-request", f"{name} needs links of words, by --links or --aligner")
    features = ParallelFeatures(frozenset(function_words or ()), values["fertility"], values["tfwp"])
    wider = int(values["inclusive"])
    return ParallelScorer(features, values["low"] - wider, values["top"] + wider, values["only"], aligner)


def _machine(name: str, values: Mapping[str, Any], pool: Pool, materials: Materials) -> Scorer:
    scorer = _parallel(name, values, pool, materials)
    good = Pool(materials.path("inside_source", name), materials.path("inside_target", name), materials.inside_links)
    if good.links is None and scorer.aligner is None:
        raise InputError("invalid-request", f"{name} needs links of the good data too, or --aligner", (OPTION_OF["inside_links"],))
    return train_classifier(pool, good, scorer, values["words"], values["c"], values["gamma"])


def _features_called(text: str) -> tuple[int, ...]:
    """``LAR+RAR``; ValueError where one is none."""
    return tuple(sorted({FEATURES.index(name) for name in text.split("+")}))


LA: Final[Mapping[str, Option]] = {
    "low": Number(0, MOST_WORDS, 10, whole=True),
    "top": Number(1, MOST_WORDS + 1, 50, whole=True),
    "inclusive": NO,
    "only": Parsed(_features_called, f"features with + between them: {', '.join(FEATURES)}", tuple(range(len(FEATURES)))),
    "tfwp": Choice({"plus": 1, "minus": -1}, 1),
    "fertility": Choice({"target": "target", "source": "source"}, "target"),
}
LA_FILTERS: Final = TextFilters(diversity=0.3, untranslated=0.6)
LA_FILES: Final = frozenset({"aligner", "function_words"})

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
    "la": Method(LA, LA_FILES, _parallel, LA_FILTERS),
    "la-svm": Method(
        {
            **LA,
            "words": Number(1, 10**9, 30_000, whole=True),
            "c": Number(1e-6, 1e6, 1.0),
            "gamma": Number(1e-6, 1e6, 1.0),
        },
        LA_FILES | INSIDE | {"inside_links"},
        _machine,
        LA_FILTERS,
    ),
    "given": Method({}, frozenset({"given"}), lambda name, values, pool, files: GivenScorer(files.path("given", name))),
}
