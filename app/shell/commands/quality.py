"""`assay quality`, `words` and `rank`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from app.errors import InputError
from app.operations.parts.terms import BY_RISK, BandChoice
from app.operations.quality import QualityRequest
from app.operations.quality import operation as quality_operation
from app.operations.rank import RankRequest
from app.operations.rank import operation as rank_operation
from app.operations.words import WordsRequest
from app.operations.words import operation as words_operation
from app.planning.band_lists import BANDS, read_bands, read_numbers
from app.planning.bands import Band, check_bands
from app.shell.inputs import named_lists, read_lines
from app.shell.languages import languages_of
from app.shell.output import Format, counted, fail, print_answer, print_json, print_rows, say
from app.shell.parameters import (
    Files,
    Form,
    FromSystems,
    HasHeader,
    Label,
    LogProbs,
    Model,
    Pair,
    Profile,
    Server,
    Tokens,
    number_option,
    option,
    refuse,
)
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.segments import read_pairs, segments_of
from app.shell.warning_gates import failures_of_rows, read_codes
from app.text.reading.tables import Table

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
# What the fields of a band are called where bands are typed on one line.
BAND_PARTS: Final = {"name": "NAME", "at_least": "FROM", "rate": "RATE"}


@commands.command()
def quality(
    files: Files,
    pair: Pair = None,
    model: Model = None,
    label: Label = None,
    profile: Profile = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    header: HasHeader = None,
    interval: Annotated[
        float | None,
        number_option(QualityRequest, "interval", "Share of labels the interval is to hold; 0.9 otherwise.", shares=True),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Add each feature's contribution.")] = False,
    words: Annotated[bool, option(QualityRequest, "words", "--words")] = False,
    warnings: Annotated[bool, option(QualityRequest, "warnings", "--warnings")] = False,
    fail_on: Annotated[
        str | None,
        typer.Option(help="CODE,CODE: add warnings; exit 1 where a segment has one of these, as copied-source; any for all."),
    ] = None,
    bands: Annotated[
        str | None, typer.Option(help="Bands of confidence, best first: NAME=FROM:RATE,... as good=0.8:0.3,rest=0:1; or risk.")
    ] = None,
    accept: Annotated[
        str | None, typer.Option(help="WORST[:RATE], as 0.3:0.1 or 30%:10%: pass what is no worse, with that share of errors.")
    ] = None,
    currency: Annotated[str | None, option(QualityRequest, "currency", about="What amounts of bands are in, as EUR.")] = None,
    word_price: Annotated[
        float | None, number_option(QualityRequest, "word_price", "What a word paid in full costs, in the currency.")
    ] = None,
    level: Annotated[
        str, option(QualityRequest, "level", about="sentence, or word for tags of words and gaps alone.")
    ] = "sentence",
    from_systems: FromSystems = None,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Predict the quality of every segment, without a reference."""
    if level == "word":
        scores = {
            "--label": label,
            "--profile": profile,
            "--interval": interval,
            "--explain": explain,
            "--words": words,
            "--warnings": warnings,
        }
        terms = {"--fail-on": fail_on, "--bands": bands, "--accept": accept, "--currency": currency, "--word-price": word_price}
        refuse({**scores, **terms}, "--level word answers tags and no scores; leave one of the two out")
    codes = read_codes(fail_on) if fail_on is not None else []
    table = read_pairs(files, log_probs, tokens, header, pair)
    request = make_request(
        QualityRequest,
        **languages_of(table, pair, server),
        model=model,
        label=label,
        profile=profile,
        interval=interval,
        explain=explain,
        words=words,
        # Left to the operation unless it was said: it checks what may pass unseen by itself.
        warnings=warnings or bool(codes) or None,
        bands=_bands(bands),
        accept=_acceptance(accept),
        currency=currency,
        word_price=word_price,
        level=level,
        from_systems=from_systems,
        segments=segments_of(table),
    )
    answer = answer_to(quality_operation, request, server)
    if request.level == "word":
        _print_words(answer, form)
    else:
        _print_quality(answer, form)
    if codes:
        fail(failures_of_rows(answer["segments"], codes))


def _bands(spec: str | None) -> list[dict[str, Any]] | str | None:
    """``good=0.8:0.3,rest=0:1``, or ``risk``; without a rate, words are paid in full."""
    if spec is None or spec == BY_RISK:
        return spec
    bands = read_bands(spec, ("--bands",))
    for band in bands:
        _check_band(band)
    try:
        check_bands([Band(band["name"], band["at_least"], band.get("rate", 1.0)) for band in bands])
    except InputError as error:
        detail = error.detail.replace("at_least", BAND_PARTS["at_least"])
        raise InputError(error.code, f"{detail}; they are {BANDS}", ("--bands",)) from None
    return bands


def _check_band(band: dict[str, Any]) -> None:
    """InputError that names what cannot be as the option calls it."""
    try:
        make_request(BandChoice, **band)
    except InputError as error:
        detail = f"{BAND_PARTS[str(error.where[0])]} of {band['name'] or 'a band'}: {error.detail}; bands are {BANDS}"
        raise InputError(error.code, detail, ("--bands",)) from None


def _acceptance(spec: str | None) -> dict[str, float] | None:
    if spec is None:
        return None
    numbers = read_numbers(spec, "accept is WORST or WORST:RATE, as 0.3:0.1 or 30%:10%", ("--accept",))
    return dict(zip(("at_worst", "error_rate"), numbers, strict=False))


def _print_quality(answer: dict[str, Any], form: Format) -> None:
    if form is Format.JSON:
        print_json(answer)
        return
    document = dict(answer["document"])
    bands, acceptance = document.pop("bands", []), document.pop("acceptance", None)
    total, terms = document.pop("total", None), document.pop("terms", None)
    rows = [{"segment": number, **(row if form is Format.TSV else _plain(row))} for number, row in enumerate(answer["segments"], 1)]
    print_answer({**answer, "document": document, "segments": rows}, "segments", form)
    say("of the document, score and confidence are plain means of its segments; weighted_score weights them by their length")
    for name, row in [*((f"band {band['name']}", band) for band in bands), *([("total", total)] if total else [])]:
        amount = f", {row['paid']:.2f} {terms['currency']}" if "paid" in row else ""
        size = f"{counted(row['segments'], 'segment')}, {counted(row['source_words'], 'word')}"
        say(f"{name}: {size}, {row['paid_words']:.1f} paid{amount}")
    if terms is not None:
        say(terms["assumption"])
    if acceptance is not None:
        threshold = "no threshold" if acceptance["threshold"] is None else f"threshold {acceptance['threshold']:.4f}"
        segments = counted(acceptance["accepted"], "segment")
        accepted = f"accepted: {segments}, {acceptance['expected_errors']:.1f} of them errors, as expected"
        say(f"{accepted}; {threshold}; {acceptance['meaning']}")


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for a table that people read: tags, warnings and contributions as text."""
    plain = {name: value for name, value in row.items() if name not in ("words", "gaps", "source_tags", "warnings")}
    if "words" in row:
        plain |= _tags(row)
    if "warnings" in row:
        plain["warnings"] = " ".join(warning["code"] for warning in row["warnings"])
    if "reasons" in row:
        plain["reasons"] = "; ".join(_reason(reason) for reason in row["reasons"])
    if "contributions" in row:
        plain["contributions"] = " ".join(f"{entry['feature']}={entry['contribution']}" for entry in row["contributions"])
    return plain


def _reason(reason: Mapping[str, Any]) -> str:
    """``numbers: 250 / 520``."""
    words = " / ".join(", ".join(reason[side]) for side in ("source", "translation") if reason[side])
    return f"{reason['code']}: {words}" if words else str(reason["code"])


def _tags(row: Mapping[str, Any]) -> dict[str, str]:
    tags = {
        "words": _bracketed(row["words"]),
        "word_tags": " ".join(word["tag"] for word in row["words"]),
        "gap_tags": " ".join(gap["tag"] for gap in row["gaps"]),
    }
    if "source_tags" in row:
        tags["tagged_source"] = _bracketed(row["source_tags"])
        tags["source_tags"] = " ".join(word["tag"] for word in row["source_tags"])
    return tags


def _bracketed(words: Sequence[Mapping[str, str]]) -> str:
    return " ".join(f"[{word['text']}]" if word["tag"] == "BAD" else word["text"] for word in words)


@commands.command()
def words(
    files: Files,
    pair: Pair = None,
    model: Model = None,
    log_probs: LogProbs = None,
    tokens: Tokens = None,
    header: HasHeader = None,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Say of every word and every gap whether it is OK or BAD."""
    table = read_pairs(files, log_probs, tokens, header, pair)
    request = make_request(WordsRequest, **languages_of(table, pair, server), model=model, segments=segments_of(table))
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
    pair: Pair = None,
    model: Model = None,
    label: Label = None,
    profile: Profile = None,
    warnings: Annotated[bool, option(RankRequest, "warnings", "--warnings")] = False,
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
    texts = Table({"source": sources, "translation": next(iter(lists.values()))})
    about = {**languages_of(texts, pair, server), "model": model, "label": label, "profile": profile}
    request = make_request(RankRequest, **about, warnings=warnings or None, segments=candidates)
    answer = answer_to(rank_operation, request, server)
    if segments and form is not Format.JSON:
        print_rows([_ordered(number, row["order"], row["confidence"]) for number, row in enumerate(answer["segments"], 1)], form)
    elif form is Format.JSON:
        print_json(answer)
    else:
        print_answer({**answer, "systems": [_standing(row, form) for row in answer["systems"]]}, "systems", form)


def _ordered(number: int, order: Sequence[Mapping[str, Any]], confidence: float) -> dict[str, Any]:
    """A segment's systems from best to worst, and where they were checked, what did not pass as SYSTEM=CODE."""
    row = {"segment": number, "order": " ".join(entry["system"] for entry in order), "confidence": confidence}
    if all("warnings" in entry for entry in order):
        row["warnings"] = " ".join(f"{entry['system']}={warning['code']}" for entry in order for warning in entry["warnings"])
    return row


def _standing(row: Mapping[str, Any], form: Format) -> dict[str, Any]:
    """A system's row of a table; what is not known of it is an empty cell."""
    plain = {name: "" if value is None and name != "interval" else value for name, value in row.items()}
    if form is not Format.TSV:
        plain["interval"] = "" if row["interval"] is None else row["interval"]
        if "warnings" in row:
            plain["warnings"] = " ".join(f"{code}={count}" for code, count in row["warnings"].items())
    return plain


def _candidates(sources: Sequence[str], systems: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    return [
        {"source": source, "translations": [{"system": name, "text": text} for name, text in zip(systems, texts, strict=True)]}
        for source, *texts in zip(sources, *systems.values(), strict=True)
    ]
