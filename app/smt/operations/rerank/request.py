"""Request of a reranking."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Final

import numpy as np
from pydantic import BeforeValidator, Field, FiniteFloat

from app.errors import InputError
from app.operations.operation import Json, with_example
from app.operations.parts.limits import RequestLimits
from app.operations.parts.names import LabelName, Language, ModelId, ProfileName
from app.operations.score import MetricName
from app.smt.lists.reranking.columns import column_named
from app.smt.operations.parts.n_best.fields import (
    EXAMPLE_LISTS,
    QUALITY,
    MissingWeights,
    NBestRequest,
    References,
    by_feature,
    check_n_best,
    work_of_hypotheses,
    work_of_pairs,
)
from app.smt.operations.parts.n_best.files import read_list_files
from app.smt.operations.rerank.features import specs_in
from app.smt.tuning.moses_weights import read_any_weights
from app.text import LanguagePair

__all__ = ["RerankRequest", "check_reranking", "read_pairs", "read_reranking_files", "work_of_reranking"]

MOST_FEATURES: Final = 100
MOST_OPTIMA: Final = 50
SHOWN_LIMIT: Final = 1000
# Role of a file of weights in a form, beside the roles of lists.
WEIGHTS: Final = "weights"

WeightsByName = Annotated[
    dict[str, Annotated[list[FiniteFloat], Field(min_length=1, max_length=1000)]],
    BeforeValidator(by_feature),
    Field(min_length=1, max_length=100_000),
]

FeatureSpecs = Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=MOST_FEATURES)]
ABOUT_WEIGHTS: Final = "By feature, or the `weights` that a tuning answers; without them lists keep their order"
ABOUT_OPTIMA: Final = "More weights: all of them vote, and of equally many votes the first ones decide"
ABOUT_FEATURES: Final = "Features to compute, as lm3 or np|order:3, or sets of them: thesis, noisy-channel, quality"
ABOUT_PROFILE: Final = "Of features of quality: accurate asks a cross-encoder, fast does not; the server's own otherwise"
ABOUT_CHANGES: Final = "Of each list also the decoder's first hypothesis, and what moved another one before it"


class RerankRequest(NBestRequest):
    """POST /v1/rerank."""

    model_config = with_example({"n_best": EXAMPLE_LISTS, "weights": {"lm": [0.5], "tm": [0.2, 0.3]}})

    weights: Annotated[WeightsByName | None, Field(description=ABOUT_WEIGHTS)] = None
    optima: Annotated[list[WeightsByName], Field(max_length=MOST_OPTIMA, description=ABOUT_OPTIMA)] = Field(default_factory=list)
    missing_weights: MissingWeights = "refused"
    features: Annotated[FeatureSpecs, Field(description=ABOUT_FEATURES)] = Field(default_factory=list)
    source_language: Annotated[Language | None, Field(description="Language of the resources and predictors for features")] = None
    target_language: Language | None = None
    model: ModelId | None = None
    label: LabelName | None = None
    profile: Annotated[ProfileName | None, Field(description=ABOUT_PROFILE)] = None
    distinct: Annotated[bool, Field(description="Keep only the first hypothesis of each text")] = False
    mbr: Annotated[str | None, Field(max_length=200, description="A metric: choose by its expected score under the weights")] = None
    scale: Annotated[float, Field(ge=0, le=1000, description="Factor that turns weighted sums into log-probabilities")] = 1.0
    top: Annotated[int, Field(ge=1, le=SHOWN_LIMIT, description="Hypotheses of each list in the answer")] = 1
    references: Annotated[References | None, Field(description="Texts by the reference's name: they only measure")] = None
    metric: Annotated[MetricName | None, Field(description="Metric against references; bleu by default")] = None
    changes: Annotated[bool, Field(description=ABOUT_CHANGES)] = False

    def pairs(self) -> list[LanguagePair]:
        """The pair whose resources and predictors are asked, where it is named."""
        if self.source_language is None or self.target_language is None:
            return []
        return [LanguagePair(self.source_language, self.target_language)]


def check_reranking(request: RerankRequest, limits: RequestLimits) -> None:
    """InputError where lists, weights, features or texts cannot be, or do not go together."""
    check_n_best(request.n_best, limits, request.references, request.sources)
    for spec in specs_in(request.features):
        if spec not in QUALITY:
            column_named(spec)
    if request.weights is None and (request.mbr is not None or request.optima):
        detail = "expected scores and votes need weights; mbr (/v1/mbr) chooses by expected scores without any"
        raise InputError("missing-weights", detail, ("weights",))
    weight_fields = [] if request.weights is None else [(("weights",), request.weights)]
    for place, weights in [*weight_fields, *((("optima", k), row) for k, row in enumerate(request.optima))]:
        if not any(number for row in weights.values() for number in row):
            raise InputError("degenerate-weights", "all weights are 0: they would choose nothing", place)
    if (request.source_language is None) != (request.target_language is None):
        raise InputError("invalid-request", "name both languages or none", ("source_language",))
    if request.metric is not None and request.references is None:
        raise InputError("missing-evidence", "a metric measures against references, which are not given", ("metric",))


def work_of_reranking(request: RerankRequest) -> int:
    """Features of every hypothesis, each beside every other of its list where gains are expected, and two of a list measured."""
    work = work_of_hypotheses(request.n_best) * (1 + len(request.features))
    expected = len({name for name in _named_features(request) if name.split("|")[0] == "mbr"}) + (request.mbr is not None)
    return work + expected * work_of_pairs(request.n_best) + _work_of_measuring(request)


def read_pairs(request: RerankRequest) -> Iterable[tuple[str, str]]:
    """Sources and hypotheses that networks read: all if the quality of hypotheses is predicted, or none."""
    if request.sources is None or not request.pairs() or not set(QUALITY).intersection(_named_features(request)):
        return ()
    # A list without its source is refused later.
    rows = np.repeat(np.arange(len(request.n_best.lengths)), request.n_best.lengths).tolist()
    sources = request.sources
    return ((sources[row], text) for row, text in zip(rows, request.n_best.texts, strict=True) if row < len(sources))


def _named_features(request: RerankRequest) -> list[str]:
    """Features that are asked for or have weights."""
    return [*specs_in(request.features), *(request.weights or {}), *(name for optimum in request.optima for name in optimum)]


def _work_of_measuring(request: RerankRequest) -> int:
    """The first hypothesis and the chosen one, which are no longer than the longest, beside each reference."""
    if request.references is None:
        return 0
    sizes, filled_lists = np.diff(request.n_best.texts.offsets), np.flatnonzero(request.n_best.lengths)
    longest = np.maximum.reduceat(sizes, request.n_best.offsets[:-1][filled_lists])
    texts = request.references.values()
    lengths = (sum(len(text[i]) for text in texts if i < len(text)) for i in filled_lists)
    return sum(2 * int(size) * length for size, length in zip(longest, lengths, strict=True))


def read_reranking_files(files: Mapping[str, bytes]) -> Json:
    """Fields from files by role: see `read_list_files`; and ``weights``, or several ``weights:NAME`` that vote.

    FeatureWeights may be JSON or one of Moses' files, as commands take them; the first by name is `weights`, the others `optima`.
    """
    weights = {role: raw for role, raw in sorted(files.items()) if role.partition(":")[0] == WEIGHTS}
    fields = read_list_files({role: raw for role, raw in files.items() if role not in weights})
    names = fields["n_best"].names
    read = [read_any_weights(raw, names, role).weights.values for role, raw in weights.items()]
    optima = [{name: list(row) for name, row in values.items()} for values in read]
    return {**fields, **({"weights": optima[0]} if optima else {}), **({"optima": optima[1:]} if optima[1:] else {})}
