"""Outputs of several systems combined word by word, with weights that were tuned where references are given."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NotRequired

from pydantic import Field, FiniteFloat
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Body, Context, Json, Operation, Output, Plan, Planning, Steps, cut, with_example
from app.operations.parts.costs.cost import Cost, amount_of_lists
from app.operations.parts.costs.work import work_of_lists
from app.operations.parts.limits import RequestLimits, check_count, check_lists
from app.operations.parts.names import SystemName
from app.operations.parts.rounding import rounded
from app.operations.score import MetricName
from app.resources.language_models import LanguageModel
from app.running.journal import SILENT, Journal, Share
from app.running.rates import Amount
from app.smt.lists.combination.combine import CombinedText, Combiner, TunedCombination
from app.smt.lists.combination.measuring import CombinationScore, measure_combination
from app.smt.lists.combination.outputs import SystemOutputs
from app.smt.lists.combination.paths import Scorers, feature_names, start_weights
from app.smt.tuning.methods import parse_method
from app.smt.tuning.weights import FeatureWeights
from app.text.reading.lines import TextFile
from app.text.reading.n_best_lists.opening import lines_of_file

__all__ = ["CombineAnswer", "CombineRequest", "combined", "operation"]

# Alignment, search and tuning of a segment, beside what comparing its texts takes.
WORK_OF_PATHS = 30
Systems = dict[SystemName, list[str]]


class Development(Body):
    """Outputs of the same systems for other segments, and their references: what weights are tuned on."""

    systems: Annotated[Systems, Field(min_length=2)]
    references: Annotated[Systems, Field(min_length=1)]


class CombineRequest(Body):
    """POST /v1/combine: outputs of several systems, all of one length."""

    model_config = with_example(
        {
            "systems": {
                "one": ["the big house stand here", "he goes"],
                "two": ["the large house stands here", "he goes away"],
                "three": ["a large house stands there", "he is going"],
            }
        }
    )

    systems: Annotated[Systems, Field(min_length=2)]
    development: Annotated[
        Development | None, Field(description="Development set for tuning weights; without it votes are equal")
    ] = None
    weights: Annotated[
        dict[str, list[FiniteFloat]] | None,
        Field(description="Weights that an earlier answer had, of the same systems in the same order"),
    ] = None
    metric: Annotated[MetricName, Field(description="Metric that weights are tuned towards")] = "bleu"
    method: Annotated[str, Field(max_length=200, description="Method that tunes the weights")] = "mert|restarts:2|directions:5"
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 1
    rounds: Annotated[int, Field(ge=1, le=10, description="Rounds of searching paths and tuning weights on all paths so far")] = 3
    backbone: Annotated[MetricName, Field(description="Metric that chooses the output that others are aligned to")] = "bleu"
    consensus: Annotated[MetricName, Field(description="Metric that compares a whole path with all outputs")] = "bleu"
    paths: Annotated[int, Field(ge=1, le=1000, description="Number of paths of a segment that are searched")] = 100
    words: Annotated[bool, Field(description="Add the systems of each word to the answer")] = False
    references: Annotated[
        Systems | None, Field(min_length=1, description="References of what is combined: they only measure, by `metric`")
    ] = None


class CombinedWordAnswer(TypedDict):
    """A word, and the systems that have it there."""

    text: str
    systems: list[str]


class CombinedSegment(TypedDict):
    """The combined text, and the system whose output was its backbone."""

    text: str
    backbone: str
    words: NotRequired[list[CombinedWordAnswer]]


class MeasuredCombination(TypedDict):
    """A corpus score with its 95 % interval: of a system, of ``(mbr)``, ``(combined)``, or the ``(oracle)`` among systems."""

    name: str
    score: float
    interval: list[float]


class CombineSummary(TypedDict):
    """The weights, by feature, with one for each system's votes.

    `rounds` are the corpus scores of the tuning segments, combined by the initial weights and by the weights of each round; the
    best weights are used. It is empty where nothing was tuned.
    """

    scores: NotRequired[list[MeasuredCombination]]
    weights: dict[str, list[float]]
    rounds: list[float]
    metric: NotRequired[str]


class CombineAnswer(CombineSummary):
    """Segments in the order of the request."""

    segments: list[CombinedSegment]


def combined(
    engine: Engine, request: CombineRequest, model: LanguageModel | None = None, journal: Journal = SILENT
) -> CombineAnswer:
    """The answer; `model` is a language model of the systems' language, in small letters, where there is one."""
    names = list(dict.fromkeys([request.metric, request.backbone, request.consensus]))
    metrics = engine.metrics(names)
    scorers = Scorers(metrics[request.consensus], model)
    backbone, count = metrics[request.backbone], len(request.systems)
    weights = _given_weights(request.weights, count, scorers)
    tuned_combination: TunedCombination | None = None
    if request.development is not None:
        dev, share = request.development, Share(journal, 0.0, 0.7)
        combiner = Combiner(SystemOutputs(dev.systems), backbone, scorers, request.paths, Share(share, 0.0, 0.3))
        tuned_combination = combiner.tune(
            metrics[request.metric],
            list(dev.references.values()),
            weights,
            request.method,
            request.seed,
            request.rounds,
            Share(share, 0.3, 1.0),
        )
        weights = tuned_combination.weights
    rest = Share(journal, 0.7 if tuned_combination else 0.0, 1.0)
    outputs = SystemOutputs(request.systems)
    combiner = Combiner(outputs, backbone, scorers, request.paths, Share(rest, 0.0, 0.6))
    rows = combiner.combine(weights, Share(rest, 0.6, 1.0))
    summary = _summary(request, weights, tuned_combination, scorers)
    if request.references is not None:
        texts, references = [row.text for row in rows], list(request.references.values())
        scores = measure_combination(outputs, texts, combiner.choices, metrics[request.metric], references)
        summary["scores"] = [_measured(name, score) for name, score in scores.items()]
    return {**summary, "segments": [_segment(row, request.words) for row in rows]}


def _measured(name: str, score: CombinationScore) -> MeasuredCombination:
    return {"name": name, "score": rounded(score.score), "interval": [rounded(score.interval.low), rounded(score.interval.high)]}


def _given_weights(weights: Mapping[str, Sequence[float]] | None, systems: int, scorers: Scorers) -> Float64s:
    if weights is None:
        return start_weights(systems, scorers)
    return FeatureWeights({name: tuple(values) for name, values in weights.items()}).of_columns(feature_names(systems, scorers))


def _segment(combination: CombinedText, words: bool) -> CombinedSegment:
    row: CombinedSegment = {"text": combination.text, "backbone": combination.backbone}
    if words:
        row["words"] = [{"text": word.text, "systems": list(word.systems)} for word in combination.words]
    return row


def _summary(
    request: CombineRequest, weights: Float64s, tuned_combination: TunedCombination | None, scorers: Scorers
) -> CombineSummary:
    values = FeatureWeights.of(feature_names(len(request.systems), scorers), weights).values
    summary: CombineSummary = {"weights": {name: list(row) for name, row in values.items()}, "rounds": []}
    if tuned_combination is not None:
        summary["metric"] = request.metric
        summary["rounds"] = [rounded(score) for score in tuned_combination.rounds]
    return summary


def _check(request: CombineRequest, limits: RequestLimits) -> None:
    references = request.references or {}
    check_count(
        check_lists("systems", request.systems, limits) + check_lists("references", references, limits), limits.scored, ("systems",)
    )
    _check_lengths({"systems": request.systems, "references": references})
    parse_method(request.method)
    if request.weights and not any(number for row in request.weights.values() for number in row):
        raise InputError("degenerate-weights", "all weights are 0: they would choose nothing", ("weights",))
    dev = request.development
    if dev is None:
        return
    size = check_lists("systems", dev.systems, limits) + check_lists("references", dev.references, limits)
    check_count(size, limits.scored, ("development",))
    _check_lengths({"systems": dev.systems, "references": dev.references}, ("development",))
    if list(dev.systems) != list(request.systems):
        detail = "weights are tuned on outputs of the same systems, in the same order"
        raise InputError("invalid-request", detail, ("development", "systems"))


def _check_lengths(lists: Mapping[str, Mapping[str, Sequence[str]]], place: tuple[str, ...] = ()) -> None:
    """InputError names the first list that has not as many segments as the first system."""
    count = len(next(iter(lists["systems"].values())))
    for kind, texts_by_name in lists.items():
        for number, (name, texts) in enumerate(texts_by_name.items()):
            if len(texts) != count:
                detail = f"{name} has {len(texts)} segments, and the first system {count}"
                raise InputError("unequal-lengths", detail, (*place, kind, number))
    if not count:
        raise InputError("empty-input", "there are no segments to combine", (*place, "systems"))


def _work_of(request: CombineRequest) -> int:
    """Work of comparing each output with each other one, in all rounds."""
    work = work_of_lists(1, request.systems, request.systems)
    if request.development is not None:
        work += (1 + request.rounds) * work_of_lists(1, request.development.systems, request.development.systems)
    return WORK_OF_PATHS * work


def _amount(request: CombineRequest) -> Amount:
    lists = list(request.systems.values())
    if request.development is not None:
        lists += request.development.systems.values()
    return amount_of_lists(lists)


def _amount_of_chunk(chunk: Json) -> Amount:
    return amount_of_lists([texts for role in ("systems", "dev_systems") for texts in chunk.get(role, {}).values()])


def _split(planning: Planning, request: CombineRequest) -> Plan:
    planning.engine.metrics(list(dict.fromkeys([request.metric, request.backbone, request.consensus])))
    chunks = cut({"systems": request.systems, "references": request.references}, planning.chunk_rows)
    if request.development is not None:
        dev = request.development
        chunks += [
            (rows, {f"dev_{name}": part for name, part in chunk.items()})
            for rows, chunk in cut({"systems": dev.systems, "references": dev.references}, planning.chunk_rows)
        ]
    return Plan("combine", request.model_dump(exclude={"systems", "development", "references"}), chunks)


def _work(context: Context, chunk: Json) -> Output:
    return {"rows": [], "carry": chunk}


def _finish(context: Context, outputs: Iterable[Output]) -> Any:
    lists_by_role: dict[str, dict[str, list[str]]] = {}
    for output in outputs:
        for role, lists in output["carry"].items():
            for name, texts in lists.items():
                lists_by_role.setdefault(role, {}).setdefault(name, []).extend(texts)
    fields: Json = {**context.params, "systems": lists_by_role["systems"], "references": lists_by_role.get("references")}
    if "dev_systems" in lists_by_role:
        fields["development"] = {"systems": lists_by_role["dev_systems"], "references": lists_by_role["dev_references"]}
    return combined(context.engine, CombineRequest.model_validate(fields), journal=context)


def _read_files(files: Mapping[str, bytes]) -> Json:
    """Texts from files of lines, each plain or gzip: ``system:NAME``, ``reference:NAME``, and with ``dev_`` before for tuning."""
    texts_by_kind: dict[str, Systems] = {"system": {}, "reference": {}, "dev_system": {}, "dev_reference": {}}
    for role, raw in files.items():
        kind, _, name = role.partition(":")
        if kind not in texts_by_kind or not name:
            raise InputError(
                "invalid-job", "files are called system:NAME, reference:NAME, dev_system:NAME, dev_reference:NAME", (role,)
            )
        texts_by_kind[kind][name] = list(lines_of_file(TextFile(role, raw)))
    fields: Json = {"systems": texts_by_kind["system"], "references": texts_by_kind["reference"] or None}
    if texts_by_kind["dev_system"] or texts_by_kind["dev_reference"]:
        fields["development"] = {"systems": texts_by_kind["dev_system"], "references": texts_by_kind["dev_reference"]}
    return fields


operation = Operation[CombineRequest, CombineAnswer](
    name="combine",
    id="combineSystems",
    summary="Outputs of several systems combined word by word, around the one that the others agree with most.",
    request=CombineRequest,
    answer_type=CombineAnswer,
    check=_check,
    answer=combined,
    tag="tuning",
    scope="score",
    read_files=_read_files,
    steps=Steps(_split, _work, _finish, rows_in_summary=True, long=True, amount=_amount_of_chunk),
    cost=lambda engine, request: Cost(_amount(request), _work_of(request)),
)
