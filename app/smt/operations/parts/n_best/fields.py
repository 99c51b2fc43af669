"""Fields of requests that hold n-best lists, references and sources; what they are held to, and how much they ask for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NotRequired

import numpy as np
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, FiniteFloat, PlainSerializer, WrapValidator
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.errors import InputError
from app.operations.operation import Body
from app.operations.parts.limits import RequestLimits, check_count, check_lists
from app.operations.parts.names import SystemName, plain
from app.running.rates import Amount
from app.smt.tuning.weights_file import FORMAT, VERSION
from app.text.n_best import LONGEST_NAME, MOST_COMPONENTS, NBestLists
from app.text.packed_texts import PackedTexts
from app.text.reading.checking import check_segments

__all__ = [
    "EXAMPLE_LISTS",
    "QUALITY",
    "Hypothesis",
    "Lists",
    "MissingWeights",
    "NBestRequest",
    "References",
    "Sources",
    "WeightsGiven",
    "amount_of_hypotheses",
    "by_feature",
    "check_n_best",
    "texts_of_lists",
    "work_of_hypotheses",
    "work_of_pairs",
]

# Names of one hypothesis's features.
MOST_NAMES: Final = 10_000
MOST_WEIGHTS: Final = 1_000_000
# Work of a hypothesis, beside the characters that a metric compares.
WORK_OF_HYPOTHESIS: Final = 1000

# Names of features by predicted quality: score, its standard deviation, mean probabilities that words and gaps are wrong, and the
# number of warnings.
QUALITY: Final = ("qe", "qe-std", "qe-words", "qe-gaps", "qe-warnings")

EXAMPLE_LISTS: Final = [
    [
        {"text": "the house is big", "score": -1.5, "features": {"lm": [-4.0], "tm": [-1.0, -2.0]}},
        {"text": "the house is large", "score": -1.7, "features": {"lm": [-5.0], "tm": [-0.5, -1.0]}},
    ],
    [
        {"text": "he go", "score": -2.0, "features": {"lm": [-3.0], "tm": [-1.0, -0.5]}},
        {"text": "he goes", "score": -2.5, "features": {"lm": [-3.5], "tm": [-0.5, -0.5]}},
    ],
]


def _feature_name(name: str) -> str:
    if any(map(str.isspace, plain(name))):
        raise ValueError("a feature's name has no blanks")
    return name


FeatureName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), AfterValidator(_feature_name)]
# A typed dictionary is beyond the reach of what lets lists of requests stop at their first wrong entry.
Components = Annotated[list[FiniteFloat], Field(min_length=1, max_length=MOST_COMPONENTS, fail_fast=True)]


class Hypothesis(TypedDict):
    """A hypothesis: its text, the decoder's total, and its features, each as the list of its components."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)  # type: ignore[misc]

    text: str
    score: NotRequired[FiniteFloat]
    features: NotRequired[Annotated[dict[FeatureName, Components], Field(max_length=MOST_NAMES)]]


def _as_lists(value: Any, validate: Any) -> NBestLists:
    """Arrays as they are, and of JSON what is valid."""
    if isinstance(value, NBestLists):
        return value
    lists = NBestLists.from_json([[{"score": 0.0, **entry} for entry in row] for row in validate(value)])
    if (fault := lists.unequal_components()) is not None:
        segment = int(lists.segments[fault.row])
        raise ValueError(f"segment {segment + 1}, hypothesis {fault.row + 1 - int(lists.offsets[segment])}: {fault.detail}")
    return lists


if TYPE_CHECKING:
    Lists = NBestLists
else:
    Lists = Annotated[
        list[list[Hypothesis]],
        WrapValidator(_as_lists),
        PlainSerializer(NBestLists.as_json),
        Field(description="Hypotheses of each segment, in the decoder's order; a segment may have none"),
    ]
References = Annotated[dict[SystemName, list[str]], Field(min_length=1, description="Texts by the reference's name, one a segment")]
Sources = Annotated[list[str] | None, Field(description="Source texts, one a segment")]
MissingWeights = Annotated[
    Literal["refused", "zero"], Field(description="Treatment of features of hypotheses without a weight: refused, or weight 0")
]


def by_feature(value: Any) -> Any:
    """The weights of a file of weights, which a tuning answers as its `weights`, or of that answer; anything else as it is."""
    for names in ({"weights", "dev_score"}, {"weights", "format"}):
        if isinstance(value, dict) and value.keys() >= names and isinstance(value["weights"], dict):
            if value.get("format", FORMAT) != FORMAT or value.get("version", VERSION) != VERSION:
                raise ValueError(f"a file of weights has the format {FORMAT}, version {VERSION}")
            value = value["weights"]
    return value


WeightsGiven = Annotated[
    dict[FeatureName, Components],
    BeforeValidator(by_feature),
    Field(min_length=1, max_length=MOST_WEIGHTS, description="Weights of each feature's components"),
]


class NBestRequest(Body):
    """A request about n-best lists, as JSON or as files; a request with references has a field of `References`, too."""

    n_best: Lists
    sources: Sources = None


def check_n_best(
    lists: NBestLists,
    limits: RequestLimits,
    references: Mapping[str, Sequence[str]] | None = None,
    sources: Sequence[str] | None = None,
    prefix: str = "",
) -> None:
    """InputError where lists, references or sources cannot be, or are more than `limits`: each hypothesis is a segment.

    `prefix` stands before the names of these fields: ``held_out_``.
    """
    field, of_references, of_sources = (f"{prefix}{name}" for name in ("n_best", "references", "sources"))
    hypotheses = len(lists.scores)
    check_count(max(hypotheses, len(lists)), limits.segments, (field,))
    if not hypotheses:
        raise InputError("empty-input", "the n-best lists have no hypotheses", (field,))
    try:
        if not _are_plain(lists.texts, limits.characters):
            check_segments(lists.texts, limits.characters, (field,))
    except InputError as error:
        h = int(error.where[-1])
        segment = int(lists.segments[h])
        place = (field, segment, h - int(lists.offsets[segment]), "text")
        raise InputError(error.code, error.detail, place) from None
    check_lists(of_references, references or {}, limits)
    for number, texts in enumerate((references or {}).values()):
        _check_length(len(lists), len(texts), (of_references, number))
    if sources is not None:
        check_segments(sources, limits.characters, (of_sources,))
        _check_length(len(lists), len(sources), (of_sources,))


def _are_plain(texts: PackedTexts, longest: int) -> bool:
    """Return True if no text can have a fault of `check_segments`, by bytes alone: surrogates begin with the byte 0xED."""
    return texts.longest <= longest and not ((texts.data == 0) | (texts.data == 0xED)).any()


def _check_length(lists: int, texts: int, place: tuple[str | int, ...]) -> None:
    if texts != lists:
        raise InputError("unequal-lengths", f"there are n-best lists of {lists} segments, but {texts} texts here", place)


def amount_of_hypotheses(lists: NBestLists) -> Amount:
    """Amount of lists: each hypothesis counts as a segment with its characters, and an empty list as one segment."""
    data = lists.texts.data
    # A character is one byte that does not go on with the one before.
    return Amount(len(lists.scores) + int(np.count_nonzero(lists.lengths == 0)), int(np.count_nonzero((data & 0xC0) != 0x80)))


def work_of_hypotheses(lists: NBestLists, references: Mapping[str, Sequence[str]] | None = None, metrics: int = 1) -> int:
    """The work of so many metrics of every hypothesis against every reference."""
    longest = np.zeros(len(lists))
    for texts in (references or {}).values():
        count = min(len(texts), len(lists))
        longest[:count] += np.fromiter(map(len, texts[:count]), np.float64, count)
    sizes = np.diff(lists.texts.offsets)
    return int(metrics * (sizes * longest[lists.segments]).sum()) + WORK_OF_HYPOTHESIS * len(sizes)


def work_of_pairs(lists: NBestLists, samples: NBestLists | None = None) -> int:
    """Work of comparing all hypotheses of each list with each other, or with those of the list of `samples`."""
    sizes = _bytes_of_lists(lists)
    return int((sizes * (sizes if samples is None else _bytes_of_lists(samples))).sum())


def texts_of_lists(lists: NBestLists) -> Iterator[Sequence[str]]:
    """Hypotheses of each list."""
    return (lists.texts[row.start : row.stop] for row in lists)


def _bytes_of_lists(lists: NBestLists) -> Float64s:
    """The size of the texts of each list (n,)."""
    return np.asarray(np.diff(lists.texts.offsets[lists.offsets]), np.float64)
