"""`assay nbest rerank`: n-best lists in another order, with more features."""

from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from app.errors import InputError
from app.shell.declaration.files import check_file
from app.shell.declaration.forms import Format
from app.shell.here import engine_here, limits_here
from app.shell.inputs import named_lists, read_file_bytes, read_lines
from app.shell.output import print_json, print_rows, say
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.smt.commands.n_best.lists import check_beside, read_list_arguments
from app.smt.commands.options.n_best.rerank import RerankOptions
from app.smt.commands.options.n_best.tuning import Missing
from app.smt.lists.reranking.by_sentence import scores_by_sentence
from app.smt.lists.reranking.columns import COLUMNS, specs_of, with_features, with_values
from app.smt.lists.reranking.distinct import distinct_places, lists_at
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.lists.reranking.opening import covers, open_reranking_resources
from app.smt.operations.rerank import RerankRequest, listed_with_features, operation
from app.smt.tuning.local_weights_file import holds_local_weights, read_local_weights
from app.smt.tuning.moses_weights import read_any_weights
from app.smt.tuning.pool import names_of
from app.smt.tuning.weights import FeatureWeights
from app.text import LanguagePair
from app.text.n_best import NBestLists
from app.text.reading.moses_n_best import n_best_lines

__all__ = ["rerank"]


def rerank(options: RerankOptions) -> None:
    """Put n-best lists into the order of weights, with features that the decoder did not have; print the first text of each."""
    resources = open_reranking_resources(
        options.lm or (),
        options.tag_lm or (),
        options.tagger,
        options.table,
        options.reverse_table,
        options.lexicon,
        options.neural,
        not options.cased,
        options.continuous_space,
    )
    sources = None if options.source is None else read_lines(options.source)
    texts = named_lists(options.references or [])
    lists = read_list_arguments(options.files, (sources, *texts.values())).lists
    check_beside(lists, {**texts, str(options.source): sources})
    lists, optima = _weighted(options.weights or [], lists, sources, options.missing_weights is Missing.ZERO)
    lists, features = _with_own_features(lists, sources, resources, options.features or [], optima)
    pair = None if options.pair is None else LanguagePair.parse(options.pair)
    request = make_request(
        RerankRequest,
        options,
        n_best=lists,
        sources=sources,
        weights=_values(optima[0]) if optima else None,
        optima=[_values(row) for row in optima[1:]],
        missing_weights=options.missing_weights.value,
        features=features,
        source_language=pair and pair.source,
        target_language=pair and pair.target,
        references=texts or None,
    )
    if options.write_features is not None:
        request = _write_features(request, options.write_features, options.server)
    answer = answer_to(operation, request, options.server)
    if options.form is Format.JSON:
        print_json(answer)
        return
    if options.changes:
        print_rows(list(_changed(answer)), options.form)
    elif options.top == 1 and options.form is Format.TEXT:
        for segment in answer["segments"]:
            print(segment["hypotheses"][0]["text"] if segment["hypotheses"] else "")
    else:
        print_rows(_rows(answer), options.form)
    text_count = _other_texts(request.n_best, answer["segments"])
    say(f"{answer['changed']} of {answer['lists']} lists have another first hypothesis, {text_count} of them another text")
    if not optima and options.mbr is None:
        say("without --weights lists keep the order that they had")
    if "measured" in answer:
        say(_gain(answer["measured"]))
    if answer["unused"]:
        say(f"no hypothesis has the features {', '.join(answer['unused'])}, which have weights")


def _other_texts(lists: NBestLists, segments: list[dict[str, Any]]) -> int:
    """Number of lists with another first text than the decoder's; a list may have a text many times."""
    firsts = [(int(at), segment["hypotheses"][:1]) for at, segment in zip(lists.offsets[:-1], segments, strict=True)]
    return sum(entry["text"] != lists.texts[at] for at, entries in firsts for entry in entries)


def _weighted(
    paths: list[str], lists: NBestLists, sources: list[str] | None, zero_missing: bool
) -> tuple[NBestLists, list[FeatureWeights]]:
    """The lists, and weights of all features from each file.

    A file with weights of each sentence adds a column with the weighted sums of hypotheses; other features then have weight 0.
    """
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
    return lists, [FeatureWeights(dict.fromkeys(columns, (0.0,)) | weights) for weights in optima]


def _column(number: int, names: Container[str]) -> str:
    """Name of a new column, which no feature has."""
    name = "by-sentence" if number == 1 else f"by-sentence-{number}"
    while name in names:
        name += "-"
    return name


def _values(weights: FeatureWeights) -> dict[str, list[float]]:
    return {name: list(row) for name, row in weights.values.items()}


def _with_own_features(
    lists: NBestLists, sources: list[str] | None, resources: RerankingResources, features: list[str], optima: list[FeatureWeights]
) -> tuple[NBestLists, list[str]]:
    """The lists with the features of resources from files, and the remaining features."""
    weighted = [name for row in optima for name in row.values if name.split("|")[0] in COLUMNS and name not in lists.names]
    local = [spec for spec in dict.fromkeys([*specs_of(features), *weighted]) if covers(resources, spec)]
    if local:
        lists = with_features(lists, local, resources, sources)
    return lists, [spec for spec in specs_of(features) if spec not in local]


def _write_features(request: RerankRequest, path: Path, server: str | None) -> RerankRequest:
    """Write the lists with all features to a file; return the request with these lists."""
    if server is not None:
        raise InputError("invalid-request", "features are written where they are computed: leave --server out", ("write_features",))
    check_file(path, "--write-features")
    operation.check(request, limits_here())
    lists = lists_at(request.n_best, distinct_places(request.n_best)) if request.distinct else request.n_best
    params = request.model_dump(exclude={"n_best", "sources", "references"})
    lists, _ = listed_with_features(engine_here(), params, lists, request.sources)
    path.write_text("".join(f"{line}\n" for line in n_best_lines(lists)), encoding="utf-8", errors="surrogatepass")
    return request.model_copy(update={"n_best": lists, "features": []})


def _gain(comparison: Any) -> str:
    digits = 2 if "100" in comparison["unit"] else 4
    low, high = comparison["gain_interval"]
    return (
        f"{comparison['metric']}: {comparison['first_score']:.{digits}f} of first hypotheses, "
        f"{comparison['chosen_score']:.{digits}f} now; "
        f"gain {comparison['gain']:+.{digits}f} ({low:+.{digits}f} to {high:+.{digits}f}), p = {comparison['p_value']:.4f}; "
        f"better {comparison['wins']}, worse {comparison['losses']}, equal {comparison['ties']}"
    )


def _changed(answer: Any) -> Iterator[dict[str, Any]]:
    """Yield a row for each list with another first hypothesis."""
    for number, segment in enumerate(answer["segments"]):
        if segment.get("place", 1) == 1:
            continue
        row = {name: value for name, value in segment.items() if name not in ("references", "hypotheses", "moved")}
        reasons = " ".join(f"{entry['feature']}={entry['contribution']:+g}" for entry in segment["moved"])
        yield {"segment": number, **row, "moved": reasons}


def _rows(answer: Any) -> list[dict[str, Any]]:
    return [
        {"segment": number, "rank": entry["rank"]}
        | {name: entry[name] for name in ("score", "expected") if name in entry}
        | {"text": entry["text"]}
        for number, segment in enumerate(answer["segments"])
        for entry in segment["hypotheses"]
    ]
