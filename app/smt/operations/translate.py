"""Translations by phrase-based systems that are loaded: a tool for measuring, and no rival of neural translation."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.engine import Engine
from app.errors import InputError
from app.operations.operation import Context, Json, Operation, Output, Plan, Planning, Steps, cut, with_example
from app.operations.parts.costs.cost import Cost, amount_of_texts
from app.operations.parts.costs.work import work_of_translating
from app.operations.parts.fields import PairRequest, check_present, pair_of
from app.operations.parts.limits import RequestLimits, check_count
from app.operations.parts.names import AnsweringPair
from app.smt.decoder.serving.served_system import ServedHypothesis, ServedSystem, ServedTranslation
from app.smt.systems import loaded_systems
from app.text import LanguagePair
from app.text.reading.checking import check_segments
from app.text.reading.lines import TextFile

__all__ = ["PhraseRow", "TranslateAnswer", "TranslateRequest", "TranslatedSegment", "operation"]

LONGEST_LIST: Final = 1000
# In a chunk of a job, so many hypotheses are listed at most: a dozen megabytes.
HYPOTHESIS_LIMIT: Final = 20_000


class TranslateRequest(PairRequest):
    """POST /v1/translate."""

    model_config = with_example(
        {"source_language": "ro", "target_language": "en", "segments": ["Casa este mare.", "Casa mea este acolo."], "n_best": 2}
    )

    segments: list[str]
    n_best: Annotated[int, Field(ge=1, le=LONGEST_LIST, description="Add the N best derivations of each segment")] | None = None
    distinct: Annotated[bool, Field(description="N best translations, each by its best derivation")] = False
    phrases: Annotated[bool, Field(description="Add of each derivation which words its phrases translate")] = False
    tokenise: (
        Annotated[bool, Field(description="Cut text into words by Assay's tokeniser; as the system's card says otherwise")] | None
    ) = None


class PhraseRow(TypedDict):
    """A phrase: the first word of the source that it translates, the word behind the last, and its own words."""

    source: list[int]
    target: list[str]


class DerivationRow(TypedDict):
    """A translation with its model score and the features that sum up to it, as n-best lists have them."""

    text: str
    score: float
    features: dict[str, list[float]]
    phrases: NotRequired[list[PhraseRow]]
    links: NotRequired[Annotated[list[list[int]], Field(description="Source place and target place of linked words")]]


class TranslatedSegment(DerivationRow):
    """The best translation of a segment; `words` are those that were translated, where phrases are wanted."""

    words: NotRequired[list[str]]
    n_best: NotRequired[list[DerivationRow]]


class TranslateAnswer(TypedDict):
    """Segments in the order of the request; `system` is the folder of resources that the system lies in."""

    pair: AnsweringPair
    system: str
    lowercase: bool
    tokenise: Annotated[bool, Field(description="True if Assay's tokeniser cut text into words; otherwise blanks separate words")]
    segments: list[TranslatedSegment]


Params = Mapping[str, Any]


def _answer(engine: Engine, request: TranslateRequest) -> TranslateAnswer:
    system, about = _system(engine, pair_of(request), request.tokenise)
    rows = _translated(system, request.segments, request.model_dump(exclude={"segments"}))
    return {**about, "segments": list(rows)}  # type: ignore[typeddict-item]


def _system(engine: Engine, pair: LanguagePair, tokenise: bool | None) -> tuple[ServedSystem, Json]:
    """The system that translates a pair, and what answers say of it."""
    system = loaded_systems(engine).of(pair)
    tokenise = system.card.tokenise if tokenise is None else tokenise
    name = loaded_systems(engine).name_of(pair)
    return system, {"pair": str(system.pair), "system": name, "lowercase": system.card.lowercase, "tokenise": tokenise}


def _translated(system: ServedSystem, texts: Sequence[str], params: Params, first: int = 0) -> Iterable[TranslatedSegment]:
    n_best, phrases = params["n_best"] or 0, params["phrases"]
    for translation in system.translate(texts, n_best, params["distinct"], params["tokenise"], first=first):
        yield _row(translation, bool(n_best), phrases)


def _row(translation: ServedTranslation, listed: bool, phrases: bool) -> TranslatedSegment:
    row: Any = _derivation(translation.best, phrases)
    if phrases:
        row["words"] = list(translation.words)
    if listed:
        row["n_best"] = [_derivation(entry, phrases) for entry in translation.n_best]
    return row  # type: ignore[no-any-return]


def _derivation(hypothesis: ServedHypothesis, phrases: bool) -> DerivationRow:
    entry: DerivationRow = {"text": hypothesis.text, "score": hypothesis.score, "features": dict(hypothesis.features)}
    if phrases:
        entry["phrases"] = [{"source": [start, end], "target": list(words)} for start, end, words in hypothesis.phrases]
        if hypothesis.links is not None:
            entry["links"] = [list(link) for link in hypothesis.links]
    return entry


def _check(request: TranslateRequest, limits: RequestLimits) -> None:
    check_present(len(request.segments))
    check_count(len(request.segments), limits.segments, ("segments",))
    check_segments(request.segments, limits.characters, ("segments",))
    if request.distinct and request.n_best is None:
        raise InputError("invalid-request", "distinct is said of lists; ask for n_best too", ("distinct",))


def _cost(engine: Engine, request: TranslateRequest) -> Cost:
    try:
        system = loaded_systems(engine).of(pair_of(request))
    except InputError:
        # The answer names the missing system.
        return Cost(amount_of_texts(request.segments))
    tokenise = system.card.tokenise if request.tokenise is None else request.tokenise
    work = work_of_translating(request.segments, system.effort, request.n_best or 0, tokenise)
    return Cost(amount_of_texts(request.segments), model_work=work)


def _split(planning: Planning, request: TranslateRequest) -> Plan:
    pair = pair_of(request)
    system, about = _system(planning.engine, pair, request.tokenise)
    system.check_lengths(request.segments, request.tokenise)
    params = {**request.model_dump(exclude={"segments"}), **about, "files": loaded_systems(planning.engine).fingerprint(pair)}
    rows = max(1, min(planning.chunk_rows, HYPOTHESIS_LIMIT // (request.n_best or 1)))
    return Plan("translate", params, cut({"sources": request.segments}, rows))


def _work(context: Context, chunk: Mapping[str, Any]) -> Output:
    params, sources = context.params, chunk["sources"]
    pair = LanguagePair(params["source_language"], params["target_language"])
    loaded_systems(context.engine).check(params["files"], [pair])
    rows: list[Json] = []
    for source, row in zip(sources, _translated(loaded_systems(context.engine).of(pair), sources, params), strict=True):
        rows.append({"source": source, **row})
        context.report("translating", len(rows) / len(sources))
    return {"rows": rows}


def _finish(context: Context, outputs: Iterable[Output]) -> Any:
    return {name: context.params[name] for name in ("pair", "system", "lowercase", "tokenise")}


def _read_files(files: Mapping[str, bytes]) -> Json:
    if set(files) != {"source"}:
        raise InputError("invalid-job", "send source, lines of text")
    return {"segments": list(TextFile("source", files["source"]).lines())}


operation = Operation(
    name="translate",
    id="translateSegments",
    summary="Translations by a phrase-based system that was trained here: a tool for measuring.",
    request=TranslateRequest,
    answer_type=TranslateAnswer,
    check=_check,
    answer=_answer,
    read_files=_read_files,
    steps=Steps(_split, _work, _finish),
    cost=_cost,
)
