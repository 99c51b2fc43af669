"""`assay quality`, `words` and `rank`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from app.errors import InputError
from app.operations.quality import QualityRequest
from app.operations.quality import operation as quality_operation
from app.operations.rank import RankRequest
from app.operations.rank import operation as rank_operation
from app.operations.words import WordsRequest
from app.operations.words import operation as words_operation
from app.planning.bands import Band, check_bands
from app.shell.inputs import named_lists, read_lines
from app.shell.output import Format, print_answer, print_json, print_rows, say
from app.shell.parameters import Files, Form, Label, LogProbs, Model, Pair, Server, Tokens, option, refuse
from app.shell.requests import languages, make_request
from app.shell.running import answer_to
from app.shell.segments import read_pairs, segments_of

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
BANDS: Final = "NAME=FROM:RATE with commas between, as good=0.8:0.3,rest=0:1"


@commands.command()
def quality(
    files: Files,
    pair: Pair,
    model: Model = None,
    label: Label = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    interval: Annotated[
        float | None, option(QualityRequest, "interval", about="Share of labels the interval is to hold; 0.9 otherwise.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Add each feature's contribution.")] = False,
    words: Annotated[bool, option(QualityRequest, "words", "--words")] = False,
    warnings: Annotated[bool, option(QualityRequest, "warnings", "--warnings")] = False,
    bands: Annotated[
        str | None, typer.Option(help="Bands of confidence, best first: NAME=FROM:RATE,... as good=0.8:0.3,rest=0:1.")
    ] = None,
    accept: Annotated[str | None, typer.Option(help="WORST[:RATE]: let pass what is no worse, with that share of errors.")] = None,
    level: Annotated[
        str, option(QualityRequest, "level", about="sentence, or word for tags of words and gaps alone.")
    ] = "sentence",
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Predict the quality of every segment, without a reference."""
    if level == "word":
        scores = {"--label": label, "--interval": interval, "--explain": explain, "--words": words, "--warnings": warnings}
        refuse(
            {**scores, "--bands": bands, "--accept": accept}, "--level word answers tags and no scores; leave one of the two out"
        )
    request = make_request(
        QualityRequest,
        **languages(pair),
        model=model,
        label=label,
        interval=interval,
        explain=explain,
        words=words,
        warnings=warnings,
        bands=_bands(bands),
        accept=_acceptance(accept),
        level=level,
        segments=segments_of(read_pairs(files, log_probs, tokens)),
    )
    answer = answer_to(quality_operation, request, server)
    if request.level == "word":
        _print_words(answer, form)
    else:
        _print_quality(answer, form)


def _bands(spec: str | None) -> list[dict[str, Any]] | None:
    """``good=0.8:0.3,rest=0:1``; without a rate, words are paid in full."""
    if spec is None:
        return None
    bands: list[dict[str, Any]] = []
    for part in spec.split(","):
        name, _, numbers = part.rpartition("=")
        at_least, *rate = _numbers(numbers, "--bands", f"bands are {BANDS}")
        bands.append({"name": name, "at_least": at_least, **({"rate": rate[0]} if rate else {})})
    try:
        check_bands([Band(band["name"], band["at_least"], band.get("rate", 1.0)) for band in bands])
    except InputError as error:
        raise InputError(error.code, f"{error.detail}; they are {BANDS}", ("--bands",)) from None
    return bands


def _acceptance(spec: str | None) -> dict[str, float] | None:
    if spec is None:
        return None
    return dict(
        zip(("at_worst", "error_rate"), _numbers(spec, "--accept", "accept is WORST or WORST:RATE, as 0.3:0.1"), strict=False)
    )


def _numbers(text: str, option: str, accepted: str) -> list[float]:
    """One number, or two with a colon between."""
    try:
        numbers = [float(part) for part in text.split(":")]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 2:
        raise InputError("invalid-request", accepted, (option,))
    return numbers


def _print_quality(answer: dict[str, Any], form: Format) -> None:
    if form is Format.JSON:
        print_json(answer)
        return
    document = dict(answer["document"])
    bands, acceptance = document.pop("bands", []), document.pop("acceptance", None)
    rows = [{"segment": number, **(row if form is Format.TSV else _plain(row))} for number, row in enumerate(answer["segments"], 1)]
    print_answer({**answer, "document": document, "segments": rows}, "segments", form)
    for band in bands:
        say("band {name}: {segments} segments, {source_words} words, {paid_words:.1f} paid".format_map(band))
    if acceptance is not None:
        threshold = "no threshold" if acceptance["threshold"] is None else f"threshold {acceptance['threshold']:.4f}"
        accepted = "accepted: {accepted} segments, {expected_errors:.1f} of them errors, as expected".format_map(acceptance)
        say(f"{accepted}; {threshold}; {acceptance['meaning']}")


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for a table that people read: tags, warnings and contributions as text."""
    plain = {name: value for name, value in row.items() if name not in ("words", "gaps", "warnings")}
    if "words" in row:
        plain |= _tags(row)
    if "warnings" in row:
        plain["warnings"] = " ".join(warning["code"] for warning in row["warnings"])
    if "contributions" in row:
        plain["contributions"] = " ".join(f"{entry['feature']}={entry['contribution']}" for entry in row["contributions"])
    return plain


def _tags(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "words": " ".join(f"[{word['text']}]" if word["tag"] == "BAD" else word["text"] for word in row["words"]),
        "word_tags": " ".join(word["tag"] for word in row["words"]),
        "gap_tags": " ".join(gap["tag"] for gap in row["gaps"]),
    }


@commands.command()
def words(
    files: Files,
    pair: Pair,
    model: Model = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Say of every word and every gap whether it is OK or BAD."""
    segments = segments_of(read_pairs(files, log_probs, tokens))
    request = make_request(WordsRequest, **languages(pair), model=model, segments=segments)
    _print_words(answer_to(words_operation, request, server), form)


def _print_words(answer: dict[str, Any], form: Format) -> None:
    if form is Format.JSON:
        print_json(answer)
    else:
        print_rows(
            [
                {"segment": number, **(row if form is Format.TSV else _tags(row))}
                for number, row in enumerate(answer["segments"], 1)
            ],
            form,
        )


@commands.command()
def rank(
    source: Annotated[str, typer.Argument(help="File of sources, one a line.")],
    systems: Annotated[list[str], typer.Argument(help="One file of translations per system, or NAME=FILE.")],
    pair: Pair,
    model: Model = None,
    label: Label = None,
    segments: Annotated[bool, typer.Option("--segments", help="Print the order of every segment.")] = False,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Rank several systems' translations of the same sources."""
    sources, lists = read_lines(source), named_lists(systems)
    for name, lines in lists.items():
        if len(lines) != len(sources):
            raise InputError("unequal-lengths", f"{name} has {len(lines)} lines, {source} has {len(sources)}")
    candidates = _candidates(sources, lists)
    request = make_request(RankRequest, **languages(pair), model=model, label=label, segments=candidates)
    answer = answer_to(rank_operation, request, server)
    if segments and form is not Format.JSON:
        rows = [
            {"segment": number, "order": " ".join(entry["system"] for entry in row["order"]), "confidence": row["confidence"]}
            for number, row in enumerate(answer["segments"], 1)
        ]
        print_rows(rows, form)
    else:
        print_answer(answer, "systems", form)


def _candidates(sources: Sequence[str], systems: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    return [
        {"source": source, "translations": [{"system": name, "text": text} for name, text in zip(systems, texts, strict=True)]}
        for source, *texts in zip(sources, *systems.values(), strict=True)
    ]
