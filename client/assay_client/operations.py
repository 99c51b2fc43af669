"""The operations of a server.

Written by ``python -m scripts.client_answers``: change the server's declarations instead.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

from assay_client.answers import (
    CombineAnswer,
    CompareAnswer,
    CorrelateAnswer,
    Evaluations,
    FeaturesAnswer,
    MbrAnswer,
    ModelEvaluation,
    OracleAnswer,
    PredictedAnswer,
    RankAnswer,
    RecipeAnswer,
    RerankAnswer,
    ScoreAnswer,
    SelectAnswer,
    TrainAnswer,
    TrainedTasks,
    TranslateAnswer,
    TuneAnswer,
    WordOrderAnswer,
    WordsAnswer,
)
from assay_client.methods import async_called, async_worked, called, worked
from assay_client.requests import Call, Candidates, JobCall, OnProgress, Segment, post, segment_rows

__all__ = [
    "AsyncOperations",
    "CombineOptions",
    "CompareOptions",
    "CorrelateOptions",
    "EvaluateOptions",
    "FeaturesOptions",
    "MbrOptions",
    "Operations",
    "OracleOptions",
    "QualityOptions",
    "RankOptions",
    "RecipeOptions",
    "RerankOptions",
    "ScoreOptions",
    "SelectOptions",
    "TrainOptions",
    "TranslateOptions",
    "TuneOptions",
    "WordOrderOptions",
    "WordsOptions",
]


class QualityOptions(TypedDict, total=False):
    """What `quality` may be asked beside what it must; the server chooses what is not given."""

    bands: Sequence[Mapping[str, Any]] | Literal["risk"] | None
    accept: Mapping[str, Any] | None
    currency: str | None
    word_price: float | None
    interval: float  # Share of labels the interval is to hold
    explain: bool
    words: bool  # Add tags of words and gaps, where the pair has a tagger
    warnings: bool  # Check numbers, names, negation, what no score tells; on by itself for risks and pairs with nothing built
    from_systems: Sequence[Literal["pseudo_references", "back_translation", "n_best"]] | None
    model: str | None
    label: str | None
    profile: Literal["fast", "accurate"] | None


def quality(
    source_language: str, target_language: str, segments: Sequence[Segment], **options: Unpack[QualityOptions]
) -> Call[PredictedAnswer]:
    """Predicted quality of every segment and of the document, or of every word and gap, without a reference."""
    return post(
        "/v1/quality",
        {"source_language": source_language, "target_language": target_language, "segments": segment_rows(segments), **options},
    )


class WordsOptions(TypedDict, total=False):
    """What `words` may be asked beside what it must; the server chooses what is not given."""

    model: str | None
    profile: Literal["fast", "accurate"] | None


def words(
    source_language: str, target_language: str, segments: Sequence[Segment], **options: Unpack[WordsOptions]
) -> Call[WordsAnswer]:
    """Say of every word and every gap whether it is OK, without a reference."""
    return post(
        "/v1/words",
        {"source_language": source_language, "target_language": target_language, "segments": segment_rows(segments), **options},
    )


class FeaturesOptions(TypedDict, total=False):
    """What `features` may be asked beside what it must; the server chooses what is not given."""

    from_systems: Sequence[Literal["pseudo_references", "back_translation", "n_best"]] | None
    feature_set: str
    features: Sequence[str] | None


def features(
    source_language: str, target_language: str, segments: Sequence[Segment], **options: Unpack[FeaturesOptions]
) -> Call[FeaturesAnswer]:
    """Feature values of every segment."""
    return post(
        "/v1/features",
        {"source_language": source_language, "target_language": target_language, "segments": segment_rows(segments), **options},
    )


class RankOptions(TypedDict, total=False):
    """What `rank` may be asked beside what it must; the server chooses what is not given."""

    model: str | None
    label: str | None
    profile: Literal["fast", "accurate"] | None
    warnings: bool  # Check numbers, names, negation, what no score tells; on by itself for risks and pairs with nothing built


def rank(
    source_language: str, target_language: str, segments: Sequence[Candidates], **options: Unpack[RankOptions]
) -> Call[RankAnswer]:
    """Translations of each source from best to worst, and the standing of their systems."""
    return post(
        "/v1/rank",
        {"source_language": source_language, "target_language": target_language, "segments": segment_rows(segments), **options},
    )


class ScoreOptions(TypedDict, total=False):
    """What `score` may be asked beside what it must; the server chooses what is not given."""

    sources: Sequence[str] | None  # Source of each segment, which some neural metrics compare with
    segments: bool  # Whether to answer segment scores
    significance: Mapping[str, Any] | bool | None
    store: str | None  # Answer what a later comparison needs of this system, or system of `runs`: `stored`
    empty: Literal["score", "skip", "error"]  # What to do with segments that are empty in any system or reference


def score(
    metrics: Sequence[str],
    systems: Mapping[str, Sequence[str]],
    references: Mapping[str, Sequence[str]],
    **options: Unpack[ScoreOptions],
) -> Call[ScoreAnswer]:
    """Scores of named systems against named references."""
    return post("/v1/score", {"metrics": metrics, "systems": systems, "references": references, **options})


class CompareOptions(TypedDict, total=False):
    """What `compare` may be asked beside what it must; the server chooses what is not given."""

    metrics: Sequence[str]
    tokenise: str
    most: int  # How many n-grams and segments of each kind


def compare(
    baseline: Sequence[str], system: Sequence[str], references: Mapping[str, Sequence[str]], **options: Unpack[CompareOptions]
) -> Call[CompareAnswer]:
    """Where a system differs from a baseline: n-grams, lengths, word frequencies, segments."""
    return post("/v1/compare", {"baseline": baseline, "system": system, "references": references, **options})


class CorrelateOptions(TypedDict, total=False):
    """What `correlate` may be asked beside what it must; the server chooses what is not given."""

    groups: Sequence[str] | None  # Only translations of one group are paired
    agreements: Sequence[str]
    tests: bool  # Whether to test every two metrics against each other


def correlate(
    human: Sequence[float], metrics: Mapping[str, Sequence[float]], **options: Unpack[CorrelateOptions]
) -> Call[CorrelateAnswer]:
    """How well metrics' scores agree with people's."""
    return post("/v1/correlate", {"human": human, "metrics": metrics, **options})


class WordOrderOptions(TypedDict, total=False):
    """What `word_order` may be asked beside what it must; the server chooses what is not given."""

    beta: float  # Weight of a tree's node against its children
    alpha: float  # Weight of the words against their order, in `scores`


def word_order(segments: Sequence[Mapping[str, Any]], **options: Unpack[WordOrderOptions]) -> Call[WordOrderAnswer]:
    """Similarities of word order, for alignments made elsewhere."""
    return post("/v1/word-order", {"segments": segments, **options})


class EvaluateOptions(TypedDict, total=False):
    """What `evaluate` may be asked beside what it must; the server chooses what is not given."""

    model: str | None
    label: str | None
    profile: Literal["fast", "accurate"] | None
    models: Sequence[str] | None
    all: bool  # Every model that fits, in place of one


def evaluate(
    source_language: str,
    target_language: str,
    segments: Sequence[Mapping[str, Any]],
    *,
    on_progress: OnProgress | None = None,
    **options: Unpack[EvaluateOptions],
) -> JobCall[ModelEvaluation | Evaluations]:
    """Measure predictors on labelled segments."""
    return JobCall(
        "evaluate",
        {"source_language": source_language, "target_language": target_language, "segments": segments, **options},
        on_progress,
    )


class SelectOptions(TypedDict, total=False):
    """What `select` may be asked beside what it must; the server chooses what is not given."""

    model: str | None
    label: str | None
    profile: Literal["fast", "accurate"] | None
    count: int
    strategy: str


def select(
    source_language: str,
    target_language: str,
    segments: Sequence[Segment],
    *,
    on_progress: OnProgress | None = None,
    **options: Unpack[SelectOptions],
) -> JobCall[SelectAnswer]:
    """Choose the segments of a pool that are worth annotating next."""
    return JobCall(
        "select",
        {"source_language": source_language, "target_language": target_language, "segments": segment_rows(segments), **options},
        on_progress,
    )


class TrainOptions(TypedDict, total=False):
    """What `train` may be asked beside what it must; the server chooses what is not given."""

    scale: Mapping[str, Any] | None  # What the labels' numbers mean, where that is not usual; a label of another name needs it
    feature_set: str | None
    learner: str | None
    base: str | None
    method: Literal["auto", "retrain", "adapt"]
    feedback: bool
    promote: Literal["by-hand", "if-better"]  # if-better: as soon as a new version is significantly better
    sharing: str
    rank: int
    held_out_share: float
    seed: int
    curve: bool  # Measure how accuracy grows with rows, which doubles the time
    segments: Sequence[Mapping[str, Any]]
    held_out: Sequence[Mapping[str, Any]] | None
    others: Sequence[Mapping[str, Any]] | None
    name: str | None
    licence: str  # Licence of the model, for its card
    data_name: str | None
    held_out_name: str | None


def train(
    source_language: str,
    target_language: str,
    label: str,
    *,
    on_progress: OnProgress | None = None,
    **options: Unpack[TrainOptions],
) -> JobCall[TrainAnswer | TrainedTasks]:
    """Train a predictor on labelled segments."""
    return JobCall(
        "train", {"source_language": source_language, "target_language": target_language, "label": label, **options}, on_progress
    )


class OracleOptions(TypedDict, total=False):
    """What `oracle` may be asked beside what it must; the server chooses what is not given."""

    sources: Sequence[str] | None  # Source texts, one a segment
    metrics: Sequence[str]  # Corpus metrics of what is chosen
    oracle_metric: str  # The sentence metric that chooses
    sizes: Sequence[int]  # Also the oracles of the first so many of each list
    shown: int  # How many first hypotheses somebody would choose from
    mix: float  # The model's share of mixed oracles
    share: float  # The best share of a list that is looked at
    difference: float | None  # Threshold of DIFFERENCE; between mean and median otherwise
    diversity: float | None  # Threshold of DIVERSITY; between mean and median otherwise


def oracle(
    n_best: Sequence[Sequence[Mapping[str, Any]]], references: Mapping[str, Sequence[str]], **options: Unpack[OracleOptions]
) -> Call[OracleAnswer]:
    """Find the oracles of n-best lists: how good they are, where they stand, and what tells them apart."""
    return post("/v1/oracle", {"n_best": n_best, "references": references, **options})


class TuneOptions(TypedDict, total=False):
    """What `tune` may be asked beside what it must; the server chooses what is not given."""

    sources: Sequence[str] | None  # Source texts, one a segment
    method: str  # How, with options as mert|restarts:20; docs/smt/tuning.md lists them
    metric: str  # What is tuned towards: any metric whose statistics add up
    seed: int  # Seed of the first run
    runs: int  # Runs, each from a seed of its own
    take: Literal["best", "mean"]  # What is taken of several runs: the best on these lists, or their mean
    start: (
        Mapping[str, Sequence[float]] | None
    )  # Weights to begin with, or the `weights` that a tuning answers; equal ones otherwise
    missing_weights: Literal["refused", "zero"]  # Whether features of hypotheses without a weight are refused, or count 0
    held_out_n_best: Sequence[Sequence[Mapping[str, Any]]] | None
    held_out_references: Mapping[str, Sequence[str]] | None
    held_out_sources: Sequence[str] | None  # Source texts, one a segment


def tune(
    n_best: Sequence[Sequence[Mapping[str, Any]]],
    references: Mapping[str, Sequence[str]],
    *,
    on_progress: OnProgress | None = None,
    **options: Unpack[TuneOptions],
) -> JobCall[TuneAnswer]:
    """Tune the weights of a log-linear model on n-best lists."""
    return JobCall("tune", {"n_best": n_best, "references": references, **options}, on_progress)


class MbrOptions(TypedDict, total=False):
    """What `mbr` may be asked beside what it must; the server chooses what is not given."""

    n_best: Sequence[Sequence[Mapping[str, Any]]] | None
    systems: Mapping[str, Sequence[str]] | None  # In the place of `n_best`: outputs by system
    metric: str  # What measures a candidate where another text is the reference
    samples: (
        Sequence[Sequence[Mapping[str, Any]]] | None
    )  # What stands for the references, where it is not the candidates themselves
    probabilities: Literal["uniform", "model"]  # Whether references count alike, or by the softmax of scale × score
    scale: float  # The inverse of the temperature
    own: bool  # Whether a candidate counts as a reference of itself
    way: str  # exact, counts, coarse|keep:10|by:chrf, or pruned|confidence:0.99|samples:500|seed:0
    scores: bool  # Whether to answer the expected score of every candidate


def mbr(**options: Unpack[MbrOptions]) -> Call[MbrAnswer]:
    """Of the translations of each segment the one that the others agree with most, by any metric."""
    return post("/v1/mbr", {**options})


class CombineOptions(TypedDict, total=False):
    """What `combine` may be asked beside what it must; the server chooses what is not given."""

    development: Mapping[str, Any] | None  # What to tune weights on; equal votes otherwise
    weights: Mapping[str, Sequence[float]] | None  # Weights that an earlier answer had, of the same systems in the same order
    metric: str  # What weights are tuned towards
    method: str  # How weights are tuned
    seed: int
    rounds: int  # How often paths are searched and weights tuned on all so far
    backbone: str  # By what the output is chosen that others are aligned to
    consensus: str  # By what a whole path is compared with all outputs
    paths: int  # How many paths of a segment are looked at
    words: bool  # Whether to answer which systems have each word
    references: Mapping[str, Sequence[str]] | None  # References of what is combined: they only measure, by `metric`


def combine(systems: Mapping[str, Sequence[str]], **options: Unpack[CombineOptions]) -> Call[CombineAnswer]:
    """Outputs of several systems combined word by word, around the one that the others agree with most."""
    return post("/v1/combine", {"systems": systems, **options})


class RerankOptions(TypedDict, total=False):
    """What `rerank` may be asked beside what it must; the server chooses what is not given."""

    sources: Sequence[str] | None  # Source texts, one a segment
    weights: (
        Mapping[str, Sequence[float]] | None
    )  # By feature, or the `weights` that a tuning answers; without them lists keep their order
    optima: Sequence[
        Mapping[str, Sequence[float]]
    ]  # More weights: all of them vote, and of equally many votes the first ones decide
    missing_weights: Literal["refused", "zero"]  # Whether features of hypotheses without a weight are refused, or count 0
    features: Sequence[str]  # Features to compute, as lm3 or np|order:3, or sets of them: thesis, noisy-channel, quality
    source_language: str | None  # Whose resources and predictors features ask
    target_language: str | None
    model: str | None
    label: str | None
    profile: (
        Literal["fast", "accurate"] | None
    )  # Of features of quality: accurate asks an encoder of sentences, fast does not; the server's own otherwise
    distinct: bool  # Keep the first hypothesis of each text only
    mbr: str | None  # A metric: choose by its expected score under the weights
    scale: float  # What makes weighted sums logs of probabilities
    top: int  # Hypotheses of each list in the answer
    references: Mapping[str, Sequence[str]] | None  # Texts by the reference's name: they only measure
    metric: str | None  # What measures against references; bleu unless given
    changes: bool  # Of each list also the decoder's first hypothesis, and what moved another one before it


def rerank(n_best: Sequence[Sequence[Mapping[str, Any]]], **options: Unpack[RerankOptions]) -> Call[RerankAnswer]:
    """N-best lists in the order of weights, with features computed for every hypothesis."""
    return post("/v1/rerank", {"n_best": n_best, **options})


class RecipeOptions(TypedDict, total=False):
    """What `recipe` may be asked beside what it must; the server chooses what is not given."""

    constants: Mapping[str, str] | None  # Other values of the recipe's constants
    files: Mapping[str, str | Mapping[str, Any]] | None  # Texts, or files of other jobs, by their names


def recipe(
    recipe: str | Mapping[str, Any], *, on_progress: OnProgress | None = None, **options: Unpack[RecipeOptions]
) -> JobCall[RecipeAnswer]:
    """Run a recipe of corpus tools on files that come with it or that other jobs hold."""
    return JobCall("recipe", {"recipe": recipe, **options}, on_progress)


class TranslateOptions(TypedDict, total=False):
    """What `translate` may be asked beside what it must; the server chooses what is not given."""

    n_best: int | None
    distinct: bool  # N best translations, each by its best derivation
    phrases: bool  # Add of each derivation which words its phrases translate
    tokenise: bool | None


def translate(
    source_language: str, target_language: str, segments: Sequence[str], **options: Unpack[TranslateOptions]
) -> Call[TranslateAnswer]:
    """Translations by a phrase-based system that was trained here: a tool for measuring."""
    return post(
        "/v1/translate", {"source_language": source_language, "target_language": target_language, "segments": segments, **options}
    )


class Operations:
    """Every operation as a method that waits for its answer."""

    quality = called(quality)
    words = called(words)
    features = called(features)
    rank = called(rank)
    score = called(score)
    compare = called(compare)
    correlate = called(correlate)
    word_order = called(word_order)
    evaluate = worked(evaluate)
    select = worked(select)
    train = worked(train)
    oracle = called(oracle)
    tune = worked(tune)
    mbr = called(mbr)
    combine = called(combine)
    rerank = called(rerank)
    recipe = worked(recipe)
    translate = called(translate)


class AsyncOperations:
    """Every operation as a method that is awaited."""

    quality = async_called(quality)
    words = async_called(words)
    features = async_called(features)
    rank = async_called(rank)
    score = async_called(score)
    compare = async_called(compare)
    correlate = async_called(correlate)
    word_order = async_called(word_order)
    evaluate = async_worked(evaluate)
    select = async_worked(select)
    train = async_worked(train)
    oracle = async_called(oracle)
    tune = async_worked(tune)
    mbr = async_called(mbr)
    combine = async_called(combine)
    rerank = async_called(rerank)
    recipe = async_worked(recipe)
    translate = async_called(translate)
