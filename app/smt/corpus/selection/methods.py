"""Selectors by name, with their options: ``moore-lewis|order:4``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.building.alignment.aligner import Aligner
from app.errors import InputError
from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.greedy import TextFilters
from app.smt.corpus.selection.materials import Materials, inside, option_of, read_pairs, sample_pool
from app.smt.corpus.selection.pool import MOST_WORDS, Pool, read_side
from app.smt.corpus.selection.scorers.bitext import BitextScorer
from app.smt.corpus.selection.scorers.classifier import train_classifier
from app.smt.corpus.selection.scorers.cynical import SMOOTHING, choose_cynically
from app.smt.corpus.selection.scorers.entropies import (
    DEFAULT_ORDER,
    SIDES,
    EntropyDifference,
    PerplexityScorer,
    SideModel,
    train_models,
)
from app.smt.corpus.selection.scorers.files import AlignmentScorer, FileScorer
from app.smt.corpus.selection.scorers.model1 import FLOOR, ITERATIONS, Model1Scorer, train_model1
from app.smt.corpus.selection.scorers.n_best import CombinedScorer, FeatureScorer, oracle_scorer
from app.smt.corpus.selection.scorers.parallel_features import FEATURES, ParallelFeatures, ParallelScorer
from app.smt.corpus.selection.scorers.plain import LengthScorer, RandomScorer
from app.smt.corpus.selection.scorers.separability import choose_separable
from app.smt.corpus.selection.scorers.tfidf import TfIdfScorer, count_documents
from app.smt.corpus.selection.scoring import Scorer
from app.text.reading.options import DEFAULT_NO, DEFAULT_YES, Choice, Number, Option, ParsedOption, parse_options

__all__ = ["METHODS", "Method", "make_scorer", "method_called"]

SEED: Final = Number(0, 2**31, 1, is_whole=True)
ORDER: Final = Number(2, 7, DEFAULT_ORDER, is_whole=True)
MINIMUM_COUNT: Final = Number(1, 1000, 2, is_whole=True)
# Texts for training are held in memory.
MOST_LINES: Final = 1_000_000
TRAINING_PAIRS: Final = 30_000
NO_FILTERS: Final = TextFilters()
INSIDE: Final = frozenset({"in_source", "in_target"})
MODELS: Final = frozenset({"lm_source", "lm_target"})
PARALLEL: Final = frozenset({"train_source", "train_target"})
OUTSIDE: Final = frozenset({"general_source", "general_target"})


@dataclass(frozen=True)
class Method:
    """A selector: its options, names of files that it uses, and the maker of its scorer."""

    options: Mapping[str, Option]
    uses: frozenset[str]
    make: Callable[["Task"], Scorer]
    filters: TextFilters = NO_FILTERS


@dataclass(frozen=True)
class Task:
    """Inputs of a scorer: name of the method, option values, pool, files and budget."""

    name: str
    values: Mapping[str, Any]
    pool: Pool
    materials: Materials
    budget: Budget

    def domain_model(self, side: int) -> SideModel:
        """Language model of a side, from its file, or trained on the in-domain text."""
        path = (self.materials.lm_source, self.materials.lm_target)[side]
        if path is not None:
            return SideModel.open(path)
        option = option_of(("lm_source", "lm_target")[side])
        text = inside(self.materials, side, f"{self.name} without a language model ({option})")
        return train_models([text], self.values["order"], self.values["fewest"])[0]


def method_called(spec: str) -> Method:
    """Method with the name at the begin of a spec; InputError (`invalid-request`) lists all names."""
    name = spec.partition("|")[0]
    if name not in METHODS:
        raise InputError("invalid-request", f"methods are {', '.join(METHODS)}", ("--method",))
    return METHODS[name]


def make_scorer(spec: str, pool: Pool, materials: Materials, budget: Budget | None = None) -> Scorer:
    """Scorer of a spec ``name|option:value``; trains its models.

    InputError (`invalid-request`) for an unknown name, option or file lists the valid ones.
    """
    method = method_called(spec)
    name, *pairs = spec.split("|")
    values = parse_options(name, method.options, pairs, "invalid-request", "moore-lewis|order:4")
    materials.refuse_unused(method.uses, name)
    return method.make(Task(name, values, pool, materials, budget or Budget()))


def _difference(task: Task) -> Scorer:
    name, values, pool, materials = task.name, task.values, task.pool, task.materials
    insides = {number: inside(materials, number, name) for number in values.get("side", SIDES["source"])}
    lines = min(MOST_LINES, max(len(column) for column in insides.values()))
    general_paths = {number: (materials.general_source, materials.general_target)[number] for number in insides}
    sample = sample_pool(pool, lines, values["seed"]) if None in general_paths.values() else None
    models = {}
    for number, column in insides.items():
        path = general_paths[number]
        if path is not None:
            general = read_side(path)
        else:
            assert sample is not None
            general = (sample.source, sample.target)[number]
        models[number] = train_models([column, general], values["order"], values["fewest"])
    return EntropyDifference({k: pair[0] for k, pair in models.items()}, {k: pair[1] for k, pair in models.items()})


def _perplexity(task: Task) -> Scorer:
    return PerplexityScorer({side: task.domain_model(side) for side in task.values["side"]})


def _model1(task: Task) -> Scorer:
    name, values, pool, materials = task.name, task.values, task.pool, task.materials
    if materials.names & {"train_source", "train_target"}:
        source, target = (materials.path(side, name) for side in ("train_source", "train_target"))
        pairs = read_pairs(source, target, values["pairs"])
    else:
        pairs = sample_pool(pool, values["pairs"], values["seed"])
    return Model1Scorer(
        train_model1(pairs, values["iterations"]),
        train_model1(pairs.reversed, values["iterations"]),
        values["floor"],
        values["agreement"],
    )


def _alignment(task: Task) -> Scorer:
    return AlignmentScorer(Aligner.open(task.materials.path("aligner", task.name)), task.values["agreement"])


def _bitext(task: Task) -> Scorer:
    translation = _model1(task) if task.materials.aligner is None else _alignment(task)
    return BitextScorer(translation, {side: task.domain_model(side) for side in task.values["side"]}, task.values["lm"])


def _tfidf(task: Task) -> Scorer:
    text = inside(task.materials, 0, task.name)
    weights = count_documents(task.pool)
    return TfIdfScorer(weights, weights.vectors(text), task.values["take"])


def _features(task: Task) -> Scorer:
    lists, text_lists = (task.materials.path(name, task.name) for name in ("n_best", "wanted_n_best"))
    return FeatureScorer.of(lists, text_lists, task.values["take"], task.values["scaled"])


def _combined(task: Task) -> Scorer:
    return CombinedScorer(
        _tfidf(task),
        _features(task)
        if task.values["with"] == "features"
        else oracle_scorer(task.pool, task.materials.path("n_best", task.name)),
        task.values["weight"],
    )


def _separability(task: Task) -> Scorer:
    path = task.materials.path("n_best", task.name)
    return choose_separable(task.pool, path, task.budget, task.values["sets"], task.values["seed"])


def _cynical(task: Task) -> Scorer:
    side = task.values["side"]
    text = inside(task.materials, side, task.name)
    return choose_cynically(task.pool, side, text, task.budget, task.values["smoothing"], task.values["falling"])


def _parallel(task: Task) -> ParallelScorer:
    name, values, pool, materials = task.name, task.values, task.pool, task.materials
    function_words = materials.function_words
    if function_words is None and FEATURES.index("TFWP") in values["only"]:
        detail = f"{name} counts function words of the target; give a file of them, or a language whose list ships"
        raise InputError("invalid-request", detail, (option_of("function_words"),))
    aligner = None if materials.aligner is None else Aligner.open(materials.aligner)
    if pool.links is None and aligner is None:
        raise InputError("invalid-request", f"{name} needs links of words, by --links or --aligner")
    features = ParallelFeatures(frozenset(function_words or ()), values["fertility"], values["tfwp"])
    wider = int(values["inclusive"])
    return ParallelScorer(features, values["low"] - wider, values["top"] + wider, values["only"], aligner)


def _machine(task: Task) -> Scorer:
    name, values, pool, materials = task.name, task.values, task.pool, task.materials
    scorer = _parallel(task)
    good = Pool(materials.path("in_source", name), materials.path("in_target", name), materials.in_links)
    if good.links is None and scorer.aligner is None:
        raise InputError("invalid-request", f"{name} needs links of the good data too, or --aligner", (option_of("in_links"),))
    return train_classifier(pool, good, scorer, values["words"], values["c"], values["gamma"])


def _features_called(text: str) -> tuple[int, ...]:
    """Indices of features, from a text such as ``LAR+RAR``; ValueError for an unknown name."""
    return tuple(sorted({FEATURES.index(name) for name in text.split("+")}))


TAKE: Final = Choice({"most": "most", "mean": "mean", "whole": "whole"}, "most")
MODEL1: Final[Mapping[str, Option]] = {
    "pairs": Number(1, MOST_LINES, TRAINING_PAIRS, is_whole=True),
    "iterations": Number(1, 100, ITERATIONS, is_whole=True),
    "floor": Number(1e-30, 0.1, FLOOR),
    "agreement": DEFAULT_NO,
    "seed": SEED,
}
LA: Final[Mapping[str, Option]] = {
    "low": Number(0, MOST_WORDS, 10, is_whole=True),
    "top": Number(1, MOST_WORDS + 1, 50, is_whole=True),
    "inclusive": DEFAULT_NO,
    "only": ParsedOption(_features_called, f"features with + between them: {', '.join(FEATURES)}", tuple(range(len(FEATURES)))),
    "tfwp": Choice({"plus": 1, "minus": -1}, 1),
    "fertility": Choice({"target": "target", "source": "source"}, "target"),
}
LA_FILTERS: Final = TextFilters(diversity=0.3, copy=0.6)
LA_FILES: Final = frozenset({"aligner", "function_words"})

METHODS: Final[Mapping[str, Method]] = {
    "random": Method({"seed": SEED}, frozenset(), lambda task: RandomScorer(task.values["seed"])),
    "length": Method(
        {"low": Number(1, MOST_WORDS, 10, is_whole=True), "high": Number(1, MOST_WORDS, 50, is_whole=True), "seed": SEED},
        frozenset(),
        lambda task: LengthScorer(task.values["low"], task.values["high"], task.values["seed"]),
    ),
    "moore-lewis": Method(
        {"order": ORDER, "fewest": MINIMUM_COUNT, "seed": SEED}, frozenset({"in_source", "general_source"}), _difference
    ),
    "cross-entropy-difference": Method(
        {"side": Choice(SIDES, SIDES["both"]), "order": ORDER, "fewest": MINIMUM_COUNT, "seed": SEED}, INSIDE | OUTSIDE, _difference
    ),
    "perplexity": Method(
        {"side": Choice(SIDES, SIDES["target"]), "order": ORDER, "fewest": MINIMUM_COUNT}, INSIDE | MODELS, _perplexity
    ),
    "ibm1": Method(MODEL1, PARALLEL, _model1),
    "bitext": Method(
        {**MODEL1, "lm": Number(0, 100, 0.5), "side": Choice(SIDES, SIDES["both"]), "order": ORDER, "fewest": MINIMUM_COUNT},
        PARALLEL | INSIDE | MODELS | {"aligner"},
        _bitext,
    ),
    "tfidf": Method({"take": TAKE}, frozenset({"in_source"}), _tfidf),
    "cynical": Method(
        {"side": Choice({"source": 0, "target": 1}, 0), "smoothing": Number(1e-6, 1e3, SMOOTHING), "falling": DEFAULT_NO},
        INSIDE,
        _cynical,
    ),
    "features": Method({"take": TAKE, "scaled": DEFAULT_YES}, frozenset({"n_best", "wanted_n_best"}), _features),
    "combined": Method(
        {
            "take": TAKE,
            "scaled": DEFAULT_YES,
            "with": Choice({"features": "features", "oracle-bleu": "oracle-bleu"}, "features"),
            "weight": Number(0, 1, 0.5),
        },
        frozenset({"in_source", "n_best", "wanted_n_best"}),
        _combined,
    ),
    "oracle-bleu": Method(
        {}, frozenset({"n_best"}), lambda task: oracle_scorer(task.pool, task.materials.path("n_best", task.name))
    ),
    "separability": Method({"sets": Number(1, 10_000, 20, is_whole=True), "seed": SEED}, frozenset({"n_best"}), _separability),
    "aligner": Method({"agreement": DEFAULT_NO}, frozenset({"aligner"}), _alignment),
    "la": Method(LA, LA_FILES, _parallel, LA_FILTERS),
    "la-svm": Method(
        {**LA, "words": Number(1, 10**9, 30_000, is_whole=True), "c": Number(1e-6, 1e6, 1.0), "gamma": Number(1e-6, 1e6, 1.0)},
        LA_FILES | INSIDE | {"in_links"},
        _machine,
        LA_FILTERS,
    ),
    "given": Method({}, frozenset({"score_file"}), lambda task: FileScorer(task.materials.path("score_file", task.name))),
}
