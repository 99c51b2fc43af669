"""`assay rerank`: n-best lists in another order, with more features."""

from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from app.errors import InputError
from app.shell.inputs import named_lists, read_file_bytes, read_lines
from app.shell.output import Format, check_file, print_json, print_rows, say
from app.shell.parameters import Profile, Server, default, number_option, option
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.smt.commands.n_best.lists import Missing, MissingWeights, check_beside, read_list_arguments
from app.smt.operations.rerank import RerankRequest, listed_with_features, operation

if TYPE_CHECKING:
    from app.smt.lists.reranking import RerankingResources
    from app.smt.tuning import Weights
    from app.text.n_best import NBestLists

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command()
def rerank(
    files: Annotated[list[str], typer.Argument(help="N-best lists (- is stdin); several of the same segments are merged.")],
    weights: Annotated[
        list[str] | None, typer.Option("--weights", "-w", help="Weights (JSON, Moses, tune-local); several vote.")
    ] = None,
    missing_weights: MissingWeights = Missing.REFUSED,
    features: Annotated[
        list[str] | None, typer.Option("--features", help="Feature or set to compute, as np or posteriors; repeat for more.")
    ] = None,
    source: Annotated[str | None, typer.Option("--source", "-s", help="Source texts, one a line.")] = None,
    pair: Annotated[str | None, typer.Option("--pair", help="Language pair whose loaded resources features ask, as en-de.")] = None,
    model: Annotated[str | None, option(RerankRequest, "model", about="A model's id, for features of quality.")] = None,
    label: Annotated[str | None, option(RerankRequest, "label", about="What features of quality predict, as hter.")] = None,
    profile: Profile = None,
    lm: Annotated[list[Path] | None, typer.Option("--lm", help="Language model; repeat for other orders.")] = None,
    tag_lm: Annotated[list[Path] | None, typer.Option("--tag-lm", help="Language model of parts of speech; repeat.")] = None,
    tagger: Annotated[Path | None, typer.Option("--tagger", help="UDPipe model that tags hypotheses.")] = None,
    table: Annotated[Path | None, typer.Option("--table", help="Lexical table p(target | source).")] = None,
    reverse_table: Annotated[Path | None, typer.Option("--reverse-table", help="Lexical table p(source | target).")] = None,
    lexicon: Annotated[Path | None, typer.Option("--lexicon", help="Word lexicon for the feature dwl.")] = None,
    neural: Annotated[Path | None, typer.Option("--neural", help="Translation model for the feature neural.")] = None,
    continuous_space: Annotated[
        Path | None, typer.Option("--continuous-space", help="Continuous-space language model for the feature cslm.")
    ] = None,
    cased: Annotated[bool, typer.Option("--cased", help="The files of resources know capital letters.")] = False,
    distinct: Annotated[bool, option(RerankRequest, "distinct")] = False,
    mbr: Annotated[str | None, option(RerankRequest, "mbr")] = None,
    scale: Annotated[float, number_option(RerankRequest, "scale", "What makes weighted sums logs of probabilities.")] = default(
        RerankRequest, "scale"
    ),
    top: Annotated[int, option(RerankRequest, "top")] = default(RerankRequest, "top"),
    references: Annotated[
        list[str] | None, typer.Option("--reference", "-r", help="Reference file, or NAME=FILE, that measures; repeat for more.")
    ] = None,
    metric: Annotated[str | None, option(RerankRequest, "metric", "--metric", "-m")] = None,
    changes: Annotated[
        bool, option(RerankRequest, "changes", about="Print what changed, and why: a row for each such list.")
    ] = False,
    write_features: Annotated[Path | None, typer.Option("--write-features", help="Write the lists with all features here.")] = None,
    server: Server = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Put n-best lists into the order of weights, with features that the decoder did not have.

    What comes first of each list is printed, one text a line.
    """
    from app.smt.lists.reranking.opening import open_reranking_resources

    resources = open_reranking_resources(
        lm or (), tag_lm or (), tagger, table, reverse_table, lexicon, neural, not cased, continuous_space
    )
    sources = None if source is None else read_lines(source)
    texts = named_lists(references or [])
    lists = read_list_arguments(files, (sources, *texts.values())).lists
    check_beside(lists, {**texts, str(source): sources})
    lists, optima = _weighted(weights or [], lists, sources, missing_weights is Missing.ZERO)
    lists, others = _with_own_features(lists, sources, resources, features or [], optima)
    tags = [None, None] if pair is None else _languages(pair)
    request = make_request(
        RerankRequest,
        n_best=lists,
        sources=sources,
        weights=_values(optima[0]) if optima else None,
        optima=[_values(row) for row in optima[1:]],
        missing_weights=missing_weights.value,
        features=others,
        source_language=tags[0],
        target_language=tags[1],
        model=model,
        label=label,
        profile=profile,
        distinct=distinct,
        mbr=mbr,
        scale=scale,
        top=top,
        references=texts or None,
        metric=metric,
        changes=changes or None,
    )
    if write_features is not None:
        request = _written(request, write_features, server)
    answer = answer_to(operation, request, server)
    if form is Format.JSON:
        print_json(answer)
        return
    if changes:
        print_rows(list(_changed(answer)), form)
    elif top == 1 and form is Format.TEXT:
        for segment in answer["segments"]:
            print(segment["hypotheses"][0]["text"] if segment["hypotheses"] else "")
    else:
        print_rows(_rows(answer), form)
    reworded = _other_texts(request.n_best, answer["segments"])
    say(f"{answer['changed']} of {answer['lists']} lists have another first hypothesis, {reworded} of them another text")
    if not optima and mbr is None:
        say("without --weights lists keep the order that they had")
    if "measured" in answer:
        say(_measured(answer["measured"]))
    if answer["unused"]:
        say(f"no hypothesis has the features {', '.join(answer['unused'])}, which have weights")


def _other_texts(lists: "NBestLists", segments: list[dict[str, Any]]) -> int:
    """How many lists have another text in front than the decoder's; a text may stand in a list many times."""
    fronts = [(int(at), segment["hypotheses"][:1]) for at, segment in zip(lists.offsets[:-1], segments, strict=True)]
    return sum(front["text"] != lists.texts[at] for at, kept in fronts for front in kept)


def _weighted(
    paths: list[str], lists: "NBestLists", sources: list[str] | None, zero_missing: bool
) -> tuple["NBestLists", list["Weights"]]:
    """Weights of all features, and the lists with a column more for each file whose sentences have weights of their own.

    Such a column has the hypotheses' sums by these weights; it alone counts there.
    """
    from app.smt.lists.reranking import with_values
    from app.smt.lists.reranking.by_sentence import scores_by_sentence
    from app.smt.tuning.local_weights_file import holds_local_weights, read_local_weights
    from app.smt.tuning.moses_weights import read_any_weights
    from app.smt.tuning.pool import names_of
    from app.smt.tuning.weights import Weights

    names, counts = lists.names, Counter(names_of(lists))
    columns: dict[str, Any] = {}
    optima: list[dict[str, tuple[float, ...]]] = []
    for path in paths:
        raw = read_file_bytes(path)
        if not holds_local_weights(raw):
            optima.append(dict(read_any_weights(raw, names, path).weights.values))
            continue
        column = _column(len(columns) + 1, counts)
        columns[column] = scores_by_sentence(lists, read_local_weights(raw, path), path, sources, zero_missing)
        optima.append({name: (0.0,) * count for name, count in counts.items()} | {column: (1.0,)})
    if columns:
        lists = with_values(lists, list(columns), np.stack(list(columns.values()), axis=1))
    return lists, [Weights(dict.fromkeys(columns, (0.0,)) | weights) for weights in optima]


def _column(number: int, names: Container[str]) -> str:
    """A name that no feature has."""
    name = "by-sentence" if number == 1 else f"by-sentence-{number}"
    while name in names:
        name += "-"
    return name


def _values(weights: "Weights") -> dict[str, list[float]]:
    return {name: list(row) for name, row in weights.values.items()}


def _languages(pair: str) -> list[str]:
    from app.text import LanguagePair

    parsed = LanguagePair.parse(pair)
    return [parsed.source, parsed.target]


def _with_own_features(
    lists: "NBestLists", sources: list[str] | None, resources: "RerankingResources", features: list[str], optima: list["Weights"]
) -> tuple["NBestLists", list[str]]:
    """The lists with what files of resources are there for, and the features that are left to compute."""
    from app.smt.lists.reranking import COLUMNS, specs_of, with_features
    from app.smt.lists.reranking.opening import covers

    weighted = [name for row in optima for name in row.values if name.split("|")[0] in COLUMNS and name not in lists.names]
    own = [spec for spec in dict.fromkeys([*specs_of(features), *weighted]) if covers(resources, spec)]
    if own:
        lists = with_features(lists, own, resources, sources)
    return lists, [spec for spec in specs_of(features) if spec not in own]


def _written(request: RerankRequest, path: Path, server: str | None) -> RerankRequest:
    """The request with lists that have all features, which are in a file now."""
    from app.shell.here import engine_here, limits_here
    from app.smt.lists.reranking import distinct_places, kept
    from app.text.reading.moses_n_best import n_best_lines

    if server is not None:
        raise InputError("invalid-request", "features are written where they are computed: leave --server out", ("write_features",))
    check_file(path, "--write-features")
    operation.check(request, limits_here())
    lists = kept(request.n_best, distinct_places(request.n_best)) if request.distinct else request.n_best
    params = request.model_dump(exclude={"n_best", "sources", "references"})
    lists, _ = listed_with_features(engine_here(), params, lists, request.sources)
    path.write_text("".join(f"{line}\n" for line in n_best_lines(lists)), encoding="utf-8", errors="surrogatepass")
    return request.model_copy(update={"n_best": lists, "features": []})


def _measured(measured: Any) -> str:
    digits = 2 if "100" in measured["unit"] else 4
    low, high = measured["gain_interval"]
    return (
        f"{measured['metric']}: {measured['first_score']:.{digits}f} of first hypotheses, "
        f"{measured['chosen_score']:.{digits}f} now; "
        f"gain {measured['gain']:+.{digits}f} ({low:+.{digits}f} to {high:+.{digits}f}), p = {measured['p_value']:.4f}; "
        f"better {measured['wins']}, worse {measured['losses']}, equal {measured['ties']}"
    )


def _changed(answer: Any) -> Iterator[dict[str, Any]]:
    """A row for each list that another hypothesis leads."""
    for number, segment in enumerate(answer["segments"]):
        if segment.get("place", 1) == 1:
            continue
        row = {name: value for name, value in segment.items() if name not in ("references", "hypotheses", "moved")}
        moved = " ".join(f"{entry['feature']}={entry['contribution']:+g}" for entry in segment["moved"])
        yield {"segment": number, **row, "moved": moved}


def _rows(answer: Any) -> list[dict[str, Any]]:
    return [
        {"segment": number, "rank": entry["rank"]}
        | {name: entry[name] for name in ("score", "expected") if name in entry}
        | {"text": entry["text"]}
        for number, segment in enumerate(answer["segments"])
        for entry in segment["hypotheses"]
    ]
